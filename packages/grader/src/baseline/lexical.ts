import type { Criterion } from '../judgeAnswer/criteria.ts';
import { alternativesIn } from './modelAnswer.ts';
import { lettersFound, trigramsOf } from './trigrams.ts';
import { contentTerms, contentWords, termsOf } from './words.ts';
import type { Term } from './words.ts';

interface LexicalMark {
  /** Share of the criterion's marks, 0..1. */
  share: number;
  /** Found words, as the rubric spells them. */
  found: string[];
  missing: string[];
  /** Share of the expected letters that occur in similar words, 0..1; 0 if the found words are the larger share. */
  letters: number;
  nothingToCompare: boolean;
}

interface Paper {
  /** Terms of the question. They are not counted, because each answer may repeat them. */
  asked: ReadonlySet<string>;
  /** Each is a complete answer; the candidate is compared with the one that fits best. */
  modelAnswers: ModelAnswer[];
  isOnlyCriterion: boolean;
  partialMarking: boolean;
}

interface ModelAnswer {
  sentences: { text: string; terms: ReadonlySet<string> }[];
  points: string[] | null;
}

export const paperOf = (question: {
  text: string;
  maxMarks: number;
  modelAnswer: string | null;
  criteria: readonly Criterion[];
  partialMarking: boolean;
}): Paper => ({
  asked: new Set(contentTerms(question.text)),
  modelAnswers: alternativesIn(question.modelAnswer ?? '', question.maxMarks).map(({ text, points }) => ({
    points,
    sentences: text
      .split(/(?<=[.!?;])\s+|\n+/u)
      .map((sentence) => ({ text: sentence, terms: new Set(contentTerms(sentence)) })),
  })),
  isOnlyCriterion: question.criteria.length === 1,
  partialMarking: question.partialMarking,
});

/**
 * An answer: its terms in order, and the places of each term. The places make the search for thousands of words fast.
 */
interface SearchableAnswer {
  terms: readonly Term[];
  /** Content words of the answer. `term` is compared with the terms of the question, `trigrams` with expected words. */
  words: readonly { term: string; trigrams: readonly string[] }[];
  places: ReadonlyMap<string, readonly number[]>;
  /** Cache of phrases: criteria share most words of a model answer. */
  looked: Map<string, Phrase>;
}

interface Phrase {
  terms: readonly string[];
  /** 0..1 */
  credit: number;
}

export const searchable = (answer: string): SearchableAnswer => {
  const terms = termsOf(answer);
  const places = new Map<string, number[]>();
  for (const [place, { term }] of terms.entries()) {
    const before = places.get(term);
    if (before === undefined) places.set(term, [place]);
    else before.push(place);
  }
  const words = contentWords(answer).map((word) => ({
    term: contentOrAll(word)[0] ?? '',
    trigrams: trigramsOf(word),
  }));
  return { terms, words, places, looked: new Map() };
};

const phraseIn = (answer: SearchableAnswer, phrase: string): Phrase => {
  const before = answer.looked.get(phrase);
  if (before !== undefined) return before;
  const credit = Math.max(0, ...variantsOf(phrase).map((each) => creditFor(each, answer)));
  const looked = { terms: contentOrAll(phrase), credit };
  answer.looked.set(phrase, looked);
  return looked;
};

/** Most words of the answer over which the words of a phrase may be spread. */
const PHRASE_WINDOW = 8;
/** Share of a phrase of three or more words that must be found; the phrase then counts by this share. */
const MOST_OF_A_PHRASE = 2 / 3;
/**
 * An answer earns `WORDS_COUNT` times the share of the expected words, and `LETTERS_COUNT` times that of their
 * letters. Full marks need about a third of both, because no answer repeats the whole model answer
 * (docs/decisions/050-rules-of-the-baseline.md).
 */
const WORDS_COUNT = 1.5;
const LETTERS_COUNT = 2;
const LETTERS_OF_CHANCE = 0.1;
/** Share of the words of a listed point that meets it. */
const ENOUGH_OF_A_POINT = 0.3;
/** Share of three or more keywords that earns full marks, because keywords are hints. */
const ENOUGH_KEYWORDS = 2 / 3;
/** Fewest words of guidance and model answer to compare with, for a criterion that has keywords. */
const FEWEST_WORDS = 4;

