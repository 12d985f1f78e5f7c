import { mostValues, type BodyShape } from '@evaluation/rest-contract/body-shape';
import { ClientObjectText, MAX_ESCAPED_BYTES } from './clientObject.ts';
import { beginNumber, isNumberWhole, nextInNumber } from './numbers.ts';
import { SkippedValue, readableName } from './skipped.ts';
import { fieldNames, longText, type FieldNames } from './standIns.ts';
import { Token } from './token.ts';
import { Utf8Check } from './utf8.ts';

/*
 * Reads a JSON body while it arrives and keeps only the values that its schema names (`BodyShape`). Each byte is
 * looked at once. The reader is in one of these states, and a chunk may end in any of them:
 *
 *   VALUE, FIRST_ITEM, FIRST_FIELD, FIELD, COLON, NEXT, DONE   between tokens
 *   STRING, ESCAPE, HEX, NUMBER, LITERAL                       within a token
 *
 * Known objects and lists are frames on a stack. Any other value is skipped: checked as JSON, but neither kept nor
 * parsed. A client's own object is skipped too, and its text is kept up to a bound. Where the schema would refuse a
 * skipped value, the reader puts a small stand-in of the same kind in its place, so that core reports the error.
 */

const [VALUE, FIRST_ITEM, FIRST_FIELD, FIELD, COLON, NEXT, DONE] = [0, 1, 2, 3, 4, 5, 6] as const;
const [STRING, ESCAPE, HEX, NUMBER, LITERAL] = [7, 8, 9, 10, 11] as const;

