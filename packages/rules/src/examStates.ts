import type { ExamStatus } from '@evaluation/rest-contract/schemas';

/** Statuses that the database stores; `finalized` is derived (docs/api/lifecycle.md#exams). */
export type StoredExamStatus = Exclude<ExamStatus, 'finalized'>;

export const examStatus = (exam: {
  status: StoredExamStatus;
  live_submissions: number;
  live_unfinalized: number;
}): ExamStatus =>
  exam.status === 'open' && exam.live_submissions > 0 && exam.live_unfinalized === 0
    ? 'finalized'
    : exam.status;
