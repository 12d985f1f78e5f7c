import type { Random } from '../../../tests/harness/seededRandom.ts';

/** A damaged copy of a PDF: some bytes, parts or numbers of it are changed. */
export const mutated = (pdf: Buffer, random: Random): Buffer => {
  let bytes = Buffer.from(pdf);
  const times = 1 + Math.floor(random() * 4);
  for (let nth = 0; nth < times; nth += 1) bytes = Buffer.from(once(bytes, random));
  return bytes;
};

const once = (bytes: Buffer, random: Random): Buffer => {
  const at = Math.floor(random() * bytes.length);
  const length = 1 + Math.floor(random() ** 3 * Math.min(bytes.length - at, 20_000));
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([before, noise(part.length, random), after]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, part, part, after]);
    case 3:
      // Keeps the head, without which no reader would look at the file.
      return bytes.subarray(0, Math.max(at, 200));
    case 4:
      return replaceOne(bytes, /\d+/g, STRANGE_NUMBERS, random);
    case 5:
      return replaceOne(bytes, /\/[A-Z]\w+/g, NAMES, random);
    default: {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return flipped;
    }
  }
};

const STRANGE_NUMBERS = ['0', '-1', '2147483647', '4294967296', '99999999999999999999', '1e9', '0.0000001'];
const NAMES = [
  '/Kids',
  '/Parent',
  '/Length',
  '/Filter',
  '/FlateDecode',
  '/DCTDecode',
  '/ObjStm',
  '/Pages',
  '/MediaBox',
];

const replaceOne = (bytes: Buffer, pattern: RegExp, by: readonly string[], random: Random): Buffer => {
  const text = bytes.toString('latin1');
  const found = [...text.matchAll(pattern)];
  const match = found[Math.floor(random() * found.length)];
  if (match === undefined) return bytes;
  const replacement = by[Math.floor(random() * by.length)] ?? '';
  return Buffer.from(
    text.slice(0, match.index) + replacement + text.slice(match.index + match[0].length),
    'latin1',
  );
};

const noise = (length: number, random: Random): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
