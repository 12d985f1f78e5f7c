import type { Submission, SubmissionStatus } from '@evaluation/rest-contract/schemas';

export type SubmissionChange =
  | 'cancel'
  | 'replace'
  | 'delete'
  | 're_evaluate'
  | 'override'
  | 'approve'
  | 'unfinalize';

type SubmissionRefusal = 'conflict' | 'already_completed' | 'evaluation_in_progress' | 'submission_finalized';

/** `done`: the submission is already in the requested state, and the response is that of `allowed`. */
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
/** Grading has ended without marks to review. */
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

/** Verdict by status (docs/api/lifecycle.md#submissions). Reports of workers follow `advances` and `finalStatus`. */
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

/** A finalized submission allows only `unfinalize`. */
const FINALIZED: Row = {
  cancel: 'already_completed',
  replace: 'submission_finalized',
  delete: 'submission_finalized',
  re_evaluate: 'submission_finalized',
  override: 'submission_finalized',
  approve: 'submission_finalized',
  unfinalize: 'allowed',
};

/** Only a live submission can be changed (docs/api/submissions.md#fields, `state`). */
export const verdictOn = (
  submission: { state: Submission['state']; status: SubmissionStatus; finalized: boolean },
  change: SubmissionChange,
): Verdict => {
  if (submission.state !== 'live') return 'conflict';
  return (submission.finalized ? FINALIZED : TABLE[submission.status])[change];
};

/** `finalize`, or the reason why the submission is skipped (docs/api/review.md#finalize, `skipped`). */
export type FinalizeVerdict = 'finalize' | 'not_live' | 'already_finalized' | 'not_graded';

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
