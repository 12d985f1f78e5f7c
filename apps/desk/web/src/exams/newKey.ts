/** A random key of 128 bits. `crypto.randomUUID` is missing on pages of plain HTTP other than localhost. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
