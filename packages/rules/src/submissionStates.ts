import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';

/** See docs/api/lifecycle.md#submissions. A running copy moves forward through these and never back, whatever is delivered again. */
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

/** The steps a worker reports; `reading` is of the copy lane only. */
export type GradingStep = 'processing' | 'reading' | 'grading';

export const isOver = (status: SubmissionStatus): boolean => ORDER[status] === ORDER.graded;

/** Whether a worker's step moves the status; a step that is not ahead changes nothing. */
export const advances = (from: SubmissionStatus, to: GradingStep): boolean => ORDER[to] > ORDER[from];

/**
 * The status when every question is settled (docs/open-points.md, `partially_graded`). Questions that were marked by their
 * key do not count: a paper of which the AI marked nothing has failed and is not charged (decision 010).
 */
export const finalStatus = (
  all: readonly { status: string; source: 'ai' | 'auto' | null }[],
): 'graded' | 'partially_graded' | 'failed' => {
  const results = all.filter(({ source }) => source !== 'auto');
  const failed = results.filter(({ status }) => status === 'failed').length;
  if (failed === 0) return 'graded';
  return results.some(({ status }) => status === 'graded') ? 'partially_graded' : 'failed';
};
