import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Viewer } from '../../command/locks/visibleExams.ts';

/*
 * Work on an exam that is shared out (`../sharing/shareOut.ts`). A share is a question, or a candidate whose copy is
 * meant. What is shared with no person is the work of all.
 */

/**
 * Ids of the people to whom work on an exam can be given: those whose accounts are not disabled and who see the exam.
 * Shares of other people do not count. @param examId an id, or a column of the statement
 */
export const peopleOfExam = (
  { institute_id: instituteId }: Pick<Viewer, 'institute_id'>,
  examId: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  select p.id from staff p
  where p.institute_id = ${instituteId} and p.disabled_at is null and (
    p.role = 'admin'
    or not exists (select from institute_settings i where i.institute_id = ${instituteId} and i.assigned_only)
    or exists (select from exam_examiners a where a.exam_id = ${examId} and a.staff_id = p.id))`;

/**
 * Condition on a submission `s`: its answer to the question is the viewer's work.
 * @param questionId an id or a column; null for a question that is not known, then only shares of candidates count
 */
export const isOwnWork = (
  viewer: Viewer,
  questionId: RawBuilder<unknown> | null = null,
): RawBuilder<boolean> => {
  const subjects = questionId === null ? sql`s.candidate_id` : sql`s.candidate_id, ${questionId}`;
  return sql<boolean>`coalesce((
    select bool_or(m.staff_id = ${viewer.key_id ?? null}::uuid) from marking_shares m
    where m.institute_id = ${viewer.institute_id} and m.exam_id = s.exam_id and m.subject_id in (${subjects})
      and m.staff_id in (${peopleOfExam(viewer, sql`s.exam_id`)})), true)`;
};

/** Whether work on the exam is shared out. */
export const isSharedOut = async (
  tx: Tx,
  { institute_id: instituteId }: Pick<Viewer, 'institute_id'>,
  examId: string,
): Promise<boolean> => {
  const share = await tx
    .selectFrom('marking_shares')
    .select('subject_id')
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .limit(1)
    .executeTakeFirst();
  return share !== undefined;
};
