/** True if two parts of a form have the same content. Keys of rows are made anew with each reading and do not count. */
export const isSameContent = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (name, part: unknown) => (name === 'key' ? undefined : part));
