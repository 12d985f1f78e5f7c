import { MARK_STEP } from '@evaluation/rules';
import type { GuideModel } from './fit.ts';

/** Marks that a question allows, and what counts as agreement. */
export interface MarkScale {
  maxMarks: number;
  /** Distance of two marks that the teacher gives. */
  step: number;
  /** Difference in marks up to which teacher and guide agree; one step unless given. */
  tolerance?: number;
}

/**
 * The scale of a guide's marks. On a question of few marks (`GuideConstants.exactUpTo`) only the same mark agrees,
 * because with a tolerance of half a mark, 0.5 of 1 would agree with every mark.
 */
export const scaleOf = ({ constants, maxMarks, examples }: GuideModel): Required<MarkScale> => {
  const isExact = maxMarks <= constants.exactUpTo;
  return {
    maxMarks,
    step: isExact && isAllOrNothing(examples) ? maxMarks : MARK_STEP,
    tolerance: isExact ? 0 : MARK_STEP,
  };
};

/** With fewer marks, all of them may be full marks or 0 by chance. */
const LEAST_MARKS_FOR_STEP = 5;

/**
 * Whether the teacher gives full marks or none. On questions of more marks half a mark is the better guess between
 * whole ones (docs/decisions/051-guides.md).
 */
const isAllOrNothing = (examples: GuideModel['examples']): boolean =>
  examples.length >= LEAST_MARKS_FOR_STEP &&
  examples.every(({ teacherShare }) => teacherShare === 0 || teacherShare === 1);
