/*
 * Bounds the structure of a JSON body while its bytes arrive, before it is parsed. JSON.parse takes time and memory for
 * each value: 12 million `{}` in 34 MB take 26 s and a gigabyte. The bytes are only counted here; JSON.parse finds out
 * later whether they are JSON.
 */

export interface StructureLimits {
  /** Number of items and fields of all lists and objects together; an empty list or object counts once more. */
  values: number;
  /** Number of fields of one object. */
  fields: number;
  /** Number of lists and objects within each other. */
  depth: number;
  /** Bytes of one text as it is written, escapes included. */
  textBytes: number;
}

/** A body has more than any valid request of its procedure. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly excess: 'bytes' | 'values' | 'fields' | 'levels' | 'text';

  constructor(excess: BodyTooLarge['excess']) {
    super('The body is larger than any valid request.');
    this.excess = excess;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * @returns a function that takes the chunks of one body in their order and returns the number of values so far. It
 * throws BodyTooLarge.
 */
export const countStructure = (limits: StructureLimits): ((chunk: Uint8Array) => number) => {
  let values = 0;
  /** For each open object the number of its fields, less one; NaN for an open list. */
  const open: number[] = [];
  let textBytes = 0;
  let isInText = false;
  let isEscaped = false;

  /** @returns the index after the text, or the length of the chunk if the text goes on */
  const skipText = (chunk: Uint8Array, from: number): number => {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        isInText = false;
        break;
      }
    }
    textBytes += at - from;
    if (textBytes > limits.textBytes) throw new BodyTooLarge('text');
    return at + 1;
  };

  return (chunk) => {
    let at = isInText ? skipText(chunk, 0) : 0;
    while (at < chunk.length) {
      const byte = chunk[at];
      at += 1;
      if (byte === QUOTE) {
        isInText = true;
        textBytes = 0;
        at = skipText(chunk, at);
      } else if (byte === COMMA) {
        values += 1;
        const fields = (open.pop() ?? NaN) + 1;
        if (fields >= limits.fields) throw new BodyTooLarge('fields');
        open.push(fields);
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        values += 1;
        open.push(byte === OPEN_LIST ? NaN : 0);
        if (open.length > limits.depth) throw new BodyTooLarge('levels');
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        open.pop();
      }
    }
    if (values > limits.values) throw new BodyTooLarge('values');
    return values;
  };
};
