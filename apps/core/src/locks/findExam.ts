import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../accept.ts';

const COLUMNS = [
  'id',
  'status',
  'mode',
  'blind',
  'rubric_version',
  'question_count',
  'live_submissions',
  'live_unfinalized',
] as const;

/** Includes deleted exams; excludes exams not made by the API. */
export const selectExam = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .selectFrom('exams')
    .select(COLUMNS)
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .where('source', '=', 'api');

/**
 * Finds an exam without a lock.
 * @throws DomainFailure exam_not_found if it is missing, of another institute, not made by the API, or deleted
 */
export const findExam = async (tx: Tx, instituteId: string, examId: string) => {
  const exam = isUuid(examId) ? await selectExam(tx, instituteId, examId).executeTakeFirst() : undefined;
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return exam;
};
