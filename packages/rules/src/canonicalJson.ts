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
 * The same text of a value that was parsed from JSON, handed on in pieces: it is never whole in memory.
 * @param textOf the text of an object that is written otherwise; null for any other object
 */
export const writeCanonicalJson = (
  value: unknown,
  write: (piece: string) => void,
  textOf: (object: object) => string | null = () => null,
): void => {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    if (text !== undefined) write(text);
    return;
  }
  const text = textOf(value);
  if (text !== null) {
    write(text);
  } else if (!Object.values(value).some(isContainer)) {
    // In one go: most of the time goes into objects and lists of nothing but scalars.
    write(Array.isArray(value) ? JSON.stringify(value) : canonicalJson(value));
  } else if (Array.isArray(value)) {
    write('[');
    value.forEach((item: unknown, index) => {
      if (index > 0) write(',');
      writeCanonicalJson(item, write, textOf);
    });
    write(']');
  } else {
    write('{');
    namesInOrder(value).forEach((name, index) => {
      write(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
      writeCanonicalJson(Reflect.get(value, name), write, textOf);
    });
    write('}');
  }
};

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

const INDEX = /^(?:0|[1-9]\d*)$/;

/** Sorted, but names that are array indexes come first, as in any JavaScript object. */
const namesInOrder = (value: object): string[] => {
  const names = Object.keys(value).toSorted();
  return names.some((name) => INDEX.test(name))
    ? Object.keys(Object.fromEntries(names.map((name) => [name, null])))
    : names;
};
