import { distance } from 'fastest-levenshtein';

/*
 * The paper's own words help to read: a word that is neither English nor in the paper gives way to a word of the paper
 * if the network finds that one nearly as probable in the same columns. It must not invent a key word, so a word that
 * is English, a number, a formula or a negation stays as it was read, and so does one that two words of the paper fit.
 */

/** Letters of the shortest word that is changed, or taken: shorter ones are alike too often. */
const LEAST_LETTERS = 4;
/** Letters of the longest one. Longer "words" are made to take time. */
const MOST_LETTERS = 30;
/** Edits for each letter of the longer word. */
const MOST_EDITS = 0.4;
/**
 * Natural logarithm by which a word of the paper may be less probable than the word that was read. On seven real pages
 * and 38 near misses 4 invented no word, and 6 two.
 */
const MARGIN = 4;
/** Edits between two words of the paper that are too alike to choose one of them ("mitosis", "meiosis"). */
const ALIKE = 2;
/** Words of the paper that are compared; a paper of 200 questions has fewer. */
const MOST_WORDS = 20_000;
/** Words of the paper, the nearest ones, that the network is asked about for one word. */
const MOST_SCORED = 20;

export interface Lexicon {
  /**
   * @param score natural logarithm of the probability of a text in the columns of the word
   * @returns the word as it was read, or with its letters replaced by a word of the paper
   */
  choose: (read: string, score: (text: string) => number) => string;
}

/** @param texts texts of the paper: questions, rubrics, model answers */
export const createLexicon = (texts: readonly string[], english: ReadonlySet<string>): Lexicon => {
  const paper = [...new Set(texts.flatMap(wordsIn))].slice(0, MOST_WORDS);
  const own = new Set(paper);
  return {
    choose(read, score) {
      const [, before = '', word = '', after = ''] = WORD.exec(read) ?? [];
      const small = word.toLowerCase();
      if (!isComparable(small) || english.has(small) || own.has(small)) return read;
      const written = (other: string) => `${before}${inCaseOf(word, other)}${after}`;
      const near = paper
        .filter((other) => isNear(small, other) && !isOpposite(small, other))
        .toSorted((a, b) => distance(small, a) - distance(small, b));
      const [best] = near
        .slice(0, MOST_SCORED)
        .map((other) => ({ other, score: score(written(other)) }))
        .toSorted((a, b) => b.score - a.score);
      if (best === undefined || best.score <= score(read) - MARGIN) return read;
      if (paper.some((other) => isRival(best.other, other))) return read;
      // A word that is one letter away and English may be what was meant.
      const meant = oneEditFrom(small).filter((other) => english.has(other) && !own.has(other));
      return meant.some((other) => score(written(other)) > best.score) ? read : written(best.other);
    },
  };
};

/** Letters with signs around them. Letters of mixed case are formulas or abbreviations. */
const WORD = /^(\P{L}*)(\p{Lu}?\p{Ll}+|\p{Lu}+)(\P{L}*)$/u;

/** Words of a text in small letters, without abbreviations, formulas, units and short words. */
const wordsIn = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => isComparable(word) && /^\p{Lu}?\p{Ll}+$/u.test(word))
    .map((word) => word.toLowerCase())
    .filter((word) => !UNIT.test(word));

const isComparable = ({ length }: string): boolean => length >= LEAST_LETTERS && length <= MOST_LETTERS;

const UNIT =
  /^(?:kilo|centi|milli|micro|mega)?(?:met(?:re|er)|lit(?:re|er)|gram|second|minute|hour|ampere|volt|watt|newton|joule|pascal|hertz|kelvin|celsius|ohm|mole)s?$/u;

const inCaseOf = (read: string, word: string): string => {
  if (read === read.toUpperCase()) return word.toUpperCase();
  return read[0] === read[0]?.toUpperCase() ? `${word[0]?.toUpperCase()}${word.slice(1)}` : word;
};

const isNear = (read: string, word: string): boolean => {
  const most = Math.floor(MOST_EDITS * Math.max(read.length, word.length));
  return Math.abs(read.length - word.length) <= most && distance(read, word) <= most;
};

/** Forms of one word ("reaction", "reactions") are no rivals. */
const isRival = (word: string, other: string): boolean =>
  word !== other && !word.startsWith(other) && !other.startsWith(word) && distance(word, other) <= ALIKE;

/** "unstabel" is no "stable". */
const isOpposite = (read: string, word: string): boolean => {
  const [bareRead, bareWord] = [read.replace(NEGATION, ''), word.replace(NEGATION, '')];
  const bare = Math.min(distance(bareRead, word), distance(read, bareWord));
  return bare < distance(read, word);
};
const NEGATION = /^(?:un|in|im|il|ir|dis|non|anti|mis)/u;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** All words that one letter more, less or other gives. */
const oneEditFrom = (word: string): string[] => {
  const made: string[] = [];
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    if (tail !== '') made.push(`${head}${tail.slice(1)}`);
    for (const letter of LETTERS) {
      made.push(`${head}${letter}${tail}`);
      if (tail !== '') made.push(`${head}${letter}${tail.slice(1)}`);
    }
  }
  return made;
};
