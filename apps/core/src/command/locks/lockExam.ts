import { sql } from 'kysely';
import { hasTurn, Held, later, PREPARED, send, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { examStatus, refusalOf, type ExamChange } from '@evaluation/rules';
import { isUuid } from '../accept.ts';
import { selectExam } from './findExam.ts';
import type { Viewer } from './visibleExams.ts';

/**
 * Key of the turns at an exam. It contains the institute, because the turn is taken before the exam is looked up:
 * commands with a foreign exam's id wait only for their own institute.
 */
export const turnAtExam = (instituteId: string, examId: string): string =>
  `exam ${instituteId} ${examId.toLowerCase()}`;

/** Longest wait for an exam that another replica holds; then 503. */
const WAIT_MS = 3000;

/**
 * Locks the exam of a command. It is the first lock of the lock order (docs/architecture.md#lock-order), and the exam's
 * status is read under it. `NO KEY UPDATE` lets other transactions insert rows that refer to the exam.
 * @throws DomainFailure exam_not_found if it is missing, of another institute, not visible, or deleted
 * @throws Held if the exam is locked and the transaction does not have its turn: the database rolls the transaction
 * back and runs it again in its turn, and it holds no connection meanwhile
 * @throws the database's lock timeout if the transaction has its turn and another replica holds the exam for WAIT_MS
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
  const key = turnAtExam(viewer.institute_id, examId);
  const isItsTurn = hasTurn(tx, key);
  const locked = await (isItsTurn ? lockInTurn : lockAtOnce)(tx, viewer, examId);
  const found = await read(tx);
  const [exam] = locked();
  if (exam === undefined && !isItsTurn) {
    const seen = await selectExam(tx, viewer, examId).modifyEnd(PREPARED).executeTakeFirst();
    if (seen !== undefined && seen.status !== 'deleted') throw new Held(key);
  }
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return { exam, found };
};

const lockAtOnce = (tx: Tx, viewer: Viewer, examId: string) =>
  later(tx, selectExam(tx, viewer, examId).forNoKeyUpdate().skipLocked().modifyEnd(PREPARED));

/**
 * Waits for the exam. At most two transactions of this process have their turn at an exam, so a burst on one exam holds
 * two connections.
 */
const lockInTurn = async (tx: Tx, viewer: Viewer, examId: string) => {
  await later(tx, sql`${PREPARED} set local lock_timeout = ${sql.lit(WAIT_MS)}`);
  const locked = await later(tx, selectExam(tx, viewer, examId).forNoKeyUpdate().modifyEnd(PREPARED));
  await later(tx, sql`${PREPARED} set local lock_timeout to default`);
  return locked;
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
