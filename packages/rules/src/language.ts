const DEVANAGARI = /(?=\p{L})\p{Script=Devanagari}/gu;

/**
 * Whether more than 20% of the letters of an answer are Devanagari (docs/api/submissions.md#typed-answers). Letters are
 * the Unicode general category L of any script. Vowel signs, virama and nukta are marks, so कि is one letter, like क,
 * in any encoding. Digits and dandas are not letters either.
 */
export const isMostlyDevanagari = (text: string): boolean => {
  const devanagari = count(text, DEVANAGARI);
  // Whole numbers make the comparison exact at 20%.
  return devanagari > 0 && devanagari * 5 > count(text, /\p{L}/gu);
};

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
