/**
 * How far a judgement made by a model can be trusted, 0..1, two decimals (spec 2.7: below 0.60 a teacher should look).
 *
 *   confidence = legibility factor × Σ (marks of criterion × certainty × evidence factor) / Σ marks of criterion
 *
 *   certainty        what the model said of its own award: certain 0.95 · likely 0.75 · unsure 0.40
 *   evidence factor  1, but 0.7 when marks were given and no words of the answer were quoted for them, or the quoted
 *                    words do not occur in the answer
 *   legibility       typed answers 1; copies 0.5 + legibility / 2, so a page half legible costs a quarter
 *
 * and it is held at 0.55, under the line, when one unsure criterion carries a quarter of the marks or more (an average
 * would hide it), or when code had to put the model's marks right.
 */
export type Certainty = 'certain' | 'likely' | 'unsure';

export const REVIEW_BELOW = 0.6;
const HELD_AT = 0.55;
const CERTAINTY: Record<Certainty, number> = { certain: 0.95, likely: 0.75, unsure: 0.4 };
const WITHOUT_EVIDENCE = 0.7;

export interface ConfidenceInput {
  criteria: { max: number; awarded: number; certainty: Certainty; evidenceFound: boolean }[];
  /** 0..1, null for a typed answer. */
  legibility: number | null;
  marksPutRight: boolean;
}

export function confidenceOf({ criteria, legibility, marksPutRight }: ConfidenceInput): number {
  const total = criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const weighted = criteria.reduce((sum, { max, awarded, certainty, evidenceFound }) => {
    const evidence = awarded > 0 && !evidenceFound ? WITHOUT_EVIDENCE : 1;
    return sum + max * CERTAINTY[certainty] * evidence;
  }, 0);
  const factor = legibility === null ? 1 : 0.5 + Math.min(Math.max(legibility, 0), 1) / 2;
  // A hair is added so that binary noise does not decide which side of the line a half falls on.
  const confidence = Math.round((weighted / total) * factor * 100 + 1e-9) / 100;
  const unsure = criteria.some(({ max, certainty }) => certainty === 'unsure' && max >= total / 4);
  return unsure || marksPutRight ? Math.min(confidence, HELD_AT) : confidence;
}

/** The reasons given, once each, with low_confidence among them when the confidence asks for it. */
export function reviewReasons(confidence: number, reasons: readonly string[]): string[] {
  return [...new Set([...(confidence < REVIEW_BELOW ? ['low_confidence'] : []), ...reasons])];
}
