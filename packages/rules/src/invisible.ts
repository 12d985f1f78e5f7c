/**
 * Characters that take no room and say nothing: zero-width spaces and joiners, soft hyphens, marks of writing direction,
 * variation selectors. Nobody sees whether they typed one, and a copied text often carries some.
 */
export const withoutInvisible = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** Nothing that can be seen: empty, white space of any kind, or characters without a shape (spec 4.7, rule 5). */
export const isBlankText = (text: string): boolean => withoutInvisible(text).trim() === '';
