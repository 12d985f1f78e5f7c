import { LOW_CONFIDENCE } from '@evaluation/rules';

export interface MarkAndFlags {
  awarded: number;
  confidence: number | null;
  needs_review: boolean;
  review_reasons: string[];
}

/**
 * Review reasons that doubt the grader's mark; removed when the guide's mark passes without review. Other reasons
 * concern the answer: they are kept, and the mark does not pass.
 */
const DOUBTS_IN_THE_MARK: ReadonlySet<string> = new Set([
  'low_confidence',
  'baseline_grader',
  'second_look_disagrees',
]);
/** The grader was not sure, and the guide is not sure enough for a mark that passes without review. */
const GUIDE_UNSURE = 'guide_unsure';
/** The mark would pass without review and was drawn for the audit. */
const GUIDE_AUDIT = 'guide_audit';

/**
 * Replaces the grader's mark by the guide's, with the probability of the teacher's agreement as its confidence.
 * `DOUBTS_IN_THE_MARK` are removed only from a mark that passes.
 * @param options.threshold least agreement of a mark that passes without review; null if none may
 * @param options.isDrawn whether the mark is audited if it passes
 */
export const guidedMark = (
  grader: MarkAndFlags,
  prediction: { marks: number; agreement: number },
  { threshold, isDrawn }: { threshold: number | null; isDrawn: boolean },
): { after: MarkAndFlags; passes: boolean; audited: boolean } => {
  const confidence = Math.round(prediction.agreement * 10_000) / 10_000;
  const isLow = confidence < LOW_CONFIDENCE;
  const isSure = threshold !== null && prediction.agreement >= threshold && !isLow;
  const aboutTheAnswer = grader.review_reasons.filter((reason) => !DOUBTS_IN_THE_MARK.has(reason));
  const passes = isSure && aboutTheAnswer.length === 0;
  const audited = passes && isDrawn;
  const reasons = passes
    ? audited
      ? [GUIDE_AUDIT]
      : []
    : [...(isLow ? ['low_confidence'] : []), ...keptReasons(grader.review_reasons, isLow)];
  return {
    after: {
      awarded: prediction.marks,
      confidence,
      needs_review: passes ? audited : grader.needs_review || reasons.length > 0,
      review_reasons: reasons,
    },
    passes,
    audited,
  };
};

const keptReasons = (reasons: readonly string[], isLow: boolean): string[] =>
  reasons.flatMap((reason) => {
    if (reason !== 'low_confidence') return [reason];
    return isLow ? [] : [GUIDE_UNSURE];
  });
