import { t } from '../app/language.ts';

/** Least number of characters of a password. Core decides; the pages check it before they send a password. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 200;

/** What is wrong with a new password, in the language of the page; null if nothing is. */
export const problemOfPassword = (password: string): string | null =>
  [...password].length < MIN_PASSWORD ? t('people.password.tooShort', { count: MIN_PASSWORD }) : null;
