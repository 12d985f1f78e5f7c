import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { verdictOn, type SubmissionChange } from '@evaluation/rules';
import { failure } from '../failures.ts';
import { isUuid } from '../accept.ts';
import { lockExam } from './lockExam.ts';
import { isVisibleTo, type Viewer } from './visibleExams.ts';

/** Selects submissions `s` of the exams `e` that the viewer sees. */
export const visibleSubmissions = (tx: Tx, viewer: Viewer) =>
  tx
    .selectFrom('submissions as s')
    .innerJoin('exams as e', (join) =>
      join
        .onRef('e.institute_id', '=', 's.institute_id')
        .onRef('e.id', '=', 's.exam_id')
        .on(isVisibleTo(viewer)),
    )
    .where('s.institute_id', '=', viewer.institute_id);

/**
 * Locks the submission of a command: first its exam, then the submission. Its state is read under both locks. Workers
 * that record or complete lock only the submission, so grading does not wait for other submissions.
 * @returns the exam and the submission; `isDone` if the submission already has the requested state
 * @throws DomainFailure not_found, exam_not_found, and the refusals of the transition table
 */
export const lockSubmissionFor = async (
  tx: Tx,
  viewer: Viewer,
  submissionId: string,
  change: SubmissionChange,
) => {
  const found = isUuid(submissionId)
    ? await visibleSubmissions(tx, viewer)
        .select('s.exam_id')
        .where('s.id', '=', submissionId)
        .executeTakeFirst()
    : undefined;
  if (found === undefined) throw new DomainFailure('not_found');
  const exam = await lockExam(tx, viewer, found.exam_id);
  const { submission, isDone } = await lockRowFor(tx, viewer.institute_id, submissionId, change);
  return { exam, submission, isDone };
};

/** Changes that need the answer; they are refused for an erased candidate, whose answer is deleted. */
const NEEDS_THE_ANSWER: ReadonlySet<SubmissionChange> = new Set(['re_evaluate', 'override']);

/** As `lockSubmissionFor`, for a caller that holds the exam's lock. */
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
      'marks_revision',
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
