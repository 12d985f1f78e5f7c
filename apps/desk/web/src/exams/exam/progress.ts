import type { ExamOverview } from '../types.ts';

type Counted = Pick<ExamOverview, 'submissions'>;

export const isAtWork = ({ submissions }: Counted): boolean => submissions.waiting + submissions.running > 0;

/** Number of copies that are graded, failed or cancelled. */
export const done = ({ submissions }: Counted): number =>
  submissions.total - submissions.waiting - submissions.running;

const AT_WORK_MS = 3000;
const AT_REST_MS = 60_000;

/** Events of the service refresh pages earlier. This pause matters only when events are lost. */
export const pauseFor = (isBusy: boolean): number => (isBusy ? AT_WORK_MS : AT_REST_MS);
