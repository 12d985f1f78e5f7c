import type { Box } from '../grader.ts';
import { readLabel } from './labels.ts';

export interface Line {
  text: string;
  box: Box;
}

/**
 * What OCR makes of a sheet's own furniture - margin lines, ruled lines, punch holes, specks - taken off the lines of
 * writing. Every rule stands for something seen on scanned booklets; the tests show them.
 */
export function cleanLines<L extends Line & { confidence: number }>(lines: readonly L[]): L[] {
  return lines.map((line) => ({ ...line, text: cleanText(line.text) })).filter((line) => !isNoise(line));
}

/** "id | constant" and "® the same": the margin line, and what stood on its other side. */
function cleanText(text: string): string {
  const pipe = /^(\S{0,3})\s*[|¦]+\s*/u.exec(text);
  const beyondMargin =
    pipe?.[1] !== undefined && readLabel(`${pipe[1]} x`) === null ? text.slice(pipe[0].length) : text;
  return beyondMargin
    .replace(/\s[|¦]+\s/gu, ' ')
    .replace(/^(?:[®©»«—–°•~_[\];:.,|¦]+\s+)+/u, '')
    .replace(/(?:\s+[|¦:;.,~_)\-–—]+)+$/u, '')
    .trim();
}

const UNSURE = 0.5;
const LOST = 0.15;
const SHORT = 12;

/** Ruled but empty paper reads as short scraps that the engine itself does not believe; formulas are kept. */
function isNoise({ text, confidence }: { text: string; confidence: number }): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (text.includes('=') || readLabel(text)?.kind === 'strong') return false;
  return confidence < LOST || (confidence < UNSURE && text.length <= SHORT);
}

/** Printed words of a booklet's head, and the boxes for a roll number, however OCR spells them. */
const HEAD_WORDS =
  /^\W*(?:\w{1,2}\s+)?(?:roll\s*n[o0]|page\s*(?:no)?\W*\d|candidate|reg(?:istration|n)?\W*n[o0]|name\s*:|subject\s*:|class\s*:|date\s*:|.*\bexamination\b|answer\s+(?:booklet|sheet|book)|maximum\s+marks|write\s+on\s+both\s+sides|for\s+the\s+examiner)/iu;
const PAGE_NUMBER = /\bpage\W{0,6}\d{0,4}\W{0,6}\w?\s{0,6}$/iu;
const DIGIT_BOXES = /(?:[\][|¦{}]+\s*[\do¢]\s*){3,}|(?:[\do¢]\s*[\][|¦{}]+\s*){3,}/iu;

/** A running head stands in this share of the page; the head of a booklet's first page is larger. */
const HEAD_HEIGHT = 0.12;
const FIRST_HEAD_HEIGHT = 0.4;

/** Leaves out the printed head of a page: above the first label it belongs to no answer. */
export function withoutHead<L extends Line>(page: number, lines: readonly L[]): L[] {
  const height = page === 1 ? FIRST_HEAD_HEIGHT : HEAD_HEIGHT;
  const firstLabel = lines.findIndex(({ text }) => readLabel(text) !== null);
  return lines.filter(({ text, box }, index) => {
    if ((firstLabel !== -1 && index >= firstLabel) || box.y + box.height > height) return true;
    return !(HEAD_WORDS.test(text) || PAGE_NUMBER.test(text) || DIGIT_BOXES.test(text));
  });
}
