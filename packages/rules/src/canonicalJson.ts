/**
 * JSON that is the same for the same value, however it came about: the fields of every object in one order, nothing
 * between them. `undefined` as a whole gives the empty string.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? '';

/**
 * The same text of a value that was parsed from JSON, in pieces: the text is never whole in memory, and the caller may
 * pause between two pieces.
 * @param textOf the text of an object that is written otherwise; null for any other object
 */
export function* canonicalPieces(
  value: unknown,
  textOf: (object: object) => string | null = () => null,
): Generator<string, void> {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    if (text !== undefined) yield text;
    return;
  }
  const text = textOf(value);
  if (text !== null) {
    yield text;
  } else if (!Object.values(value).some(isContainer)) {
    // One piece: most of the time goes into objects and lists of nothing but scalars.
    yield Array.isArray(value) ? JSON.stringify(value) : canonicalJson(value);
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* canonicalPieces(item, textOf);
    }
    yield ']';
  } else {
    yield '{';
    for (const [index, name] of namesInOrder(value).entries()) {
      yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
      yield* canonicalPieces(Reflect.get(value, name), textOf);
    }
    yield '}';
  }
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

const INDEX = /^(?:0|[1-9]\d*)$/;

/** Sorted, but names that are array indexes come first, as in any JavaScript object. */
const namesInOrder = (value: object): string[] => {
  const names = Object.keys(value).toSorted();
  return names.some((name) => INDEX.test(name))
    ? Object.keys(Object.fromEntries(names.map((name) => [name, null])))
    : names;
};
