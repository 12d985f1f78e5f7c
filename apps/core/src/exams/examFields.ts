import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { ExamEdit } from '@evaluation/rest-contract/schemas';

/**
 * Fields of an exam that its client sets. Each is a column of `exams` with the same name. Creating, editing, saving,
 * copying and showing an exam all use this list, so a new field of the contract needs only its column.
 */
export const EXAM_FIELDS = ExamEdit.omit({ sections: true }).keyof().options;
type ExamField = (typeof EXAM_FIELDS)[number];

const STATE_FIELDS = ['status', 'live_submissions', 'live_unfinalized'] as const;
type StateField = (typeof STATE_FIELDS)[number];

export const examFieldsOf = <T extends { [F in ExamField]?: unknown }>(
  from: T,
): Pick<T, ExamField & keyof T> =>
  Object.fromEntries(EXAM_FIELDS.map((field) => [field, from[field]])) as Pick<T, ExamField & keyof T>;

export const isClearable = (field: ExamField): boolean => CLEARABLE.has(field);

const CLEARABLE: ReadonlySet<ExamField> = new Set(
  EXAM_FIELDS.filter((field) => ExamEdit.shape[field].safeParse(null).success),
);

export type ExamFields = Awaited<ReturnType<typeof readExamFields>>;

/** Reads the fields of an exam that an edit can change, and those that its state is derived from. */
export const readExamFields = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .selectFrom('exams')
    .select([...STATE_FIELDS, ...EXAM_FIELDS])
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .executeTakeFirstOrThrow();

/** The caller holds the exam's lock. `changed` may be empty if only another part of the exam has changed. */
export const writeExamFields = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  changed: Partial<Omit<ExamFields, StateField>>,
): Promise<void> => {
  await tx
    .updateTable('exams')
    // A change of sections alone must also move `updated_at` of the exam; a trigger sets the new value.
    .set({ ...changed, updated_at: sql<Date>`updated_at` })
    .where('institute_id', '=', exam.instituteId)
    .where('id', '=', exam.examId)
    .execute();
  if ('blind' in changed) await touchRegistrations(tx, exam.instituteId, exam.examId);
};

/** `blind` shows or hides names, and clients follow the list of candidates by `updated_since`. */
const touchRegistrations = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .updateTable('registrations')
    .set({ updated_at: sql<Date>`updated_at` })
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .execute();
