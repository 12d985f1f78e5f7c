/** Removes zero-width spaces and joiners, soft hyphens, marks of writing direction and variation selectors. */
export const withoutInvisible = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** Removes characters that turn the direction of writing and would show "0/5" as "5/0". English needs none. */
export const withoutDirection = (text: string): string =>
  text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '');

/** Whether a text shows nothing: it is empty or has only white space and invisible characters. */
export const isBlankText = (text: string): boolean => withoutInvisible(text).trim() === '';
