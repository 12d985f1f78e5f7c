import { parseDecimal } from '@evaluation/rules';
import { stemmer } from 'stemmer';
import { unitWord } from './units.ts';

/** A word or number in its normalized form; `negated` if a negation precedes it closely. */
export interface Term {
  term: string;
  negated: boolean;
}

interface Token extends Term {
  written: string;
  /** A content word, unlike "of" and "which". */
  carries: boolean;
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be been being but by can could did do does for from had has have he her his how i if in into is ' +
    'it its may me might more most must my of on only or our over said say says she should so such than that the their ' +
    'them then there these they this those to too under up us very was we were what when where which while who why will ' +
    'with would you your also about each any all some other one give given gives state explain define describe discuss ' +
    'mention name answer question mark marks correct student point show shows'
  ).split(' '),
);
const NEGATIONS = new Set(
  (
    'not no never without neither nor cannot hardly lack lacks ' +
    'dont doesnt didnt isnt arent wasnt cant wont'
  ).split(' '),
);
/** Number of content words that a negation covers: "does not need any light". */
const NEGATION_REACH = 3;
/** The end of a clause ends a negation. "not only" and "no doubt" negate nothing. */
const SENTENCE = /[.!?;:](?=\s|$)|\n/u;
const CLAUSE = /,(?=\s)|\b(?:but|because|since|although|though|whereas|instead|rather)\b/u;
const NO_NEGATION = /\bnot only\b|\bno doubt\b/gu;

/** "6CO2" is a number and a word; "10-20" has no minus; "1,00,000" is one number. */
const WORD =
  /(?<![\p{L}\p{N})])[-\u2212]?\d{1,3}(?:,\d{2,3})+(?!\d)|(?:(?<![\p{L}\p{N})])[-\u2212])?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}\p{M}][\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?/giu;

/** True for the matches of `WORD` that are numbers; it saves the search for a number in each other word. */
const STARTS_AS_NUMBER = /^[-\u2212]?\d/u;

/** Terms of a text in order, with stop words and marks of negation. */
export const termsOf = (text: string): Term[] =>
  tokensOf(text).map(({ term, negated }) => ({ term, negated }));

/** Content words, each once, in the form of its first occurrence, for display. */
export const contentWords = (text: string): string[] => {
  const byTerm = new Map<string, string>();
  for (const { carries, term, written } of tokensOf(text)) {
    if (carries && !byTerm.has(term)) byTerm.set(term, written);
  }
  return [...byTerm.values()];
};

export const contentTerms = (text: string): string[] => [
  ...new Set(tokensOf(text).flatMap(({ carries, term }) => (carries ? [term] : []))),
];

const tokensOf = (text: string): Token[] =>
  text
    .normalize('NFKC')
    .replace(NO_NEGATION, ' ')
    .split(SENTENCE)
    .flatMap((sentence) => sentence.split(CLAUSE).flatMap(tokensOfClause));

const tokensOfClause = (clause: string): Token[] => {
  const tokens: Token[] = [];
  let sinceNegation = Number.POSITIVE_INFINITY;
  let endOfNumber = -1;
  for (const { 0: written, index } of clause.matchAll(WORD)) {
    const word = written.toLowerCase();
    if (NEGATIONS.has(word) || /n['’]t$/u.test(word)) {
      sinceNegation = 0;
      continue;
    }
    const number = STARTS_AS_NUMBER.test(word) ? parseDecimal(word.replaceAll(',', '')) : null;
    const unit = endOfNumber >= 0 && index - endOfNumber <= 1 ? unitWord(written) : null;
    const carries =
      number !== null || unit !== null || (!STOP_WORDS.has(word) && (word.length > 2 || isSymbol(written)));
    // Only content words count for the reach of a negation.
    const negated = sinceNegation < NEGATION_REACH;
    if (carries) sinceNegation += 1;
    const term = number === null ? (unit ?? stemmer(word.replace(/['’].*$/u, ''))) : number.toString();
    tokens.push({ written, term, carries, negated });
    endOfNumber = number === null ? -1 : index + written.length;
  }
  return tokens;
};

/** "Fe", "V", "x2": short, but content words. */
const isSymbol = (written: string): boolean => /^\p{Lu}|\d/u.test(written);
