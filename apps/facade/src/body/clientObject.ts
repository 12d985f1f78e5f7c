import { exactObject, type ClientObject } from '@evaluation/rest-contract/exact-json';
import { LONG_CLIENT_OBJECT } from './standIns.ts';
import type { Token } from './token.ts';

/** Bound of the schema for a client's own object, as JSON. */
const MAX_BYTES = 2048;
const ESCAPE_BYTES = 6;
export const MAX_ESCAPED_BYTES = MAX_BYTES * ESCAPE_BYTES;

const QUOTE = 0x22;

/** Collects the text of a client's own object, without white space, while the reader skips it. */
export class ClientObjectText {
  readonly #buffer = Buffer.allocUnsafe(MAX_ESCAPED_BYTES);
  #bytes = 0;
  /** Lower bound for the bytes of the JSON after escapes are decoded. */
  #leastBytes = 0;

  begin(): void {
    this.#bytes = 0;
    this.#leastBytes = 0;
  }

  byte(byte: number): void {
    if (this.#bytes < MAX_ESCAPED_BYTES) this.#buffer[this.#bytes] = byte;
    this.#bytes += 1;
    this.#leastBytes += 1;
  }

  string(token: Token, chunk: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    this.token(token, chunk, start, end);
    this.byte(QUOTE);
  }

  token({ parts }: Token, chunk: Uint8Array, start: number, end: number): void {
    for (const part of parts) this.#add(part, 0, part.length);
    this.#add(chunk, start, end);
  }

  word(word: string): void {
    for (let index = 0; index < word.length; index += 1) this.byte(word.charCodeAt(index));
  }

  /** An escape takes six bytes and decodes to at least one. */
  escape(): void {
    this.#leastBytes -= ESCAPE_BYTES - 1;
  }

  /** @returns the object, parsed only if it can be within `MAX_BYTES`, and the bytes that it takes */
  end(): [ClientObject, number] {
    if (this.#leastBytes > MAX_BYTES || this.#bytes > MAX_ESCAPED_BYTES) return [LONG_CLIENT_OBJECT, 0];
    return [exactObject(this.#buffer.toString('utf8', 0, this.#bytes)), this.#bytes];
  }

  #add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#bytes + end - start <= MAX_ESCAPED_BYTES) {
      this.#buffer.set(bytes.subarray(start, end), this.#bytes);
    }
    this.#bytes += end - start;
    this.#leastBytes += end - start;
  }
}