/**
 * Share of a criterion that an answer meets, by words alone. Compares the answer with the keywords, and with the words
 * of the name, the guidance and the related sentences of the model answer; the better result counts. Words of the
 * question are not counted. Deterministic.
 */
export const markLexically = (paper: Paper, criterion: Criterion, answer: SearchableAnswer): LexicalMark => {
  const keywords = lookForKeywords(criterion, paper.asked, answer);
  const words = lookForWords(paper, criterion, answer);
  if (keywords === null && words === null) {
    return { share: 0, found: [], missing: [], letters: 0, nothingToCompare: true };
  }
  const best = Math.max(keywords?.share ?? 0, words?.share ?? 0);
  const share = paper.partialMarking || best === 1 ? best : 0;
  return { ...foundAndMissing(keywords, words), share, nothingToCompare: false };
};

/** Reports the keywords, which a teacher set, and words only if they earned more. */
const foundAndMissing = (
  keywords: Look | null,
  words: Look | null,
): Pick<LexicalMark, 'found' | 'missing' | 'letters'> => {
  if (keywords === null || words === null) return keywords ?? words ?? { found: [], missing: [], letters: 0 };
  const { found, missing } = keywords;
  if (words.share <= keywords.share) return { found, missing, letters: 0 };
  const shown = new Set(found.flatMap(contentOrAll));
  return {
    found: [...found, ...words.found.filter((word) => !shown.has(contentOrAll(word)[0] ?? ''))],
    missing,
    letters: words.letters,
  };
};

type Look = Pick<LexicalMark, 'share' | 'found' | 'missing' | 'letters'>;

const lookForKeywords = (
  criterion: Criterion,
  asked: ReadonlySet<string>,
  answer: SearchableAnswer,
): Look | null => {
  const keywords = criterion.keywords.filter((keyword) => contentOrAll(keyword).length > 0);
  const own = keywords.filter((keyword) => contentOrAll(keyword).some((term) => !asked.has(term)));
  const expected = own.length > 0 ? own : keywords;
  if (expected.length === 0) return null;
  const needed = expected.length < 3 ? expected.length : Math.ceil(expected.length * ENOUGH_KEYWORDS);
  const look = lookFor(expected, answer);
  return { ...look, share: Math.min((look.share * expected.length) / needed, 1) };
};

/**
 * Compares the answer with each alternative of the model answer and returns the best result. For the only criterion of
 * a question, name and guidance are left out where a model answer exists, because they tell how to score. null if there
 * are no words to look for.
 */
const lookForWords = (paper: Paper, criterion: Criterion, answer: SearchableAnswer): Look | null => {
  const own = `${criterion.name} ${criterion.guidance ?? ''}`;
  const looks = paper.modelAnswers.flatMap(({ sentences, points }) => {
    const related = relatedIn(sentences, paper, own);
    const whole = paper.isOnlyCriterion && related !== '' ? related : `${own} ${related}`;
    const look =
      points !== null && paper.isOnlyCriterion ? lookForPoints(points, paper, criterion, answer) : null;
    return look ?? lookForText(whole, paper, criterion, answer) ?? [];
  });
  if (looks.length === 0) return lookForText(own, paper, criterion, answer);
  return looks.reduce((best, look) => (look.share > best.share ? look : best));
};

/** Looks for the words of `text`. null if the text has no content words, or too few beside the keywords. */
const lookForText = (
  text: string,
  { asked }: Paper,
  { keywords }: Criterion,
  answer: SearchableAnswer,
): Look | null => {
  const expected = expectedIn(text, asked, answer);
  if (expected.length === 0 || (keywords.length > 0 && expected.length < FEWEST_WORDS)) return null;
  const letters = lettersShared(expected, asked, answer);
  const look = lookFor(expected, answer);
  return {
    ...look,
    letters: letters > look.share ? letters : 0,
    share: Math.min(LETTERS_COUNT * letters + WORDS_COUNT * look.share, 1),
  };
};

