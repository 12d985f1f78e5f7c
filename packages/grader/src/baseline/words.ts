import { parseDecimal } from '@evaluation/rules';

/** A word or number of a text, in its comparable form, and whether a "not" stands close before it. */
export interface Term {
  term: string;
  negated: boolean;
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be been being but by can could did do does for from had has have how i if in into is it its ' +
    'may might more most must of on or our over should so such than that the their them then there these they this ' +
    'those to under up was we were what when where which while who why will with would you your also about each any ' +
    'all some other one give given state explain define describe name answer question mark marks correct student point'
  ).split(' '),
);
const NEGATIONS = new Set(['not', 'no', 'never', 'without', 'neither', 'nor', 'cannot', 'hardly']);
/** "does not need any light": how far a negation reaches. */
const NEGATION_REACH = 3;

/** The terms of a text in order, stop words included, negations marked. A sentence's end ends a negation's reach. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  for (const sentence of text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.!?;](?=\s|$)|\n/u)) {
    let sinceNegation = Number.POSITIVE_INFINITY;
    for (const [word] of sentence.matchAll(
      /[-\u2212]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}\p{M}]+(?:['’]\p{L}+)?/gu,
    )) {
      if (NEGATIONS.has(word) || /n['’]t$/u.test(word)) {
        sinceNegation = 0;
        continue;
      }
      sinceNegation += 1;
      terms.push({ term: comparable(word), negated: sinceNegation <= NEGATION_REACH });
    }
  }
  return terms;
}

/** The words that carry meaning, in their first form of each, so that they can be shown. */
export function contentWords(text: string): string[] {
  const words = text.normalize('NFKC').match(/[-\u2212]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}\p{M}]+/giu) ?? [];
  const byTerm = new Map<string, string>();
  for (const word of words) {
    const plain = word.toLowerCase();
    const carries =
      !STOP_WORDS.has(plain) && !NEGATIONS.has(plain) && (plain.length > 2 || /\d/u.test(plain));
    const term = comparable(plain);
    if (carries && !byTerm.has(term)) byTerm.set(term, word);
  }
  return [...byTerm.values()];
}

/** The terms that carry meaning, each once. */
export function contentTerms(text: string): string[] {
  return contentWords(text).map((word) => comparable(word.toLowerCase()));
}

/** 9.80 and 9.8 are one number; plants, planting and planted are one word. */
function comparable(word: string): string {
  const number = parseDecimal(word);
  return number === null ? stem(word.replace(/['’].*$/u, '')) : number.toString();
}

const SUFFIXES = [
  ['ations', 'at'],
  ['ation', 'at'],
  ['ating', 'at'],
  ['ated', 'at'],
  ['ates', 'at'],
  ['ate', 'at'],
  ['ities', ''],
  ['ity', ''],
  ['iness', ''],
  ['ness', ''],
  ['ments', ''],
  ['ment', ''],
  ['ies', ''],
  ['ied', ''],
  ['ing', ''],
  ['ed', ''],
  ['ly', ''],
  ['es', ''],
  ['s', ''],
  ['e', ''],
  ['y', ''],
] as const;

/** Cuts English endings so that forms of a word meet. Crude on purpose: only equality of stems matters here. */
function stem(word: string): string {
  for (const [suffix, put] of SUFFIXES) {
    if (word.endsWith(suffix) && word.length - suffix.length + put.length >= 3) {
      const rest = word.slice(0, -suffix.length) + put;
      return /([b-df-hj-np-tv-z])\1$/u.test(rest) && rest.length > 3 ? rest.slice(0, -1) : rest;
    }
  }
  return word;
}
