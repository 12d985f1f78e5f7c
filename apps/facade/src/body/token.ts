import { readableName } from './skipped.ts';

const NO_PARTS: Uint8Array[] = [];
const NAME_BYTES = 64;

/** The string, number or literal being read: its bytes, which may span several chunks, and what they contain. */
export class Token {
  isKey = false;
  hasEscape = false;
  hasNul = false;
  isAscii = true;
  /** Bytes in earlier chunks, kept or not. */
  bytesBefore = 0;
  keptBytes = 0;
  #parts: Uint8Array[] = NO_PARTS;

  begin(isKey: boolean): void {
    this.isKey = isKey;
    this.hasEscape = false;
    this.hasNul = false;
    this.isAscii = true;
    this.bytesBefore = 0;
    this.keptBytes = 0;
    this.#parts = NO_PARTS;
  }

  get parts(): readonly Uint8Array[] {
    return this.#parts;
  }

  /** Keeps the bytes of this chunk. @param most limit in bytes; once the token is longer, no more is kept */
  keepPart(chunk: Buffer, start: number, end: number, most: number): void {
    if (this.bytesBefore <= most) {
      if (this.#parts === NO_PARTS) this.#parts = [];
      this.#parts.push(Uint8Array.from(chunk.subarray(start, end)));
      this.keptBytes += end - start;
    }
    this.bytesBefore += end - start;
  }

  bytes(chunk: Buffer, start: number, end: number): [Buffer, number, number] {
    if (this.#parts.length === 0) return [chunk, start, end];
    const whole = Buffer.concat([...this.#parts, chunk.subarray(start, end)]);
    return [whole, 0, whole.length];
  }

  text(chunk: Buffer, start: number, end: number): string {
    const [bytes, from, to] = this.bytes(chunk, start, end);
    if (this.hasEscape) return String(JSON.parse(`"${bytes.toString('utf8', from, to)}"`));
    return bytes.toString(this.isAscii ? 'latin1' : 'utf8', from, to);
  }

  /** Returns the decoded name; of a name longer than `most`, only its first `NAME_BYTES`. */
  name(chunk: Buffer, start: number, end: number, most: number): string {
    if (this.bytesBefore + end - start <= most) return this.text(chunk, start, end);
    const [bytes, from] = this.bytes(chunk, start, end);
    return readableName(bytes, from, from + NAME_BYTES);
  }
}
