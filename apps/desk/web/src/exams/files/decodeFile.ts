import type { FileProblem } from './problems.ts';

/**
 * What a chosen file holds. `isDoubtful`: the bytes are no UTF-8 and are read as Windows-1252, which takes any bytes;
 * only a person can tell whether the names are right.
 */
type Decoded =
  | { kind: 'text'; text: string; isDoubtful: boolean }
  | { kind: 'workbook' }
  | { kind: 'refused'; problem: FileProblem };

/** More than 2,000 rows of long answers; a larger file would stop the page while it is read. */
export const MOST_BYTES = 20_000_000;

const refused = (code: FileProblem['code']): Decoded => ({ kind: 'refused', problem: { line: 1, code } });

const beginsWith = (bytes: Uint8Array, ...begin: number[]): boolean =>
  begin.every((byte, at) => bytes[at] === byte);

/** @returns null if the bytes are not of the encoding */
const decoded = (encoding: string, bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** Text in UTF-16 has a zero byte beside each ASCII character: before it (`utf-16be`) or behind it (`utf-16le`). */
const utf16WithoutMark = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null => {
  const start = bytes.subarray(0, 1000);
  const zeros = [0, 1].map((odd) => start.filter((byte, at) => byte === 0 && at % 2 === odd).length);
  const [even = 0, odd = 0] = zeros;
  if (bytes.length % 2 !== 0 || even + odd < start.length / 5) return null;
  if (even === 0) return 'utf-16le';
  return odd === 0 ? 'utf-16be' : null;
};

/** Finds the encoding of a file: by its mark, else UTF-8, else UTF-16, else Windows-1252 in doubt. */
export const decodeFile = (bytes: Uint8Array): Decoded => {
  if (bytes.length > MOST_BYTES) return refused('too_large');
  if (beginsWith(bytes, 0x50, 0x4b, 0x03, 0x04)) return { kind: 'workbook' };
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return refused('old_workbook');
  const marked = markedEncoding(bytes) ?? utf16WithoutMark(bytes);
  const text = decoded(marked ?? 'utf-8', bytes);
  if (text?.includes('\0') === true) return refused('no_text');
  if (text !== null) return { kind: 'text', text, isDoubtful: false };
  if (marked !== null || bytes.includes(0)) return refused('no_text');
  const guessed = decoded('windows-1252', bytes);
  return guessed === null ? refused('no_text') : { kind: 'text', text: guessed, isDoubtful: true };
};

const markedEncoding = (bytes: Uint8Array): string | null => {
  if (beginsWith(bytes, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (beginsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  return beginsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : null;
};

/** The first words of a text with a character beyond ASCII, which show whether the encoding was guessed rightly. */
export const doubtfulWords = (text: string, most = 6): string[] => {
  const cells = text.split(/[\r\n;,\t"|]+/).filter((cell) => /\P{ASCII}/u.test(cell));
  return [...new Set(cells.map((cell) => cell.trim().slice(0, 60)))].slice(0, most);
};
