import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { verdictOn, type SubmissionChange } from '@evaluation/rules';
import { failure } from '../failures.ts';
import { isUuid } from '../accept.ts';
import { lockExam } from './lockExam.ts';

/** Submissions `s` with their exams `e`. Exams that were made in the dashboard do not exist for the API. */
export const submissionsOfApi = (tx: Tx) =>
  tx
    .selectFrom('submissions as s')
    .innerJoin('exams as e', (join) =>
      join
        .onRef('e.institute_id', '=', 's.institute_id')
        .onRef('e.id', '=', 's.exam_id')
        .on('e.source', '=', 'api'),
    );

/**
 * Every command on a submission begins here: its exam's lock, then its own (docs/architecture.md#lock-order), and its state is read under
 * both. A worker that records or completes takes the second alone, so grading never waits for other submissions.
 * @returns the exam and the submission; `isDone` when it is as asked for already
 * @throws DomainFailure not_found, exam_not_found, and what the transition table refuses (docs/api/lifecycle.md#submissions)
 */
export const lockSubmissionFor = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
  change: SubmissionChange,
) => {
  const found = isUuid(submissionId)
    ? await submissionsOfApi(tx)
        .select('s.exam_id')
        .where('s.institute_id', '=', instituteId)
        .where('s.id', '=', submissionId)
        .executeTakeFirst()
    : undefined;
  if (found === undefined) throw new DomainFailure('not_found');
  const exam = await lockExam(tx, instituteId, found.exam_id);
  const { submission, isDone } = await lockRowFor(tx, instituteId, submissionId, change);
  return { exam, submission, isDone };
};

/** Of an erased candidate there is nothing left to mark; the marks as they are may still be approved or finalized. */
const NEEDS_THE_ANSWER: ReadonlySet<SubmissionChange> = new Set(['re_evaluate', 'override']);

/** The same for a caller that holds the exam's lock. */
export const lockRowFor = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
  change: SubmissionChange,
) => {
  const submission = await tx
    .selectFrom('submissions')
    .select([
      'id',
      'exam_id',
      'upload_id',
      'state',
      'status',
      'finalized_at',
      'lane',
      'pages',
      'attempt_count',
      'current_run_id',
      'quote_credits',
      'needs_review',
      'review_reasons',
      'approved_at',
      'erased_at',
    ])
    .where('institute_id', '=', instituteId)
    .where('id', '=', submissionId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const verdict = verdictOn(
    { state: submission.state, status: submission.status, finalized: submission.finalized_at !== null },
    change,
  );
  if (verdict !== 'allowed' && verdict !== 'done') throw new DomainFailure(verdict);
  if (submission.erased_at !== null && NEEDS_THE_ANSWER.has(change)) {
    throw failure('candidate_erased');
  }
  return { submission, isDone: verdict === 'done' };
};

export type LockedSubmission = Awaited<ReturnType<typeof lockRowFor>>['submission'];
