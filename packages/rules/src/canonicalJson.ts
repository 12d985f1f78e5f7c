/** JSON text that is equal for equal values: object fields are sorted, without white space. `undefined` gives ''. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? '';

/**
 * Yields the text of `canonicalJson` in pieces, for a value parsed from JSON. The whole text is never in memory, and
 * the caller may pause between pieces.
 * @param textOf returns the text of an object with a form of its own; null for any other object
 */
export function* canonicalPieces(
  value: unknown,
  textOf: (object: object) => string | null = () => null,
  level = 0,
): Generator<string, void> {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    if (text !== undefined) yield text;
    return;
  }
  const text = textOf(value);
  if (text !== null) {
    yield text;
  } else if (level > DEEPEST_PIECES || !Object.values(value).some(isContainer)) {
    // One piece for speed: most of the time goes into objects and lists of scalars, and a piece is passed on by each
    // level around it.
    yield level > DEEPEST_PIECES || !Array.isArray(value) ? canonicalJson(value) : JSON.stringify(value);
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* canonicalPieces(item, textOf, level + 1);
    }
    yield ']';
  } else {
    yield '{';
    for (const [index, name] of namesInOrder(value).entries()) {
      yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
      yield* canonicalPieces(Reflect.get(value, name), textOf, level + 1);
    }
    yield '}';
  }
}

/** Objects with a form of their own are not looked for below this level. */
const DEEPEST_PIECES = 8;

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

const INDEX = /^(?:0|[1-9]\d*)$/;

/** Sorted names. Names that are array indexes come first, as in any JavaScript object. */
const namesInOrder = (value: object): string[] => {
  const names = Object.keys(value).toSorted();
  return names.some((name) => INDEX.test(name))
    ? Object.keys(Object.fromEntries(names.map((name) => [name, null])))
    : names;
};
