/**
 * How far a judgement made by a model can be trusted, 0..1, two decimals (docs/api/results.md#fields: below 0.60 a teacher should look).
 * docs/confidence.md says why.
 *
 *   raw = Σ (marks of criterion × certainty × evidence factor) / Σ marks of criterion × legibility factor × agreement
 *   confidence = the table's value at raw (confidenceTable.ts)
 *
 *   certainty        what the model said of its own award: certain 0.95 · likely 0.75 · unsure 0.40; where its marks'
 *                    probability p is known (judgeAnswer/markProbabilities.ts), times 0.4 + 0.6 · p / 0.9 up to 0.9, and
 *                    1 + (p − 0.9) / 2 above, which is 1.05 at most; never above 0.95
 *   evidence factor  1, but 0.7 when marks were given and no words of the answer were quoted for them, or the quoted
 *                    words do not occur in the answer; of an objective answer whatever it earned, since what was read
 *                    decides the 0 as well
 *   legibility       typed answers 1; copies 0.5 + legibility / 2, so a page half legible costs a quarter
 *   agreement        1 − disagreement with a second look (judgeAnswer/secondLook.ts), 1 where there was none
 *
 * and it is held at 0.55, under the line, when one unsure criterion carries a quarter of the marks or more (an average
 * would hide it), or one whose marks have a known probability below 0.5, when the second look disagrees by a quarter of the
 * marks or more, or when code had to put the model's marks right.
 */
import type { ConfidenceTable } from './confidenceTable.ts';
import { readOff } from './confidenceTable.ts';

export type Certainty = 'certain' | 'likely' | 'unsure';

export const REVIEW_BELOW = 0.6;
/** Share of the marks that is too much to differ by, or to be unsure of. */
export const TOO_MUCH = 0.25;
export const HELD_AT = 0.55;
const CERTAINTY: Record<Certainty, number> = { certain: 0.95, likely: 0.75, unsure: 0.4 };
const MOST_CERTAIN = CERTAINTY.certain;
const WITHOUT_EVIDENCE = 0.7;
/** Models are nearly always sure of the next token: a probability below this says much, one above it little. */
export const PROBABLE = 0.9;
const IMPROBABLE = 0.5;
const LEAST_FACTOR = 0.4;
const MORE_ABOVE = 0.5;

export interface ConfidenceInput {
  criteria: {
    max: number;
    awarded: number;
    certainty: Certainty;
    evidenceFound: boolean;
    /** 0..1; null or left out where it is not known. */
    probability?: number | null;
  }[];
  /** 0..1, null for a typed answer. */
  legibility: number | null;
  /** Share of the marks that a second look gave otherwise, 0..1; null when there was none. */
  disagreement: number | null;
  marksPutRight: boolean;
  /** What was read for an objective question: right or wrong, it rests on words of the answer. Default false. */
  isReading?: boolean;
}

export function confidenceOf(input: ConfidenceInput, table: ConfidenceTable): number {
  const { criteria, disagreement, marksPutRight } = input;
  const total = criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const confidence = twoDecimals(readOff(table, rawConfidence(input)));
  const unsure = criteria.some(
    ({ max, certainty, probability }) =>
      (certainty === 'unsure' || (probability ?? 1) < IMPROBABLE) && max >= total * TOO_MUCH,
  );
  const isHeld = unsure || marksPutRight || (disagreement ?? 0) >= TOO_MUCH;
  return isHeld ? Math.min(confidence, HELD_AT) : confidence;
}

/** The formula alone, before table and holds; 0 when there is nothing to judge. */
export function rawConfidence({
  criteria,
  legibility,
  disagreement,
  isReading = false,
}: Omit<ConfidenceInput, 'marksPutRight'>): number {
  const total = criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const weighted = criteria.reduce((sum, { max, awarded, certainty, probability, evidenceFound }) => {
    const evidence = (awarded > 0 || isReading) && !evidenceFound ? WITHOUT_EVIDENCE : 1;
    return sum + max * certaintyOf(certainty, probability ?? null) * evidence;
  }, 0);
  const legible = legibility === null ? 1 : 0.5 + within01(legibility) / 2;
  return within01((weighted / total) * legible * (1 - within01(disagreement ?? 0)));
}

function certaintyOf(said: Certainty, probability: number | null): number {
  if (probability === null) return CERTAINTY[said];
  const p = within01(probability);
  const factor =
    p < PROBABLE ? LEAST_FACTOR + ((1 - LEAST_FACTOR) * p) / PROBABLE : 1 + (p - PROBABLE) * MORE_ABOVE;
  return Math.min(CERTAINTY[said] * factor, MOST_CERTAIN);
}

/** The reasons given, once each, with low_confidence among them when the confidence asks for it. */
export function reviewReasons(confidence: number, reasons: readonly string[]): string[] {
  return [...new Set([...(confidence < REVIEW_BELOW ? ['low_confidence'] : []), ...reasons])];
}

/** A hair is added so that binary noise does not decide which side of the line a half falls on. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100 + 1e-9) / 100;
}

function within01(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}
