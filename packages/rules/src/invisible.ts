/**
 * Removes characters without a visible shape: zero-width spaces and joiners, soft hyphens, marks of writing direction,
 * variation selectors. Copied texts often contain them.
 */
export const withoutInvisible = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * Removes marks, embeddings, overrides and isolates of writing direction. They would show a text in another order:
 * "0/5" as "5/0". English needs none of them.
 */
export const withoutDirection = (text: string): string =>
  text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '');

/** Whether a text shows nothing: it is empty or has only white space and invisible characters. */
export const isBlankText = (text: string): boolean => withoutInvisible(text).trim() === '';
