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

/**
 * Every command under an exam begins here: the exam's lock is the first of the lock order (design 3.2), and its
 * status is read under it. `NO KEY UPDATE` lets rows that refer to the exam be inserted by others meanwhile.
 * @throws DomainFailure exam_not_found when it is missing, of another institute, not made by the API, or deleted
 */
export const lockExam = async (tx: Tx, instituteId: string, examId: string) => {
  const exam = isUuid(examId)
    ? await tx
        .selectFrom('exams')
        .select(COLUMNS)
        .where('institute_id', '=', instituteId)
        .where('id', '=', examId)
        .where('source', '=', 'api')
        .forNoKeyUpdate()
        .executeTakeFirst()
    : undefined;
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return exam;
};