/** Share of the expected letters that occur, less the share that occurs by chance, 0..1. */
const lettersShared = (
  expected: readonly string[],
  asked: ReadonlySet<string>,
  answer: SearchableAnswer,
): number => {
  const own = answer.words.filter(({ term }) => !asked.has(term)).map(({ trigrams }) => trigrams);
  return Math.max(lettersFound(expected, own) - LETTERS_OF_CHANCE, 0);
};

/** One mark for each point that is met. null if no point has words of its own. */
const lookForPoints = (
  points: readonly string[],
  { asked }: Paper,
  { marks }: Criterion,
  answer: SearchableAnswer,
): Look | null => {
  const looks = points.flatMap((point) => {
    const expected = expectedIn(point, asked, answer);
    return expected.some((word) => isUnasked(word, asked, answer)) ? [lookFor(expected, answer)] : [];
  });
  if (looks.length === 0) return null;
  const met = looks.filter(({ share }) => share >= ENOUGH_OF_A_POINT).length;
  return {
    share: Math.min(met / marks, 1),
    found: [...new Set(looks.flatMap(({ found }) => found))],
    missing: [...new Set(looks.flatMap(({ missing }) => missing))],
    letters: 0,
  };
};

/** Content words of a text. Words of the question count only if the text has no others. */
const expectedIn = (text: string, asked: ReadonlySet<string>, answer: SearchableAnswer): string[] => {
  const words = contentWords(text);
  const unasked = words.filter((word) => isUnasked(word, asked, answer));
  return unasked.length > 0 ? unasked : words;
};

const isUnasked = (word: string, asked: ReadonlySet<string>, answer: SearchableAnswer): boolean =>
  phraseIn(answer, word).terms.some((term) => !asked.has(term));

/** Sentences of a model answer that share words with the criterion; all sentences if it is the only criterion. */
const relatedIn = (
  sentences: readonly { text: string; terms: ReadonlySet<string> }[],
  { isOnlyCriterion }: Paper,
  own: string,
): string => {
  const terms = contentTerms(own);
  return sentences
    .filter((sentence) => isOnlyCriterion || terms.some((term) => sentence.terms.has(term)))
    .map(({ text }) => text)
    .join(' ');
};

/** Looks for each expected phrase. `share` is the mean credit of the phrases. */
const lookFor = (expected: readonly string[], answer: SearchableAnswer): Look => {
  const credits = expected.map((phrase) => phraseIn(answer, phrase).credit);
  const sum = credits.reduce((total, credit) => total + credit, 0);
  return {
    share: sum / expected.length,
    found: expected.filter((_, index) => credits[index] !== 0),
    missing: expected.filter((_, index) => credits[index] === 0),
    letters: 0,
  };
};

/** Alternatives: "colour / color", "fades or disappears". A slash between letters of a formula is a fraction. */
const variantsOf = (phrase: string): string[] =>
  phrase.split(/\s+or\s+|\s+\/\s+|(?<=\p{L}{3})\/(?=\p{L}{3})/iu).filter((each) => termsOf(each).length > 0);

/**
 * 1 if all words of the phrase are close together; the share for most words of a long phrase; else 0. Denied words do
 * not count, unless the phrase is itself a denial: then its words must be denied in the answer. A phrase with a number
 * must be complete.
 */
const creditFor = (phrase: string, { terms, places }: SearchableAnswer): number => {
  const wanted = contentOrAll(phrase);
  const denied = termsOf(phrase).some(({ negated }) => negated);
  const reach = Math.max(PHRASE_WINDOW, wanted.length);
  let met = 0;
  for (const start of wanted.flatMap((term) => places.get(term) ?? [])) {
    const near = new Set<string>();
    for (const { term, negated } of terms.slice(start, start + reach)) if (negated === denied) near.add(term);
    met = Math.max(met, wanted.filter((term) => near.has(term)).length);
    if (met === wanted.length) break;
  }
  const share = met / wanted.length;
  const whole = wanted.length < 3 || wanted.some((term) => /\d/u.test(term));
  return share === 1 || (!whole && share >= MOST_OF_A_PHRASE - 1e-9) ? share : 0;
};

/** A phrase such as "p-n junction" or "to be" has no content words: then all its words count. */
const contentOrAll = (phrase: string): string[] => {
  const content = contentTerms(phrase);
  return content.length > 0 ? content : termsOf(phrase).map(({ term }) => term);
};
