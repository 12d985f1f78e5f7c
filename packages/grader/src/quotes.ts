import type { JudgeRequest } from './grader.ts';

/**
 * Finds a quotation in a text. Case, spacing, quotation marks and dashes are normalized; "…" matches omitted words.
 * @returns its position as a fraction of the length (0 start, 1 end); null if not found
 */
export const locateQuote = (quote: string, text: string): number | null => {
  const parts = quote
    .split(/…|\.{3,}/)
    .map(level)
    .filter((part) => part !== '');
  const haystack = level(text);
  let from = 0;
  let first: number | null = null;
  for (const part of parts) {
    const at = haystack.indexOf(part, from);
    if (at < 0) return null;
    first ??= at;
    from = at + part.length;
  }
  return first === null ? null : first / haystack.length;
};

export const locateInBlocks = (
  quote: string,
  blocks: JudgeRequest['answer']['blocks'],
): { block: number; offset: number } | null => {
  for (const [block, { text }] of blocks.entries()) {
    const offset = locateQuote(quote, text);
    if (offset !== null) return { block, offset };
  }
  return null;
};

const level = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201C\u201D"'`]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
