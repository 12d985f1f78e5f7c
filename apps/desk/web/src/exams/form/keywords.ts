/*
 * Keywords of a criterion as one text: separated by commas. A keyword that contains a comma or a quotation mark stands
 * in quotation marks, and a quotation mark within is doubled, so that a stored keyword such as "2,4-D" stays one.
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
