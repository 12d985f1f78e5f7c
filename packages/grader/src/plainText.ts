import { withoutDirection } from '@evaluation/rules';

/**
 * Makes text from a model, OCR or a PDF safe to store and display: removes lone surrogates, control characters except
 * line break and tab (PostgreSQL cannot store NUL), and characters that turn the direction of writing. Keeps at most
 * `maxLength` UTF-16 units.
 */
export const plainText = (text: string, maxLength: number): string => {
  const clean = withoutDirection(text.toWellFormed())
    .replace(/\r\n?/g, '\n')
    // oxlint-disable-next-line no-control-regex -- the pattern removes control characters
    .replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '')
    .trim();
  return clean.length <= maxLength ? clean : `${clean.slice(0, maxLength - 1).toWellFormed()}…`;
};
