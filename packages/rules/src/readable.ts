/**
 * What could be read of a body that its schema refuses. Rules that tie fields together run on it all the same, so that
 * every problem of a body is reported at once (docs/api/conventions.md#errors); where a field is `BROKEN` they say nothing, since what is
 * wrong with it is known already and anything else would only follow from that.
 */

export const BROKEN: unique symbol = Symbol('broken');
export type Broken = typeof BROKEN;

/** A value of which any part may be broken. A whole value is one too. */
export type Parts<T> =
  | Broken
  | (T extends readonly (infer E)[]
      ? readonly Parts<E>[]
      : T extends object
        ? { [K in keyof T]: Parts<T[K]> }
        : T);

export const isRead = <T>(part: T | Broken): part is T => part !== BROKEN;

/** Where a schema found a problem; the issues of zod are of this shape. */
export interface Issue {
  code: string;
  path: readonly PropertyKey[];
}

/**
 * The body with `BROKEN` in each place that an issue names. The type argument is what the schema gives: where it found
 * nothing the body is of that type, which makes this the documented boundary of that cast.
 */
export const readable = <T>(body: unknown, issues: readonly Issue[]): Parts<T> => {
  const root = { body: structuredClone(body) };
  for (const issue of issues) {
    if (!leavesItsPlaceReadable(issue, root.body)) breakAt(root, ['body', ...issue.path]);
  }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the documented boundary above
  return root.body as Parts<T>;
};

/** A list that is too long or too short can still be read, and so can an object with a field too many. */
const leavesItsPlaceReadable = ({ code, path }: Issue, body: unknown): boolean =>
  code === 'unrecognized_keys' ||
  ((code === 'too_big' || code === 'too_small') && Array.isArray(valueAt(body, path)));

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined),
    value,
  );

const breakAt = (root: object, path: readonly PropertyKey[]): void => {
  const last = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  // An outer place that is broken itself has no parts any more.
  if (last === undefined || typeof parent !== 'object' || parent === null) return;
  Object.defineProperty(parent, last, {
    value: BROKEN,
    enumerable: true,
    writable: true,
    configurable: true,
  });
};
