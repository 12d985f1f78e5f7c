import type { Box } from '../grader.ts';
import { readLabel } from './labels.ts';

export interface Line {
  text: string;
  box: Box;
}

/** Removes what OCR reads from the paper itself: margin lines, ruled lines, punch holes, specks. */
export const cleanLines = <L extends Line & { confidence: number }>(lines: readonly L[]): L[] =>
  lines.map((line) => ({ ...line, text: cleanText(line.text) })).filter((line) => !isNoise(line));

/** Removes the margin line and anything on its other side: "id | constant", "® the same". */
const cleanText = (text: string): string => {
  const pipe = /^(\S{0,3})\s*[|¦]+\s*/u.exec(text);
  const beyondMargin =
    pipe?.[1] !== undefined && readLabel(`${pipe[1]} x`) === null ? text.slice(pipe[0].length) : text;
  return beyondMargin
    .replace(/\s[|¦]+\s/gu, ' ')
    .replace(/^(?:[®©»«—–°•~_[\];:.,|¦]+\s+)+/u, '')
    .replace(/(?:\s+[|¦:;.,~_)\-–—]+)+$/u, '')
    .trim();
};

const UNSURE = 0.5;
const LOST = 0.15;
const SHORT = 12;

/** OCR reads empty ruled paper as short texts of low confidence. Formulas are kept. */
const isNoise = ({ text, confidence }: { text: string; confidence: number }): boolean => {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (text.includes('=') || readLabel(text)?.kind === 'strong') return false;
  return confidence < LOST || (confidence < UNSURE && text.length <= SHORT);
};

/** Words of a booklet's printed head and of the boxes for a roll number, in the spellings that OCR gives. */
const HEAD_WORDS =
  /^\W*(?:\w{1,2}\s+)?(?:roll\s*n[o0]|page\s*(?:no)?\W*\d|candidate|reg(?:istration|n)?\W*n[o0]|name\s*:|subject\s*:|class\s*:|date\s*:|.*\bexamination\b|answer\s+(?:booklet|sheet|book)|maximum\s+marks|write\s+on\s+both\s+sides|for\s+the\s+examiner)/iu;
const PAGE_NUMBER = /\bpage\W{0,6}\d{0,4}\W{0,6}\w?\s{0,6}$/iu;
const DIGIT_BOXES = /(?:[\][|¦{}]+\s*[\do¢]\s*){3,}|(?:[\do¢]\s*[\][|¦{}]+\s*){3,}/iu;

/** Height of a running head as a share of the page. The head of a booklet's first page is larger. */
const HEAD_HEIGHT = 0.12;
const FIRST_HEAD_HEIGHT = 0.4;

/** Removes the printed head of a page above the first label; it belongs to no answer. */
export const withoutHead = <L extends Line>(page: number, lines: readonly L[]): L[] => {
  const height = page === 1 ? FIRST_HEAD_HEIGHT : HEAD_HEIGHT;
  const firstLabel = lines.findIndex(({ text }) => readLabel(text) !== null);
  return lines.filter(({ text, box }, index) => {
    if ((firstLabel !== -1 && index >= firstLabel) || box.y + box.height > height) return true;
    return !(HEAD_WORDS.test(text) || PAGE_NUMBER.test(text) || DIGIT_BOXES.test(text));
  });
};
