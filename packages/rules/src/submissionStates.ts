import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';

/** Order of statuses (docs/api/lifecycle.md#submissions). A repeated message never moves a submission back. */
const ORDER: Record<SubmissionStatus, number> = {
  queued: 0,
  processing: 1,
  reading: 2,
  grading: 3,
  graded: 4,
  partially_graded: 4,
  failed: 4,
  cancelled: 4,
};

/** Steps that a worker reports; `reading` occurs in the copy lane only. */
export type GradingStep = 'processing' | 'reading' | 'grading';

export const isOver = (status: SubmissionStatus): boolean => ORDER[status] === ORDER.graded;

/** Whether a reported step moves the status forward; any other step changes nothing. */
export const advances = (from: SubmissionStatus, to: GradingStep): boolean => ORDER[to] > ORDER[from];

/**
 * The status after all questions have an outcome (docs/open-points.md, `partially_graded`). Questions marked by key do
 * not count: a paper without a question marked by the AI has failed and is not charged (decision 015).
 */
export const finalStatus = (
  all: readonly { status: string; source: 'ai' | 'auto' | null }[],
): 'graded' | 'partially_graded' | 'failed' => {
  const results = all.filter(({ source }) => source !== 'auto');
  const failed = results.filter(({ status }) => status === 'failed').length;
  if (failed === 0) return 'graded';
  return results.some(({ status }) => status === 'graded') ? 'partially_graded' : 'failed';
};
