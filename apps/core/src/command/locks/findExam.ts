import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../accept.ts';
import { isVisibleTo, type Viewer } from './visibleExams.ts';

const COLUMNS = [
  'id',
  'status',
  'mode',
  'blind',
  'rubric_version',
  'question_count',
  'live_submissions',
  'live_unfinalized',
  'is_sample',
] as const;

/** Includes deleted exams; excludes exams that the viewer does not see. */
export const selectExam = (tx: Tx, viewer: Viewer, examId: string) =>
  tx
    .selectFrom('exams')
    .select(COLUMNS)
    .where('institute_id', '=', viewer.institute_id)
    .where('id', '=', examId)
    .where(isVisibleTo(viewer, 'exams'));

/**
 * Finds an exam without a lock.
 * @throws DomainFailure exam_not_found if it is missing, of another institute, not visible, or deleted
 */
export const findExam = async (tx: Tx, viewer: Viewer, examId: string) => {
  const exam = isUuid(examId) ? await selectExam(tx, viewer, examId).executeTakeFirst() : undefined;
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return exam;
};
