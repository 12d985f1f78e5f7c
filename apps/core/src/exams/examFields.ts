import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

const FIELDS = [
  'status',
  'live_submissions',
  'live_unfinalized',
  'title',
  'mode',
  'external_ref',
  'conducted_on',
  'subject',
  'level',
  'board',
  'class',
  'instructions',
  'answer_language',
  'feedback_language',
  'blind',
] as const;

/** The fields of an exam that an edit can change, and those that its state is derived from. */
export const readExamFields = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .selectFrom('exams')
    .select(FIELDS)
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .executeTakeFirstOrThrow();

/** The caller holds the exam's lock. Also called without a change, if another part of the exam has changed. */
export const writeExamFields = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  changed: Partial<Omit<Awaited<ReturnType<typeof readExamFields>>, StateField>>,
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

type StateField = 'status' | 'live_submissions' | 'live_unfinalized';

/** `blind` shows or hides names, and clients follow the list of candidates by `updated_since`. */
const touchRegistrations = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .updateTable('registrations')
    .set({ updated_at: sql<Date>`updated_at` })
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .execute();
