/** Spec 4.7, rule 5: an answer with more than 20% Devanagari letters is refused. The share is over letters. */
const MAX_DEVANAGARI_SHARE = 0.2;

export const isMostlyDevanagari = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const devanagari = text.match(/\p{Script=Devanagari}/gu)?.filter((char) => /\p{L}/u.test(char)).length ?? 0;
  return letters > 0 && devanagari / letters > MAX_DEVANAGARI_SHARE;
};
