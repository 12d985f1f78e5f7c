/** Least number of characters of a password. Core decides; the pages say it before they send one. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 200;

export const isTooShort = (password: string): boolean => [...password].length < MIN_PASSWORD;
