/**
 * Confidence in a model's judgement, 0..1 with two decimals; below 0.60 a teacher should look
 * (docs/api/results.md#fields). docs/confidence.md gives the reasons.
 *
 *   raw = Σ (marks of criterion × certainty × evidence factor) / Σ marks of criterion × legibility factor × agreement
 *   confidence = the table's value at raw (confidenceTable.ts)
 *
 *   certainty        the model's own report on its award: certain 0.95 · likely 0.75 · unsure 0.40
 *   evidence factor  0.7 if marks were given without a quotation, or the quotation is not in the answer; else 1. For an
 *                    objective answer it applies to 0 marks as well, since the reading decides those too
 *   legibility       typed answers 1; copies 0.5 + legibility / 2, so a half legible page costs a quarter
 *   agreement        1 − disagreement with the second look (judgeAnswer/secondLook.ts); 1 without a second look
 *
 * The confidence is at most 0.55, below the review line, if
 * - one unsure criterion has a quarter of the marks or more (an average would hide it),
 * - the second look disagrees by a quarter of the marks or more, or
 * - code corrected the model's marks.
 */
import type { ConfidenceTable } from './confidenceTable.ts';
import { readOff } from './confidenceTable.ts';

export type Certainty = 'certain' | 'likely' | 'unsure';

export const REVIEW_BELOW = 0.6;
/** If at least this share of the marks is unsure, or differs between two looks, a teacher must look. */
export const TOO_MUCH = 0.25;
export const HELD_AT = 0.55;
const CERTAINTY: Record<Certainty, number> = { certain: 0.95, likely: 0.75, unsure: 0.4 };
const WITHOUT_EVIDENCE = 0.7;

export interface ConfidenceInput {
  criteria: {
    max: number;
    awarded: number;
    certainty: Certainty;
    evidenceFound: boolean;
  }[];
  legibility: number | null;
  /** Share of the marks in which the second look differs, 0..1; null without a second look. */
  disagreement: number | null;
  marksCorrected: boolean;
  /**
   * true for the reading of an objective question: its marks depend on words of the answer even if they are 0. Default
   * false.
   */
  isReading?: boolean;
}

export const confidenceOf = (input: ConfidenceInput, table: ConfidenceTable): number => {
  const { criteria, disagreement, marksCorrected } = input;
  const total = criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const confidence = twoDecimals(readOff(table, rawConfidence(input)));
  const unsure = criteria.some(({ max, certainty }) => certainty === 'unsure' && max >= total * TOO_MUCH);
  const isHeld = unsure || marksCorrected || (disagreement ?? 0) >= TOO_MUCH;
  return isHeld ? Math.min(confidence, HELD_AT) : confidence;
};

/** The formula without table and upper bound; 0 without criteria. */
export const rawConfidence = ({
  criteria,
  legibility,
  disagreement,
  isReading = false,
}: Omit<ConfidenceInput, 'marksCorrected'>): number => {
  const total = criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const weighted = criteria.reduce((sum, { max, awarded, certainty, evidenceFound }) => {
    const evidence = (awarded > 0 || isReading) && !evidenceFound ? WITHOUT_EVIDENCE : 1;
    return sum + max * CERTAINTY[certainty] * evidence;
  }, 0);
  const legible = legibility === null ? 1 : 0.5 + within01(legibility) / 2;
  return within01((weighted / total) * legible * (1 - within01(disagreement ?? 0)));
};

/** The reasons, each once, and low_confidence if the confidence is below the review line. */
export const reviewReasons = (confidence: number, reasons: readonly string[]): string[] => [
  ...new Set([...(confidence < REVIEW_BELOW ? ['low_confidence'] : []), ...reasons]),
];

/** Rounds to two decimals. The small addend keeps binary errors from deciding the rounding of a half. */
export const twoDecimals = (value: number): number => Math.round(value * 100 + 1e-9) / 100;

const within01 = (value: number): number => Math.min(Math.max(value, 0), 1);
