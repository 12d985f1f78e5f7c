/*
 * Texts that look the same on a screen: `Zoé` composed and decomposed, and texts that differ in characters that are not
 * seen or in white space.
 */

/** Characters without a width of their own that stand at the ends of cells or between letters by accident. */
const UNSEEN = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * Composes the text and takes off what cannot be seen: directions, zero-width spaces, white space at the ends. U+200C
 * and U+200D stay, because they change how letters of Hindi and other scripts are joined.
 */
export const seenText = (text: string): string => text.normalize('NFC').replaceAll(UNSEEN, '').trim();

/** @returns the same key for texts that look the same; capital and small letters differ */
export const lookOf = (text: string): string =>
  seenText(text)
    .replaceAll(/[\u200C\u200D]/g, '')
    .replaceAll(/\s+/g, ' ');
