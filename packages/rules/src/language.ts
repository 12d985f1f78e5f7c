const DEVANAGARI = /(?=\p{L})\p{Script=Devanagari}/gu;

/**
 * docs/api/submissions.md#typed-answers: whether more than 20% of the letters of an answer are Devanagari. Letters are what Unicode calls so
 * (general category L), of any script. Vowel signs, the virama and the nukta are marks and no letters, and neither are
 * digits and dandas: कि is one letter, as क is, however it is encoded.
 */
export const isMostlyDevanagari = (text: string): boolean => {
  const devanagari = count(text, DEVANAGARI);
  // Five times, not a share of 0.2: whole numbers leave no doubt at exactly 20%.
  return devanagari > 0 && devanagari * 5 > count(text, /\p{L}/gu);
};

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