const [QUOTE, BACKSLASH, COMMA, COLON_SIGN, U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Client metadata of 2 KB can nest about a thousand levels; all other bodies nest fewer than ten. */
const MAX_DEPTH = 1100;
/** Maximum number of unknown fields of one object that the refusal names. */
const MAX_REFUSED_FIELDS = 50;
/** Maximum number of NULs in skipped values of one body whose places are reported. */
const MAX_NULS = 10;
const MAX_NAME_BYTES = 1024;
const MAX_NUMBER_BYTES = 1024;
/** A code point outside the BMP as two escapes: `\ud83d\ude00`. */
const BYTES_OF_CODE_POINT = 12;
/** Approximate memory of a value in addition to its text. */
const BYTES_OF_VALUE = 32;

const LITERALS: ReadonlyMap<number, [string, unknown]> = new Map([
  [0x74, ['true', true]],
  [0x66, ['false', false]],
  [0x6e, ['null', null]],
]);

/** 1 for bytes that end the fast loop over a string: control characters, quote, backslash. */
const STOPS = new Uint8Array(256).fill(1, 0, 0x20);
STOPS[QUOTE] = 1;
STOPS[BACKSLASH] = 1;

export class MalformedJson extends Error {}

/** The body has more values, or more text, than its schema accepts. */
export class BodyTooLarge extends Error {
  readonly field: string;

  constructor(field: string) {
    super('The body is larger than any valid request.');
    this.field = field;
  }
}

interface Frame {
  readonly into: Record<string, unknown> | unknown[];
  readonly shape: BodyShape;
  readonly isArray: boolean;
  /** Known fields by the bytes of their names; null for a list and for an object with keys chosen by the client. */
  readonly names: FieldNames | null;
  key: string;
  count: number;
}

const UNKNOWN: BodyShape = {};

export class BodyReader {
  /** Estimated memory of the kept values: two bytes per UTF-16 unit, and `BYTES_OF_VALUE` per value. */
  #heldBytes = 0;
  readonly #maxHeldBytes: number;
  readonly #utf8 = new Utf8Check();
  readonly #frames: Frame[] = [];
  #frame: Frame | null = null;
  #root: unknown;
  #state: number = VALUE;
  #isBegun = false;
  #valuesLeft: number;

  #shape: BodyShape;
  #isKept = true;

  #skipped: SkippedValue | null = null;
  #withNul: unknown;
  /** Text of the client's own object that is being skipped, or null. */
  #captured: ClientObjectText | null = null;
  #clientObject: ClientObjectText | null = null;

  #nulsLeft = MAX_NULS;

  readonly #token = new Token();
  #hexDigits = 0;
  #hex = 0;
  #number = 0;
  #literal: [string, unknown] = ['', null];
  #letters = 0;

  /** Name of the unknown field being read, to report the place of a NUL. */
  readonly #unknownName = Buffer.allocUnsafe(64);
  #unknownNameBytes = 0;

  constructor(shape: BodyShape, maxHeldBytes: number) {
    this.#shape = shape;
    this.#maxHeldBytes = maxHeldBytes;
    this.#valuesLeft = mostValuesOf(shape);
  }

  get memoryBytes(): number {
    return this.#heldBytes + this.#token.keptBytes;
  }

  /** @throws MalformedJson, BodyTooLarge */
  take(chunk: Buffer): void {
    if (!this.#utf8.take(chunk)) throw new MalformedJson('invalid UTF-8');
    let at = 0;
    if (!this.#isBegun && chunk.length > 0) {
      this.#isBegun = true;
      // Skips a byte order mark. One that is split over two chunks is refused as malformed JSON.
      if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) at = 3;
    }
    this.#walk(chunk, at);
  }

  /** @returns the value; undefined for an empty body. @throws MalformedJson */
  end(): unknown {
    if (!this.#isBegun) return undefined;
    if (this.#state === NUMBER) this.#endNumber(EMPTY, 0, 0);
    if (this.#state !== DONE || !this.#utf8.isWhole()) throw new MalformedJson('the body ends too early');
    return this.#root;
  }

  #walk(chunk: Buffer, from: number): void {
    const end = chunk.length;
    let at = from;
    let start = from;
    while (at < end) {
      const byte = chunk[at] ?? 0;
      switch (this.#state) {
        case STRING: {
          let seen = 0;
          while (at < end && STOPS[chunk[at] ?? 0] === 0) {
            seen |= chunk[at] ?? 0;
            at += 1;
          }
          if (seen >= 0x80) this.#token.isAscii = false;
          if (at === end) continue;
          const stop = chunk[at] ?? 0;
          if (stop === QUOTE) {
            this.#endString(chunk, start, at);
          } else if (stop === BACKSLASH) {
            this.#token.hasEscape = true;
            this.#state = ESCAPE;
          } else {
            throw new MalformedJson('a control character in a string');
          }
          at += 1;
          continue;
        }
        case ESCAPE:
          if (byte === U) {
            this.#state = HEX;
            this.#hexDigits = 0;
            this.#hex = 0;
          } else if (isEscape(byte)) {
            this.#state = STRING;
          } else {
            throw new MalformedJson('an unknown escape');
          }
          at += 1;
          continue;
        case HEX: {
          const digit = hexDigit(byte);
          if (digit < 0) throw new MalformedJson('an escape without four digits');
          this.#hex = this.#hex * 16 + digit;
          this.#hexDigits += 1;
          if (this.#hexDigits === 4) {
            this.#captured?.escape();
            if (this.#hex === 0) this.#token.hasNul = true;
            if (this.#hex >= 0x80) this.#token.isAscii = false;
            this.#state = STRING;
          }
          at += 1;
          continue;
        }
        case NUMBER: {
          const next = nextInNumber(this.#number, byte);
          if (next < 0) {
            this.#endNumber(chunk, start, at);
          } else {
            this.#number = next;
            at += 1;
          }
          continue;
        }
        case LITERAL: {
          const [word, value] = this.#literal;
          if (byte !== word.charCodeAt(this.#letters)) throw new MalformedJson('an unknown word');
          this.#letters += 1;
          at += 1;
          if (this.#letters === word.length) {
            this.#captured?.word(word);
            this.#endScalar(value);
          }
          continue;
        }
        default:
      }
      at += 1;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      this.#structure(byte);
      // The token of a string is the text between its quotes.
      start = byte === QUOTE ? at : at - 1;
    }
    if (this.#state === STRING || this.#state === ESCAPE || this.#state === HEX || this.#state === NUMBER) {
      this.#keepPart(chunk, start, end);
    }
  }

  #structure(byte: number): void {
    switch (this.#state) {
      case FIRST_ITEM:
        if (byte === CLOSE_ARRAY) {
          this.#captured?.byte(byte);
          this.#close();
          return;
        }
        this.#beginItem();
        this.#beginValue(byte);
        return;
      case VALUE:
        this.#beginValue(byte);
        return;
      case FIRST_FIELD:
      case FIELD:
        if (byte === QUOTE) {
          this.#beginString(true);
          return;
        }
        if (byte !== CLOSE_OBJECT || this.#state === FIELD) throw new MalformedJson('a field has no name');
        this.#captured?.byte(byte);
        this.#close();
        return;
      case COLON:
        if (byte !== COLON_SIGN) throw new MalformedJson('a field has no value');
        this.#captured?.byte(byte);
        this.#state = VALUE;
        return;
      case NEXT: {
        const isArray = this.#isInArray();
        this.#captured?.byte(byte);
        if (byte === COMMA) {
          if (isArray) this.#beginItem();
          this.#state = isArray ? VALUE : FIELD;
        } else if (byte === (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) {
          this.#close();
        } else {
          throw new MalformedJson('two values without a comma');
        }
        return;
      }
      default:
        throw new MalformedJson('more than one value');
    }
  }

  #isInArray(): boolean {
    const skipped = this.#skipped;
    return skipped !== null && skipped.depth > 0 ? skipped.isInArray() : this.#frame?.isArray === true;
  }

  #isSkipping(): boolean {
    return this.#skipped !== null && this.#skipped.depth > 0;
  }

  #beginItem(): void {
    if (this.#isSkipping()) {
      this.#skipped?.item();
      return;
    }
    const frame = this.#frame;
    const array = frame?.shape.array;
    if (frame === null || array === undefined) return;
    frame.count += 1;
    // Keeps one item more than `maxItems`, so that the schema refuses the list as too long.
    this.#isKept = frame.count <= array.maxItems + 1;
    this.#shape = this.#isKept ? array.items : UNKNOWN;
  }

  #beginValue(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#beginString(false);
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#open(byte === OPEN_ARRAY);
        return;
      default:
    }
    this.#token.begin(false);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#number = beginNumber(byte);
      this.#state = NUMBER;
      return;
    }
    const literal = LITERALS.get(byte);
    if (literal === undefined) throw new MalformedJson('no value');
    this.#literal = literal;
    this.#letters = 1;
    this.#state = LITERAL;
  }

  #open(isArray: boolean): void {
    const depth = this.#frames.length + (this.#skipped?.depth ?? 0);
    if (depth >= MAX_DEPTH) throw new MalformedJson('nested too deep');
    this.#state = isArray ? FIRST_ITEM : FIRST_FIELD;
    const { object, record, array, isClientObject } = this.#shape;
    if (!this.#isSkipping() && this.#isKept) {
      const names = object === undefined ? null : fieldNames(object);
      if (isArray ? array !== undefined : names !== null || record !== undefined) {
        this.#count();
        const frame = { into: isArray ? [] : {}, shape: this.#shape, isArray, names, key: '', count: 0 };
        this.#frames.push(frame);
        this.#frame = frame;
        return;
      }
      if (isClientObject === true && !isArray) {
        this.#clientObject ??= new ClientObjectText();
        this.#captured = this.#clientObject;
        this.#captured.begin();
      }
    }
    this.#skipped ??= new SkippedValue(MAX_DEPTH);
    if (this.#skipped.depth === 0) this.#withNul = undefined;
    this.#skipped.open(isArray);
    this.#captured?.byte(isArray ? OPEN_ARRAY : OPEN_OBJECT);
  }

  #close(): void {
    const skipped = this.#skipped;
    if (skipped !== null && skipped.depth > 0) {
      const isArray = skipped.isInArray();
      skipped.depth -= 1;
      this.#state = NEXT;
      if (skipped.depth === 0) this.#endSkipped(isArray);
      return;
    }
    const frame = this.#frames.pop();
    if (frame === undefined) throw new MalformedJson('nothing to close');
    this.#frame = this.#frames.at(-1) ?? null;
    this.#put(frame.into);
  }

  #endSkipped(isArray: boolean): void {
    const captured = this.#captured;
    this.#captured = null;
    if (!this.#isKept) {
      this.#dropped();
    } else if (captured !== null) {
      const [value, bytes] = captured.end();
      this.#hold(bytes);
      this.#count();
      this.#put(value);
    } else {
      this.#count();
      const empty = isArray ? ((this.#skipped?.items ?? 0) > 0 ? [null] : []) : {};
      this.#put(this.#withNul ?? empty);
    }
    this.#withNul = undefined;
  }

  #beginString(isKey: boolean): void {
    this.#token.begin(isKey);
    this.#state = STRING;
  }

  #endString(chunk: Buffer, start: number, end: number): void {
    this.#captured?.string(this.#token, chunk, start, end);
    if (this.#token.isKey) {
      this.#endKey(chunk, start, end);
      this.#state = COLON;
      return;
    }
    if (this.#isSkipping()) {
      if (this.#token.hasNul && this.#captured === null) this.#noteNul(false);
      this.#state = NEXT;
      return;
    }
    if (!this.#isKept) {
      if (this.#token.hasNul) this.#noteNul(false);
      this.#dropped();
      this.#withNul = undefined;
      return;
    }
    const maxText = this.#shape.maxText;
    const bytes = this.#token.bytesBefore + end - start;
    if (maxText !== undefined && bytes > maxText * BYTES_OF_CODE_POINT) {
      this.#endScalar(longText(maxText, this.#token.hasNul));
      return;
    }
    const text = this.#token.text(chunk, start, end);
    this.#hold(text.length * 2);
    this.#endScalar(text);
  }

  #endKey(chunk: Buffer, start: number, end: number): void {
    const frame = this.#frame;
    if (this.#isSkipping()) {
      const [bytes, from, to] = this.#token.bytes(chunk, start, end);
      if (this.#captured === null) {
        if (this.#token.hasNul) this.#noteNul(true);
        this.#skipped?.name(bytes, from, to);
      }
      return;
    }
    if (frame === null) throw new MalformedJson('a name outside of an object');
    const { record } = frame.shape;
    if (frame.names === null && record !== undefined) {
      frame.key = this.#token.name(chunk, start, end, MAX_NAME_BYTES);
      frame.count += 1;
      this.#isKept = frame.count <= record.maxEntries + 1;
      this.#shape = this.#isKept ? record.entries : UNKNOWN;
      if (this.#isKept) this.#hold(frame.key.length * 2);
      return;
    }
    const [bytes, from, to] = this.#token.bytes(chunk, start, end);
    const known = this.#token.hasEscape
      ? frame.names?.byName(this.#token.name(chunk, start, end, MAX_NAME_BYTES))
      : frame.names?.find(bytes, from, to);
    if (known !== undefined) {
      frame.key = known.name;
      this.#shape = known.shape;
      this.#isKept = true;
      return;
    }
    this.#shape = UNKNOWN;
    this.#isKept = false;
    if (this.#token.hasNul && !Array.isArray(frame.into)) frame.into['\u0000'] = null;
    const length = Math.min(to - from, this.#unknownName.length);
    for (let index = 0; index < length; index += 1) this.#unknownName[index] = bytes[from + index] ?? 0;
    this.#unknownNameBytes = length;
  }

  #dropped(): void {
    const frame = this.#frame;
    this.#state = NEXT;
    if (frame === null || Array.isArray(frame.into) || frame.names === null) return;
    if (frame.shape.object?.unknown !== 'refuse' && this.#withNul === undefined) return;
    if (frame.count >= MAX_REFUSED_FIELDS) return;
    frame.count += 1;
    const name = readableName(this.#unknownName, 0, this.#unknownNameBytes);
    setOwn(frame.into, name, this.#withNul ?? null);
  }

  /** Records a NUL in the current value, up to `MAX_NULS` per body. */
  #noteNul(isInName: boolean): void {
    if (this.#withNul !== undefined || this.#nulsLeft === 0) return;
    this.#nulsLeft -= 1;
    this.#withNul = this.#isSkipping() ? this.#skipped?.standInWithNul(isInName) : '\u0000';
  }

  #endNumber(chunk: Buffer, start: number, end: number): void {
    if (!isNumberWhole(this.#number)) throw new MalformedJson('a number that breaks off');
    this.#captured?.token(this.#token, chunk, start, end);
    if (this.#isSkipping() || !this.#isKept) {
      this.#endScalar(null);
      return;
    }
    const isLong = this.#token.bytesBefore + end - start > MAX_NUMBER_BYTES;
    const [bytes, from, to] = this.#token.bytes(chunk, start, end);
    this.#endScalar(isLong ? Number.POSITIVE_INFINITY : Number(bytes.toString('latin1', from, to)));
  }

  #endScalar(value: unknown): void {
    if (this.#isSkipping()) {
      this.#state = NEXT;
    } else if (!this.#isKept) {
      this.#dropped();
    } else {
      this.#count();
      this.#put(value);
    }
  }

  #put(value: unknown): void {
    const frame = this.#frame;
    if (frame === null) {
      this.#root = value;
      this.#state = DONE;
      return;
    }
    if (Array.isArray(frame.into)) frame.into.push(value);
    else if (frame.names === null) setOwn(frame.into, frame.key, value);
    else frame.into[frame.key] = value;
    this.#state = NEXT;
  }

  #count(): void {
    this.#valuesLeft -= 1;
    this.#hold(BYTES_OF_VALUE);
    if (this.#valuesLeft < 0) throw new BodyTooLarge(this.#place());
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes > this.#maxHeldBytes) throw new BodyTooLarge(this.#place());
  }

  #place(): string {
    return this.#frames.reduce((path, { isArray, key, count }) => {
      if (isArray) return `${path}[${Math.max(0, count - 1)}]`;
      return path === '' || key === '' ? path + key : `${path}.${key}`;
    }, '');
  }

  #keepPart(chunk: Buffer, start: number, end: number): void {
    this.#token.keepPart(chunk, Math.min(start, end), end, this.#mostBytesOfToken());
    if (this.memoryBytes > this.#maxHeldBytes) throw new BodyTooLarge(this.#place());
  }

  #mostBytesOfToken(): number {
    if (this.#captured !== null) return MAX_ESCAPED_BYTES;
    if (this.#state === NUMBER) return MAX_NUMBER_BYTES;
    if (this.#token.isKey) return MAX_NAME_BYTES;
    if (this.#isSkipping() || !this.#isKept) return -1;
    const { maxText } = this.#shape;
    return maxText === undefined ? Number.POSITIVE_INFINITY : maxText * BYTES_OF_CODE_POINT;
  }
}

const EMPTY = Buffer.alloc(0);
const mostOfShape = new WeakMap<BodyShape, number>();

const mostValuesOf = (shape: BodyShape): number => {
  const known = mostOfShape.get(shape) ?? mostValues(shape);
  mostOfShape.set(shape, known);
  return known;
};

/** Uses defineProperty because a client's field may be named `__proto__`. */
const setOwn = (into: object, name: string, value: unknown): void => {
  Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
};

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const isEscape = (byte: number): boolean => ESCAPES.has(byte);
