/*
 * Cells of CSV files, written by the desk's server and its page, and read by the page's importer. A spreadsheet
 * computes a cell that begins like a formula, also behind white space or a line break, and with full-width signs
 * (OWASP, "CSV Injection"). It takes other texts for numbers, dates or times: `007` becomes 7, `1E5` 100000 and `3-5` a
 * day in May. Such a cell gets an apostrophe, and the importer takes it off again. Apostrophes at its beginning count,
 * so that taking one off gives the text as written. Cells that are numbers, such as marks, stay as they are.
 */

const FORMULA = /^'*\s*[=+\-@\t\r＝＋－＠]/;

/** Digits of at most 11 places without leading zeros stay the same in a spreadsheet. */
const NUMBER = /^'*(?!(?:0|[1-9]\d{0,10})$)(?:\d[\d.,:/% -]*|[.,]\d+)(?:E[+-]?\d+|(?<=\d) ?[ap]m?)?$/i;

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const NAMED_DATE = `^'*(?:\\d{1,4}[ /-]?${MONTH}|${MONTH}[ /-]?\\d{1,4})(?:[ ,/-]+\\d{1,4})?$`;

/** What a spreadsheet computes or changes. */
export const CHANGED_BY_SPREADSHEET = new RegExp(
  [FORMULA.source, NUMBER.source, NAMED_DATE, "^'*(?:true|false)$"].join('|'),
  'i',
);

/** `="007"`, with which other programs keep a text from being changed. */
const TEXT_FORMULA = /^="([^"]*)"$/;

/** @returns the text that a cell of a CSV file stands for; a text of this form itself has an apostrophe */
export const textInCsv = (cell: string): string => TEXT_FORMULA.exec(cell)?.[1] ?? withoutApostrophe(cell);

/** @returns the text that was written; other texts stay as they are */
export const withoutApostrophe = (cell: string): string =>
  cell.startsWith("'") && CHANGED_BY_SPREADSHEET.test(cell) ? cell.slice(1) : cell;
