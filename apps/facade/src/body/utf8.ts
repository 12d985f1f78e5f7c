import { isUtf8 } from 'node:buffer';

const NONE = new Uint8Array(0);

/** Checks UTF-8 in chunks, which may end within a character. */
export class Utf8Check {
  #cut: Uint8Array = NONE;

  take(chunk: Uint8Array): boolean {
    const piece = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    const end = piece.length - unfinished(piece);
    if (end === piece.length) {
      this.#cut = NONE;
      return isUtf8(piece);
    }
    // Copied, so that the chunk is not kept in memory for its last three bytes.
    this.#cut = Uint8Array.from(piece.subarray(end));
    return isUtf8(piece.subarray(0, end));
  }

  isWhole(): boolean {
    return this.#cut.length === 0;
  }
}

/** Number of bytes at the end that begin a character without finishing it: 0 to 3. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
};
