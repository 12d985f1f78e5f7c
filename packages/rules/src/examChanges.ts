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

export type ExamChange =
  /** Title, subject, board and the like; `external_ref`. */
  | 'edit'
  /** Mode, sections, `blind`. */
  | 'restructure'
  /** Add or remove questions; marks, answer keys, options, labels, sections of a question. */
  | 'change_scheme'
  /** Question text, rubrics, model answers, and what is only stored with a question. */
  | 'edit_texts'
  | 'register'
  | 'unregister'
  | 'open'
  | 'submit'
  | 'finalize'
  | 'delete';

type Refusal = 'exam_not_found' | 'exam_finalized' | 'exam_not_open' | 'conflict';

type Row = Record<ExamChange, Refusal | null>;

const DRAFT: Row = {
  edit: null,
  restructure: null,
  change_scheme: null,
  edit_texts: null,
  register: null,
  unregister: null,
  open: null,
  submit: 'exam_not_open',
  finalize: 'conflict',
  delete: null,
};
const FINALIZED: Row = {
  edit: 'exam_finalized',
  restructure: 'exam_finalized',
  change_scheme: 'exam_finalized',
  edit_texts: 'exam_finalized',
  register: 'exam_finalized',
  unregister: 'exam_finalized',
  open: 'exam_finalized',
  submit: null,
  finalize: null,
  delete: 'exam_finalized',
};

/**
 * The error for each change in each status; null allows the change (docs/api/lifecycle.md#exams). The caller also
 * checks that an exam to be deleted has no live submission. A submission to a finalized exam is accepted and reopens
 * the exam.
 */
const TABLE: Record<Exclude<ExamStatus, 'deleted'>, Row> = {
  draft: DRAFT,
  open: { ...DRAFT, restructure: 'conflict', change_scheme: 'conflict', submit: null, finalize: null },
  finalized: FINALIZED,
};

export const refusalOf = (status: ExamStatus, change: ExamChange): Refusal | null =>
  status === 'deleted' ? 'exam_not_found' : TABLE[status][change];
