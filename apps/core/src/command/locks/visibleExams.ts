import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';

/** The actor of a call, as far as it decides which exams the call may see. */
export type Viewer = Pick<Actor, 'institute_id' | 'staff'>;

/**
 * Condition on an exam: staff sees the exams that the API or the desk made, an API key sees those of the API. Papers
 * and keys of a draft are secret until the exam is open, so an examiner sees no draft. Every read and every lock of an
 * exam or a submission by id uses the condition, so that other exams answer as missing. The source is part of the
 * statement and not a parameter: the partial index `exams_listed` needs that.
 * @param exam alias of the exam in the statement
 */
export const isVisibleTo = ({ staff }: Viewer, exam = 'e'): RawBuilder<boolean> => {
  if (staff === undefined) return sql<boolean>`${sql.ref(`${exam}.source`)} = 'api'`;
  return staff.role === 'examiner'
    ? sql<boolean>`${sql.ref(`${exam}.status`)} <> 'draft'`
    : sql<boolean>`true`;
};

/** Source of an exam that this actor creates. */
export const sourceOf = (viewer: Viewer): 'api' | 'dashboard' =>
  viewer.staff === undefined ? 'api' : 'dashboard';
