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

/** Words of a phrase may stand this far apart in the answer. */
const PHRASE_WINDOW = 8;
/** An answer that holds this share of the expected words earns full marks: nobody repeats a model answer wholly. */
const ENOUGH = 0.6;

/**
 * How far an answer meets a criterion, by words alone: its keywords where it has any; else the words of its name and
 * guidance and of the model answer's sentences that go with them. Deterministic.
 */
export function markLexically(
  criterion: Criterion,
  only: boolean,
  modelAnswer: string | null,
  partialMarking: boolean,
  answer: string,
): LexicalMark {
  const terms = termsOf(answer);
  const keywords = criterion.keywords.filter((keyword) => contentOrAll(keyword).length > 0);
  const expected = keywords.length > 0 ? keywords : expectedTerms(criterion, only, modelAnswer);
  const found = expected.filter((phrase) => occurs(phrase, terms));
  const missing = expected.filter((phrase) => !found.includes(phrase));
  if (expected.length === 0) return { share: 0, found, missing, nothingToCompare: true };
  const covered = found.length / expected.length;
  const share = keywords.length > 0 ? covered : Math.min(covered / ENOUGH, 1);
  return { share: partialMarking || share === 1 ? share : 0, found, missing, nothingToCompare: false };
}

/** Single words to expect where the rubric gives no keywords. */
function expectedTerms({ name, guidance }: Criterion, only: boolean, modelAnswer: string | null): string[] {
  const own = `${name} ${guidance ?? ''}`;
  if (modelAnswer === null) return contentWords(own);
  if (only) return contentWords(`${own} ${modelAnswer}`);
  const ownTerms = contentTerms(own);
  const related = modelAnswer
    .split(/(?<=[.!?;])\s+|\n+/u)
    .filter((sentence) => contentTerms(sentence).some((term) => ownTerms.includes(term)));
  return contentWords(`${own} ${related.join(' ')}`);
}

/**
 * All words of the phrase, close together, and none of them denied, unless the phrase itself is a denial, which must
 * then be denied in the answer too. A number only matches the same number.
 */
function occurs(phrase: string, answer: readonly Term[]): boolean {
  const wanted = contentOrAll(phrase);
  const denied = termsOf(phrase).some(({ negated }) => negated);
  return answer.some(({ term }, start) => {
    if (!wanted.includes(term)) return false;
    const window = answer.slice(start, start + Math.max(PHRASE_WINDOW, wanted.length));
    return wanted.every((each) => window.some((word) => word.term === each && word.negated === denied));
  });
}

/** "p-n junction" and "to be" have no content words to speak of: then every word counts. */
function contentOrAll(phrase: string): string[] {
  const content = contentTerms(phrase);
  return content.length > 0 ? content : termsOf(phrase).map(({ term }) => term);
}
