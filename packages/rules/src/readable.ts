/**
 * The readable part of a body that its schema refuses. Rules that tie fields together still run on it, so that all
 * problems of a body are reported at once (docs/api/conventions.md#errors). Rules skip a `BROKEN` field, because its
 * schema already reports it.
 */

export const BROKEN: unique symbol = Symbol('broken');
export type Broken = typeof BROKEN;

/** `T` in which any field may be `BROKEN` (it failed its schema). */
export type Parts<T> =
  | Broken
  | (T extends readonly (infer E)[]
      ? readonly Parts<E>[]
      : T extends object
        ? { [K in keyof T]: Parts<T[K]> }
        : T);

export const isRead = <T>(part: T | Broken): part is T => part !== BROKEN;

/** Place of a problem that a schema found; a zod issue has this shape. */
interface Issue {
  code: string;
  path: readonly PropertyKey[];
}

/** Copies the body with `BROKEN` for each issue. `T` must be the type of the schema that found the issues. */
export const readable = <T>(body: unknown, issues: readonly Issue[]): Parts<T> => {
  const root = { body: structuredClone(body) };
  for (const issue of issues) {
    if (!leavesItsPlaceReadable(issue, root.body)) breakAt(root, ['body', ...issue.path]);
  }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- `T` is the type of the schema
  return root.body as Parts<T>;
};

/** Lists of a wrong length and objects with unknown fields are still read. */
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
  // An outer field is BROKEN already and has no inner fields.
  if (last === undefined || typeof parent !== 'object' || parent === null) return;
  Object.defineProperty(parent, last, {
    value: BROKEN,
    enumerable: true,
    writable: true,
    configurable: true,
  });
};
