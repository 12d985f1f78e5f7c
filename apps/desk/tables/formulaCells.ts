/*
 * Cells of CSV files, written by the desk's server and its page, and read by the page's importer. A spreadsheet
 * computes a cell that begins like a formula, also behind white space or a line break, and with full-width signs
 * (OWASP, "CSV Injection"). Such a cell gets an apostrophe, and the importer takes it off again.
 */

/** What a cell must not begin with; apostrophes count, so that taking one off gives the text as written. */
export const BEGINS_LIKE_FORMULA = /^'*\s*[=+\-@\t\r＝＋－＠]/;

/** @returns the text that was written; other texts stay as they are */
export const withoutApostrophe = (cell: string): string =>
  cell.startsWith("'") && BEGINS_LIKE_FORMULA.test(cell) ? cell.slice(1) : cell;
