import type { Criterion } from '../judgeAnswer/criteria.ts';
import { contentTerms, contentWords, termsOf } from './words.ts';
import type { Term } from './words.ts';

export interface LexicalMark {
  /** 0..1 of the criterion's marks. */
  share: number;
  /** In the words of the rubric. */
  found: string[];
  missing: string[];
  /** Nothing was there to compare with. */
  nothingToCompare: boolean;
}

/** What an answer to a question is compared with, read once for all of its criteria. */
export interface Paper {
  /** The terms of the question: everybody has them. */
  asked: ReadonlySet<string>;
  modelAnswer: { text: string; terms: ReadonlySet<string> }[];
  isOnlyCriterion: boolean;
  partialMarking: boolean;
}

export const paperOf = (question: {
  text: string;
  modelAnswer: string | null;
  criteria: readonly Criterion[];
  partialMarking: boolean;
}): Paper => ({
  asked: new Set(contentTerms(question.text)),
  modelAnswer: (question.modelAnswer ?? '')
    .split(/(?<=[.!?;])\s+|\n+/u)
    .map((text) => ({ text, terms: new Set(contentTerms(text)) })),
  isOnlyCriterion: question.criteria.length === 1,
  partialMarking: question.partialMarking,
});

/** An answer: its terms in order, and where each of them stands. A long rubric asks a long answer for thousands. */
export interface Said {
  terms: readonly Term[];
  places: ReadonlyMap<string, readonly number[]>;
  /** What was looked for in it before: criteria share most of a model answer's words. */
  looked: Map<string, Phrase>;
}

/** A word or phrase that an answer is looked through for. */
interface Phrase {
  terms: readonly string[];
  /** 0..1 */
  credit: number;
}

export const saidIn = (answer: string): Said => {
  const terms = termsOf(answer);
  const places = new Map<string, number[]>();
  for (const [place, { term }] of terms.entries()) {
    const before = places.get(term);
    if (before === undefined) places.set(term, [place]);
    else before.push(place);
  }
  return { terms, places, looked: new Map() };
};

const phraseIn = (answer: Said, phrase: string): Phrase => {
  const before = answer.looked.get(phrase);
  if (before !== undefined) return before;
  const credit = Math.max(0, ...variantsOf(phrase).map((each) => creditFor(each, answer)));
  const looked = { terms: contentOrAll(phrase), credit };
  answer.looked.set(phrase, looked);
  return looked;
};

/** Words of a phrase may stand this far apart in the answer. */
const PHRASE_WINDOW = 8;
/** Of a phrase of three words or more this share must be there; it then counts by its share. */
const MOST_OF_A_PHRASE = 2 / 3;
/** An answer that holds this share of the expected words earns full marks: nobody repeats a model answer wholly. */
const ENOUGH_WORDS = 0.6;
/** Keywords are hints: of three or more, this share earns full marks. */
const ENOUGH_KEYWORDS = 2 / 3;
/** Fewer words of guidance and model answer than these say too little to be compared with. */
const FEWEST_WORDS = 4;

/**
 * How far an answer meets a criterion, by words alone: its keywords where it has any, or the words of its name, its
 * guidance and the model answer's sentences that go with them, whichever meets it better: a right answer in the words of
 * one need not hold those of the other. Words of the question earn nothing: everybody has them. Deterministic.
 */
export function markLexically(paper: Paper, criterion: Criterion, answer: Said): LexicalMark {
  const keywords = lookForKeywords(criterion, paper.asked, answer);
  const words = lookForWords(paper, criterion, answer);
  if (keywords === null && words === null) {
    return { share: 0, found: [], missing: [], nothingToCompare: true };
  }
  const best = Math.max(keywords?.share ?? 0, words?.share ?? 0);
  const share = paper.partialMarking || best === 1 ? best : 0;
  return { ...told(keywords, words), share, nothingToCompare: false };
}

/** The keywords are what a teacher set: they are what is told, and of the words only those that earned more. */
function told(keywords: Look | null, words: Look | null): Pick<LexicalMark, 'found' | 'missing'> {
  if (keywords === null || words === null) return keywords ?? words ?? { found: [], missing: [] };
  const { found, missing } = keywords;
  if (words.share <= keywords.share) return { found, missing };
  const shown = new Set(found.flatMap(contentOrAll));
  return {
    found: [...found, ...words.found.filter((word) => !shown.has(contentOrAll(word)[0] ?? ''))],
    missing,
  };
}

type Look = Pick<LexicalMark, 'share' | 'found' | 'missing'>;

function lookForKeywords(criterion: Criterion, asked: ReadonlySet<string>, answer: Said): Look | null {
  const keywords = criterion.keywords.filter((keyword) => contentOrAll(keyword).length > 0);
  const own = keywords.filter((keyword) => contentOrAll(keyword).some((term) => !asked.has(term)));
  const expected = own.length > 0 ? own : keywords;
  if (expected.length === 0) return null;
  const needed = expected.length < 3 ? expected.length : Math.ceil(expected.length * ENOUGH_KEYWORDS);
  return lookFor(expected, needed, answer);
}

/** null where a criterion of keywords says too little besides them. */
function lookForWords(paper: Paper, { name, guidance, keywords }: Criterion, answer: Said): Look | null {
  const own = `${name} ${guidance ?? ''}`;
  const words = contentWords(`${own} ${relatedIn(paper, own)}`);
  const unasked = words.filter((word) => phraseIn(answer, word).terms.some((term) => !paper.asked.has(term)));
  const expected = unasked.length > 0 ? unasked : words;
  if (expected.length === 0 || (keywords.length > 0 && expected.length < FEWEST_WORDS)) return null;
  return lookFor(expected, expected.length * ENOUGH_WORDS, answer);
}

/** The model answer's sentences that speak of what a criterion speaks of; all of it where there is but one criterion. */
function relatedIn({ modelAnswer, isOnlyCriterion }: Paper, own: string): string {
  const terms = contentTerms(own);
  return modelAnswer
    .filter((sentence) => isOnlyCriterion || terms.some((term) => sentence.terms.has(term)))
    .map(({ text }) => text)
    .join(' ');
}

function lookFor(expected: readonly string[], needed: number, answer: Said): Look {
  const credits = expected.map((phrase) => phraseIn(answer, phrase).credit);
  const sum = credits.reduce((total, credit) => total + credit, 0);
  return {
    share: Math.min(sum / needed, 1),
    found: expected.filter((_, index) => credits[index] !== 0),
    missing: expected.filter((_, index) => credits[index] === 0),
  };
}

/** "colour / color", "fades or disappears": one of them is enough. A slash between letters of a formula is a fraction. */
function variantsOf(phrase: string): string[] {
  return phrase
    .split(/\s+or\s+|\s+\/\s+|(?<=\p{L}{3})\/(?=\p{L}{3})/iu)
    .filter((each) => termsOf(each).length > 0);
}

/**
 * 1 for all words of the phrase, close together; less for most of a long one. None of them denied, unless the phrase
 * itself is a denial, which must then be denied in the answer too. Of a phrase with a number nothing may be missing.
 */
function creditFor(phrase: string, { terms, places }: Said): number {
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
}

/** "p-n junction" and "to be" have no content words to speak of: then every word counts. */
function contentOrAll(phrase: string): string[] {
  const content = contentTerms(phrase);
  return content.length > 0 ? content : termsOf(phrase).map(({ term }) => term);
}
