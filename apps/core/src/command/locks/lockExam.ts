import { later, PREPARED, send, type Tx } from '@evaluation/database';
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
export const lockExam = async (tx: Tx, viewer: Viewer, examId: string): Promise<LockedExam> =>
  (await lockExamAndRead(tx, viewer, examId, send)).exam;

export type LockedExam = NonNullable<Awaited<ReturnType<ReturnType<typeof selectExam>['executeTakeFirst']>>>;

/**
 * As `lockExam`. The statement of `read` is sent in the same message and runs under the lock.
 * @returns also what `read` has returned
 */
export const lockExamAndRead = async <T>(
  tx: Tx,
  viewer: Viewer,
  examId: string,
  read: (tx: Tx) => Promise<T>,
): Promise<{ exam: LockedExam; found: T }> => {
  if (!isUuid(examId)) throw new DomainFailure('exam_not_found');
  const locked = await later(tx, selectExam(tx, viewer, examId).forNoKeyUpdate().modifyEnd(PREPARED));
  const found = await read(tx);
  const [exam] = locked();
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return { exam, found };
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
