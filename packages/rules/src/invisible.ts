/**
 * Characters that take no room and say nothing: zero-width spaces and joiners, soft hyphens, marks of writing direction,
 * variation selectors. Nobody sees whether they typed one, and a copied text often carries some.
 */
export const withoutInvisible = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/**
 * Text without the characters that turn the direction of writing: marks, embeddings, overrides, isolates. With them a text
 * is shown in another order than it has: "0/5" as "5/0". English needs none.
 */
export const withoutDirection = (text: string): string =>
  text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '');

/** Nothing that can be seen: empty, white space of any kind, or characters without a shape (docs/api/submissions.md#typed-answers). */
export const isBlankText = (text: string): boolean => withoutInvisible(text).trim() === '';
