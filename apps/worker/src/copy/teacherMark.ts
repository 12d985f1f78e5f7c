import type { DrawingMaterial } from '@evaluation/core-client';
import { markedByTeacher } from '@evaluation/rules';
import { withTeacherSigns } from '@evaluation/rules/marked-page';
import type { CopyResult } from './copyResult.ts';

type Override = DrawingMaterial['overrides'][number];

type Drawn = Omit<CopyResult['result'], 'criteria'> & {
  criteria: { name: string; awarded: number | null; max: number | null; reason: string | null }[];
};

/**
 * What the checked copy shows of a question that a teacher has marked: all that the AI drew and wrote, but for what the
 * teacher's mark contradicts.
 *
 * - Marks of criteria: the AI's reason for a criterion with another mark goes.
 * - Another sum: the marks of the criteria go, because they add up to the AI's sum, and reasons that it contradicts.
 */
export const withTeacherMark = (
  {
    question,
    result,
  }: { question: Pick<CopyResult['question'], 'label' | 'max_marks'> } & Pick<CopyResult, 'result'>,
  override: Override,
): Drawn => {
  const { awarded, feedback } = override;
  const criteria = markedByTeacher(result.criteria, override.criteria);
  const { label, max_marks: max } = question;
  const marked = {
    ...result,
    status: 'graded' as const,
    awarded,
    needs_review: false,
    feedback: feedback ?? result.feedback,
    annotations: withTeacherSigns({ label, max }, result, { awarded, criteria }, result.annotations),
  };
  if (criteria !== null) {
    const isChanged = (index: number): boolean =>
      criteria[index]?.awarded !== result.criteria[index]?.awarded;
    return {
      ...marked,
      criteria: criteria.map((each, index) => (isChanged(index) ? { ...each, reason: null } : each)),
    };
  }
  if (awarded === result.awarded) return marked;
  const isHigher = awarded > (result.awarded ?? 0);
  return {
    ...marked,
    criteria: result.criteria.map(({ name, reason, awarded: given, max: most }) => ({
      name,
      reason: isHigher === (given === most) ? reason : null,
      awarded: null,
      max: null,
    })),
  };
};
