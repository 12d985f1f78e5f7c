/*
 * Where the reader stands within a value that it skips. Nothing of the value is kept but this: the kinds of the open
 * containers, and for the outer ones their field or index, to name the place of a NUL (which the API refuses
 * anywhere in a body).
 */

/** Containers whose place is remembered; a NUL below them is reported at the innermost of these. */
const PLACES = 12;
const NAME_BYTES = 64;
/** An item after this is reported as its list: the stand-in below has to have as many items. */
const LAST_INDEX = 100;
const NUL = '\u0000';

export class SkippedValue {
  /** Open containers. */
  depth = 0;
  /** Items of the outermost container, if it is an array. */
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

  /** @returns whether the innermost container is an array */
  isInArray(): boolean {
    return this.#isArray[this.depth - 1] === 1;
  }

  /** An item of the innermost container begins. */
  item(): void {
    const at = this.depth - 1;
    if (at < PLACES) this.#indexes[at] = (this.#indexes[at] ?? 0) + 1;
    if (at === 0) this.items += 1;
  }

  /** The name of a field of the innermost container, as it is written between its quotes. */
  name(bytes: Uint8Array, from: number, to: number): void {
    const at = this.depth - 1;
    if (at >= PLACES) return;
    const length = Math.min(to - from, NAME_BYTES);
    for (let index = 0; index < length; index += 1) {
      this.#names[at * NAME_BYTES + index] = bytes[from + index] ?? 0;
    }
    this.#nameLengths[at] = length;
  }

  /** A small value with a NUL at the same place, for the rules of core to find. */
  standInWithNul(isInName: boolean): unknown {
    const level = Math.min(this.depth, PLACES);
    // The name that is being read belongs to the innermost container.
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

/** A name for messages: escapes stay as they are written, and what is cut is cut between characters. */
export const readableName = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('utf8', from, to).replace(/\ufffd+$/, '');
