/** A random key of 128 bits. `crypto.randomUUID` is missing on pages of plain HTTP other than localhost. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Gives the idempotency keys of a form. A repeated request with the same content has the same key, so that it has no
 * second effect; a changed request gets a new key.
 */
export const newKeys = (): ((request: unknown) => string) => {
  let sent = { text: '', key: '' };
  return (request) => {
    const text = JSON.stringify(request);
    if (sent.text !== text) sent = { text, key: newKey() };
    return sent.key;
  };
};
