import type { FileProblem } from './problems.ts';

/** `#N/A`, `#REF!`, `#NAME?` and their translations, and a number that did not fit its column. */
const EXCEL_ERROR = /^#(?:N\/A|NV|[\p{Lu}¡¿/0_]+[!?]|#+)$/u;

/**
 * A number that a spreadsheet has shortened, such as `1.2E+11`. `1E5` is none: spreadsheets write a sign or decimals,
 * and it is an id of class 1E.
 */
const SHORTENED_NUMBER = /^[+-]?\d(?:[.,]\d+)?E\+\d+$|^[+-]?\d[.,]\d+E-?\d+$/i;

/** First character of a date in a workbook; a control character, which no cell has. */
export const DATE_MARK = '\u0001';

/** What a spreadsheet or a wrong encoding has made of a cell; null for other texts. */
export const damageOf = (cell: string): FileProblem['code'] | null => {
  if (cell.includes('\uFFFD')) return 'broken_text';
  if (cell.startsWith(DATE_MARK)) return 'changed_date';
  return EXCEL_ERROR.test(cell) ? 'excel_error' : null;
};

/**
 * A text of a person with letters that a wrong encoding has replaced: question marks in a row, or the pairs that UTF-8
 * becomes when it is read as Windows-1252 (`JosÃ©`, `à¤†`).
 */
export const hasLostLetters = (text: string): boolean => /\?\?|[ÃÂ][\u0080-\u00BF]|à[¤¥]/.test(text);

export const isShortenedNumber = (cell: string): boolean => SHORTENED_NUMBER.test(cell);
