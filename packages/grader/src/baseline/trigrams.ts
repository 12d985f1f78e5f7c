/** Distinct three-letter parts of a word, with a space before and behind it. */
export const trigramsOf = (word: string): string[] => {
  const padded = ` ${word.toLowerCase()} `;
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  return [...trigrams];
};

/**
 * Smallest Dice coefficient of two related words: misspelt, inflected or derived forms of one word. Words below it
 * share letters by chance; if they counted, a long answer would contain the letters of any text.
 */
const RELATED = 0.4;

/**
 * Most words that are compared by letters, the first ones of a text. Bounds the time for hostile texts of similar
 * words.
 */
const MOST_EXPECTED = 200;
const MOST_ANSWERED = 500;

/** Share of the trigrams of the expected words that occur in related words of an answer, 0..1. */
export const lettersFound = (expected: readonly string[], answer: readonly (readonly string[])[]): number => {
  const sizes: number[] = [];
  /** Indices of the expected words that contain a trigram, by trigram. */
  const places = new Map<string, number[]>();
  for (const [place, word] of expected.slice(0, MOST_EXPECTED).entries()) {
    const trigrams = trigramsOf(word);
    sizes.push(trigrams.length);
    for (const trigram of trigrams) {
      const known = places.get(trigram);
      if (known === undefined) places.set(trigram, [place]);
      else known.push(place);
    }
  }
  const found = new Set<string>();
  for (const trigrams of answer.slice(0, MOST_ANSWERED)) {
    const shared = new Uint16Array(sizes.length);
    for (const trigram of trigrams) {
      for (const place of places.get(trigram) ?? []) shared[place] = (shared[place] ?? 0) + 1;
    }
    const isRelated = shared.some(
      (count, place) => (2 * count) / (trigrams.length + (sizes[place] ?? 0)) >= RELATED,
    );
    if (isRelated) for (const trigram of trigrams) if (places.has(trigram)) found.add(trigram);
  }
  return places.size === 0 ? 0 : found.size / places.size;
};
