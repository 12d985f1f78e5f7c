/*
 * State of the reader within a skipped value: the kinds of the open containers and, for the outer `PLACES` of them, the
 * current field or index. It is needed to report the place of a NUL, which the API refuses anywhere in a body.
 */

/** Number of nested containers whose place is recorded; a NUL further inside is reported at the innermost of them. */
const PLACES = 12;
const NAME_BYTES = 64;
/**
 * Highest index that is reported. A NUL in a later item is reported at its list, because the stand-in for the list
 * needs an item for each index up to the reported one.
 */
const LAST_INDEX = 100;
const NUL = '\u0000';

export class SkippedValue {
  depth = 0;
  items = 0;
  readonly #isArray: Uint8Array;
  readonly #indexes = new Float64Array(PLACES);
  readonly #names = Buffer.alloc(PLACES * NAME_BYTES);
  readonly #nameLengths = new Uint8Array(PLACES);

  constructor(maxDepth: number) {
    this.#isArray = new Uint8Array(maxDepth + 1);
  }

  open(isArray: boolean): void {
    this.#isArray[this.depth] = isArray ? 1 : 0;
    if (this.depth < PLACES) {
      this.#indexes[this.depth] = -1;
      this.#nameLengths[this.depth] = 0;
    }
    if (this.depth === 0) this.items = 0;
    this.depth += 1;
  }

  isInArray(): boolean {
    return this.#isArray[this.depth - 1] === 1;
  }

  item(): void {
    const at = this.depth - 1;
    if (at < PLACES) this.#indexes[at] = (this.#indexes[at] ?? 0) + 1;
    if (at === 0) this.items += 1;
  }

  /** Sets the field name of the innermost container; `bytes` are those between the quotes, escapes included. */
  name(bytes: Uint8Array, from: number, to: number): void {
    const at = this.depth - 1;
    if (at >= PLACES) return;
    const length = Math.min(to - from, NAME_BYTES);
    for (let index = 0; index < length; index += 1) {
      this.#names[at * NAME_BYTES + index] = bytes[from + index] ?? 0;
    }
    this.#nameLengths[at] = length;
  }

  /** Returns a small value with a NUL at the same place, which core's validation finds. */
  standInWithNul(isInName: boolean): unknown {
    const level = Math.min(this.depth, PLACES);
    // A NUL in a name belongs to the innermost container.
    let value: unknown = isInName ? { [NUL]: null } : NUL;
    for (let at = level - (isInName ? 2 : 1); at >= 0; at -= 1) {
      if (this.#isArray[at] === 1) {
        const index = this.#indexes[at] ?? 0;
        if (index > LAST_INDEX) value = NUL;
        else value = [...Array.from({ length: index }, () => null), value];
      } else {
        value = { [this.#nameAt(at)]: value };
      }
    }
    return value;
  }

  #nameAt(at: number): string {
    const begin = at * NAME_BYTES;
    return readableName(this.#names, begin, begin + (this.#nameLengths[at] ?? 0));
  }
}

/** Returns a name for messages: escapes are not decoded, and a character that was cut off at the end is dropped. */
export const readableName = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('utf8', from, to).replace(/\ufffd+$/, '');
