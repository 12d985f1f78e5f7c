import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';

/** The actor of a call, as far as it decides which exams the call may see. */
export type Viewer = Pick<Actor, 'institute_id' | 'staff'> & Partial<Pick<Actor, 'key_id'>>;

/**
 * Condition on an exam: staff sees the exams that the API or the desk made, an API key sees those of the API. Papers
 * and keys of a draft are secret until the exam is open, so an examiner sees no draft, and in an institute that assigns
 * its exams only those that are assigned to this person. Every read and every lock of an exam or a submission by id
 * uses the condition, so that other exams answer as missing. The source is part of the statement and not a parameter:
 * the partial index `exams_listed` needs that.
 * @param exam alias of the exam in the statement
 */
export const isVisibleTo = ({ staff, key_id: staffId }: Viewer, exam = 'e'): RawBuilder<boolean> => {
  if (staff === undefined) return sql<boolean>`${sql.ref(`${exam}.source`)} = 'api'`;
  if (staff.role !== 'examiner') return sql<boolean>`true`;
  return sql<boolean>`(${sql.ref(`${exam}.status`)} <> 'draft' and (
    not exists (
      select from institute_settings i where i.institute_id = ${sql.ref(`${exam}.institute_id`)} and i.assigned_only)
    or exists (
      select from exam_examiners a
      where a.exam_id = ${sql.ref(`${exam}.id`)} and a.staff_id = ${staffId ?? null}::uuid)))`;
};

/** Submissions `s` of exams that the viewer sees. A lookup for each row, because a join would read whole tables. */
export const isOfVisibleExam = (viewer: Viewer): RawBuilder<boolean> =>
  sql<boolean>`(
  select ${isVisibleTo(viewer)} from exams e where e.institute_id = s.institute_id and e.id = s.exam_id)`;

/** Source of an exam that this actor creates. */
export const sourceOf = (viewer: Viewer): 'api' | 'dashboard' =>
  viewer.staff === undefined ? 'api' : 'dashboard';
