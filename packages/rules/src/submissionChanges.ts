import type { Submission, SubmissionStatus } from '@evaluation/rest-contract/schemas';

/** Everything a client can ask of a submission that its status may refuse. */
export type SubmissionChange =
  'cancel' | 'replace' | 'delete' | 're_evaluate' | 'override' | 'approve' | 'unfinalize';

export type SubmissionRefusal =
  'conflict' | 'already_completed' | 'evaluation_in_progress' | 'submission_finalized';

/** `allowed`: it changes; `done`: it is as asked for already, and the answer is the same; else the error. */
export type Verdict = 'allowed' | 'done' | SubmissionRefusal;

type Row = Record<SubmissionChange, Verdict>;

const RUNNING: Row = {
  cancel: 'allowed',
  replace: 'allowed',
  delete: 'allowed',
  re_evaluate: 'evaluation_in_progress',
  override: 'conflict',
  approve: 'conflict',
  unfinalize: 'conflict',
};
/** Grading is over and there is nothing to review. */
const OVER: Row = {
  cancel: 'already_completed',
  replace: 'allowed',
  delete: 'allowed',
  re_evaluate: 'allowed',
  override: 'conflict',
  approve: 'conflict',
  unfinalize: 'conflict',
};
const MARKED: Row = { ...OVER, override: 'allowed', approve: 'allowed' };

/** What each status allows (docs/api/lifecycle.md#submissions), as one table. What a worker reports is `advances` and `finalStatus`. */
const TABLE: Record<SubmissionStatus, Row> = {
  queued: RUNNING,
  processing: RUNNING,
  reading: RUNNING,
  grading: RUNNING,
  graded: MARKED,
  partially_graded: MARKED,
  failed: OVER,
  cancelled: { ...OVER, cancel: 'done' },
};

/** Of a finalized submission: grading is over, and nothing else may change (docs/api/lifecycle.md#submissions). */
const FINALIZED: Row = {
  cancel: 'already_completed',
  replace: 'submission_finalized',
  delete: 'submission_finalized',
  re_evaluate: 'submission_finalized',
  override: 'submission_finalized',
  approve: 'submission_finalized',
  unfinalize: 'allowed',
};

/** What becomes of a change; only a live submission can be changed (docs/api/submissions.md#fields, `state`). */
export const verdictOn = (
  submission: { state: Submission['state']; status: SubmissionStatus; finalized: boolean },
  change: SubmissionChange,
): Verdict => {
  if (submission.state !== 'live') return 'conflict';
  return (submission.finalized ? FINALIZED : TABLE[submission.status])[change];
};

/** `finalize`, or why a submission that was named is left as it is (docs/api/review.md#finalize, `skipped`). */
export type FinalizeVerdict = 'finalize' | 'not_live' | 'already_finalized' | 'not_graded';

/** What becomes of a submission when results are finalized (docs/api/lifecycle.md#submissions). */
export const finalizeVerdict = (
  submission: { state: Submission['state']; status: SubmissionStatus; finalized: boolean },
  allowPartial: boolean,
): FinalizeVerdict => {
  if (submission.state !== 'live') return 'not_live';
  if (submission.finalized) return 'already_finalized';
  if (submission.status === 'graded') return 'finalize';
  const isPartial = submission.status === 'partially_graded' || submission.status === 'failed';
  return isPartial && allowPartial ? 'finalize' : 'not_graded';
};
