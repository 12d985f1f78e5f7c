import { isUtf8 } from 'node:buffer';

const NONE = new Uint8Array(0);

/** Checks UTF-8 that comes in pieces, which may end within a character. */
export class Utf8Check {
  #cut: Uint8Array = NONE;

  /** @returns false when what has come so far cannot be UTF-8 */
  take(chunk: Uint8Array): boolean {
    const piece = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    const end = piece.length - unfinished(piece);
    if (end === piece.length) {
      this.#cut = NONE;
      return isUtf8(piece);
    }
    // A copy: a chunk must not stay in memory for its last three bytes.
    this.#cut = Uint8Array.from(piece.subarray(end));
    return isUtf8(piece.subarray(0, end));
  }

  /** @returns whether the text does not end within a character */
  isWhole(): boolean {
    return this.#cut.length === 0;
  }
}

/** Bytes at the end that begin a character and do not finish it: 0 to 3. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
};
