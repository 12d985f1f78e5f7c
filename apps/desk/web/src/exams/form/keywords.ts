/*
 * Keywords of a criterion as one text: separated by commas. A keyword with a comma or a quotation mark is put in
 * quotation marks, and each quotation mark within is doubled. So a stored keyword such as "2,4-D" stays one keyword.
 */

export const textOfKeywords = (keywords: readonly string[]): string =>
  keywords
    .map((keyword) => (/[",]/.test(keyword) ? `"${keyword.replaceAll('"', '""')}"` : keyword))
    .join(', ');

const KEYWORD = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g;

export const keywordsIn = (text: string): string[] =>
  [...text.matchAll(KEYWORD)]
    .map(([, quoted, plain]) => (quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"')).trim())
    .filter((keyword) => keyword !== '');
