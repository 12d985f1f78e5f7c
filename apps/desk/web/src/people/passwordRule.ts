/** Least number of characters of a password. Core decides; the pages check it before they send a password. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 200;

export const isTooShort = (password: string): boolean => [...password].length < MIN_PASSWORD;
