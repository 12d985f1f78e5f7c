import { sql } from 'kysely';
import { hasTurn, Held, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { examStatus, refusalOf, type ExamChange } from '@evaluation/rules';
import { isUuid } from '../accept.ts';
import { selectExam } from './findExam.ts';

/**
 * What transactions wait for their turn at that lock the exam. The turn is taken before the exam is looked up, so the
 * institute is a part of it: commands that name an exam of another institute wait only for their own.
 */
export const turnAtExam = (instituteId: string, examId: string): string =>
  `exam ${instituteId} ${examId.toLowerCase()}`;

/** For an exam that another replica of core holds: then it is 503 (docs/architecture.md#lock-order). */
const WAIT_MS = 3000;

/**
 * Every command under an exam begins here: the exam's lock is the first of the lock order (docs/architecture.md#lock-order), and its
 * status is read under it. `NO KEY UPDATE` lets rows that refer to the exam be inserted by others meanwhile.
 * @throws DomainFailure exam_not_found when it is missing, of another institute, not made by the API, or deleted
 * @throws Held for the transaction to wait for its turn at the exam without a connection; in its turn, the database's
 * lock timeout when another replica holds the exam too long
 */
export const lockExam = async (tx: Tx, instituteId: string, examId: string) => {
  const exam = isUuid(examId)
    ? ((await selectExam(tx, instituteId, examId).forNoKeyUpdate().skipLocked().executeTakeFirst()) ??
      (await waitForExam(tx, instituteId, examId)))
    : undefined;
  if (exam === undefined || exam.status === 'deleted') throw new DomainFailure('exam_not_found');
  return exam;
};

/**
 * A free exam needs one statement; only of one that is held, or missing, the wait is set and set back. At most two
 * transactions of this process are in their turn at an exam, so that a burst on one exam holds two connections and not all.
 */
const waitForExam = async (tx: Tx, instituteId: string, examId: string) => {
  const key = turnAtExam(instituteId, examId);
  if (!hasTurn(tx, key)) {
    const seen = await selectExam(tx, instituteId, examId).executeTakeFirst();
    if (seen === undefined || seen.status === 'deleted') return undefined;
    throw new Held(key);
  }
  await sql.raw(`set local lock_timeout = ${WAIT_MS}`).execute(tx);
  const exam = await selectExam(tx, instituteId, examId).forNoKeyUpdate().executeTakeFirst();
  await sql.raw('set local lock_timeout to default').execute(tx);
  return exam;
};

export type LockedExam = Awaited<ReturnType<typeof lockExam>>;

/**
 * What the exam's status refuses (docs/api/lifecycle.md#exams). Apart from the lock only where something else that the path names must
 * exist first.
 * @throws DomainFailure exam_finalized, exam_not_open, conflict
 */
export const refuseChange = (
  exam: Pick<LockedExam, 'status' | 'live_submissions' | 'live_unfinalized'>,
  change: ExamChange,
): void => {
  const refusal = refusalOf(examStatus(exam), change);
  if (refusal !== null) throw new DomainFailure(refusal);
};

/**
 * Locks the exam for a change that its status allows.
 * @throws DomainFailure exam_not_found, exam_finalized, exam_not_open, conflict
 */
export const lockExamFor = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  change: ExamChange,
): Promise<LockedExam> => {
  const exam = await lockExam(tx, instituteId, examId);
  refuseChange(exam, change);
  return exam;
};
