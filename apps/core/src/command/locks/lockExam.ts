import { send, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { examStatus, refusalOf, type ExamChange } from '@evaluation/rules';
import { isUuid } from '../accept.ts';
import { selectExam } from './findExam.ts';
import type { Viewer } from './visibleExams.ts';

/**
 * Locks the exam of a command. It is the first lock of the lock order (docs/architecture.md#lock-order), and the exam's
 * status is read under it. `NO KEY UPDATE` lets other transactions insert rows that refer to the exam.
 * @throws DomainFailure exam_not_found if it is missing, of another institute, not visible, or deleted
 * @throws the database's lock timeout, after which the client gets 503
 */
export const lockExam = async (tx: Tx, viewer: Viewer, examId: string): Promise<LockedExam> => {
  const [locked] = await send(tx, examLock(tx, viewer, examId));
  return existingExam(locked);
};

export type LockedExam = NonNullable<Awaited<ReturnType<ReturnType<typeof selectExam>['executeTakeFirst']>>>;

/** The statement of `lockExam`, to be sent together with reads that run under the lock. */
export const examLock = (tx: Tx, viewer: Viewer, examId: string) => {
  if (!isUuid(examId)) throw new DomainFailure('exam_not_found');
  return selectExam(tx, viewer, examId).forNoKeyUpdate();
};

/** @param locked rows of `examLock` */
export const existingExam = ([exam]: LockedExam[]): LockedExam => {
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return exam;
};

/**
 * Refuses a change that the exam's status does not allow. `lockExamFor` calls it; a command calls it itself if it must
 * check another resource first.
 * @throws DomainFailure exam_finalized, exam_not_open, conflict
 */
export const refuseChange = (
  exam: Pick<LockedExam, 'status' | 'live_submissions' | 'live_unfinalized'>,
  change: ExamChange,
): void => {
  const refusal = refusalOf(examStatus(exam), change);
  if (refusal !== null) throw new DomainFailure(refusal);
};

export const lockExamFor = async (
  tx: Tx,
  viewer: Viewer,
  examId: string,
  change: ExamChange,
): Promise<LockedExam> => {
  const exam = await lockExam(tx, viewer, examId);
  refuseChange(exam, change);
  return exam;
};
