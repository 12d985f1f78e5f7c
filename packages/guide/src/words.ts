import { stemmer } from 'stemmer';

/** Characters of a text that are read; an answer of the API has at most as many. */
const LONGEST_TEXT = 20_000;
/** Longer words are cut, since the stemmer's patterns are slow on them. */
const LONGEST_WORD = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Pattern of ASCII texts, whose words `ASCII_WORD` finds several times faster than `WORD`. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/** Words without content. Negations are not among them, because they reverse the meaning of a text. */
const STOP_WORDS = new Set(
  (
    'a about also am an and are as at be because been being but by could did do does for from had has have he her his ' +
    'i if in into is it its me my of on or our she so such than that the their them then there these they this those to ' +
    'us very was we were what when where which while who will with would you your'
  ).split(' '),
);

/** Words of a text in lower case, without punctuation and apostrophes. */
export const wordsOf = (text: string): string[] => {
  const cut = text.slice(0, LONGEST_TEXT);
  const words = ASCII.test(cut)
    ? cut.toLowerCase().replaceAll("'", '').match(ASCII_WORD)
    : cut.normalize('NFKC').toLowerCase().replace(/['’]/gu, '').match(WORD);
  return (words ?? []).map((word) => (word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD) : word));
};

export const stemOf = (word: string): string => stemmer(word);

/** Distinct stems of the content words, sorted. Texts with no content word keep all their words. */
export const contentStems = (text: string): string[] => {
  const words = wordsOf(text);
  const content = words.filter((word) => !STOP_WORDS.has(word));
  return [...new Set((content.length > 0 ? content : words).map(stemOf))].toSorted();
};
