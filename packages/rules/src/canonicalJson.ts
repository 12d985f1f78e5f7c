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
