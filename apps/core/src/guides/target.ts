import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';

/** Of the marks that pass without review, the wanted share within one mark step of the teacher's mark. */
export const GuideTarget = z.number().gte(0.5).lte(0.999).multipleOf(0.001);

/** Target of an exam without a row in `exam_guides`. */
export const DEFAULT_TARGET = 0.95;

/** Sets the target of a new exam. The mode stays `off`. */
export const setFirstTarget = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  target: number,
): Promise<void> => {
  if (target === DEFAULT_TARGET) return;
  await tx
    .insertInto('exam_guides')
    .values({ exam_id: exam.examId, institute_id: exam.instituteId, target: String(target) })
    .execute();
};
