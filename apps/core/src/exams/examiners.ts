import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../command/audit.ts';
import { failure } from '../command/failures.ts';
import { findExam } from '../command/locks/findExam.ts';
import { lockExam } from '../command/locks/lockExam.ts';
import type { Services } from '../command/services.ts';

/*
 * Examiners of an exam. In an institute that assigns its exams, an examiner sees no other ones
 * (`command/locks/visibleExams.ts`); in any other institute the assignment has no effect yet.
 */

interface Examiners {
  /** False: each examiner of the institute sees the exam, assigned or not. */
  assigned_only: boolean;
  /** The institute's examiners who are not disabled, by name. */
  data: { staff_id: string; name: string; is_assigned: boolean }[];
}

/** @throws DomainFailure exam_not_found */
export const listExaminers = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
): Promise<Examiners> =>
  database.inTenant(actor.institute_id, async (tx) =>
    readExaminers(tx, actor.institute_id, (await findExam(tx, actor, examId)).id),
  );

/** Replaces the examiners of an exam. @throws DomainFailure exam_not_found, not_found for another's id */
export const assignExaminers = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  staffIds: readonly string[],
): Promise<Examiners> =>
  database.inTenant(actor.institute_id, async (tx) => {
    const { institute_id: instituteId } = actor;
    const exam = await lockExam(tx, actor, examId);
    const before = await readExaminers(tx, instituteId, exam.id);
    const wanted = new Set(staffIds);
    const known = new Set(before.data.map(({ staff_id }) => staff_id));
    if (![...wanted].every((id) => known.has(id))) throw failure('no_such_staff');
    await tx
      .deleteFrom('exam_examiners')
      .where('institute_id', '=', instituteId)
      .where('exam_id', '=', exam.id)
      .execute();
    await sql`
      insert into exam_examiners (institute_id, exam_id, staff_id)
      select ${instituteId}, ${exam.id}, staff_id from unnest(${[...wanted]}::uuid[]) as w (staff_id)`.execute(
      tx,
    );
    const after = await readExaminers(tx, instituteId, exam.id);
    await audit(tx, actor, [
      {
        action: 'exam_edit',
        exam_id: exam.id,
        before: { examiners: namesIn(before) },
        after: { examiners: namesIn(after) },
      },
    ]);
    return after;
  });

const namesIn = ({ data }: Examiners): string[] =>
  data.filter(({ is_assigned }) => is_assigned).map(({ name }) => name);

const readExaminers = async (tx: Tx, instituteId: string, examId: string): Promise<Examiners> => {
  const settings = await tx
    .selectFrom('institute_settings')
    .select('assigned_only')
    .where('institute_id', '=', instituteId)
    .executeTakeFirst();
  const { rows } = await sql<Examiners['data'][number]>`
    select s.id as staff_id, s.name,
      exists (select from exam_examiners a where a.exam_id = ${examId} and a.staff_id = s.id) as is_assigned
    from staff s
    where s.institute_id = ${instituteId} and s.role = 'examiner' and s.disabled_at is null
    order by s.name, s.id`.execute(tx);
  return { assigned_only: settings?.assigned_only ?? false, data: rows };
};
