import { sql, type RawBuilder } from 'kysely';
import type { Viewer } from '../../command/locks/visibleExams.ts';

/**
 * The candidate of a row with this alias (a submission or a registration) as the viewer may see it; a subselect for a
 * lateral join. Every read that shows candidates of an exam uses it:
 *
 *   blind exam, for all      ──▶ no name
 *   blind exam, an examiner  ──▶ a pseudonym of this exam in place of `id` and `external_id`, and nothing else of the
 *                                candidate; `is_hidden`, so that the caller leaves out what else the institute has sent
 *
 * The pseudonym is the id of the registration, so one candidate has another in each exam. An examiner reads the exam's
 * `created_at` in place of the candidate's, on every exam: the candidate's is often that of a copy on a blind exam.
 */
export const shownCandidate = (viewer: Viewer, alias: 's' | 'r' | 'm' | 'k'): RawBuilder<unknown> => {
  const row = sql.ref(alias);
  const ofExam = (column: 'blind' | 'created_at') => sql`(
    select ${sql.ref(`e.${column}`)} from exams e where e.institute_id = c.institute_id and e.id = ${row}.exam_id)`;
  const isBlind = ofExam('blind');
  const same = sql`c.institute_id = ${row}.institute_id and c.id = ${row}.candidate_id`;
  if (viewer.staff?.role !== 'examiner') {
    return sql`(
    select c.id, c.external_id, case when not ${isBlind} then c.name end as name, c.roll_number, c.section_or_class,
      c.metadata, c.created_at, false as is_hidden
    from candidates c where ${same})`;
  }
  const registration = sql`(
    select g.id from registrations g
    where g.institute_id = c.institute_id and g.exam_id = ${row}.exam_id and g.candidate_id = c.id)`;
  const unless = (column: string) => sql`case when not ${isBlind} then ${sql.ref(`c.${column}`)} end`;
  return sql`(
    select case when ${isBlind} then ${registration} else c.id end as id,
      case when ${isBlind} then 'C-' || upper(right(${registration}::text, 6)) else c.external_id end as external_id,
      ${unless('name')} as name, ${unless('roll_number')} as roll_number,
      ${unless('section_or_class')} as section_or_class, ${unless('metadata')} as metadata,
      ${ofExam('created_at')} as created_at, ${isBlind} as is_hidden
    from candidates c where ${same})`;
};

/**
 * By what a list of an exam is in order: the candidate, or on a blind exam for an examiner the hash of the row. The
 * order of candidates is the same in each exam, so the place in a list would name the candidate.
 */
export const placeInList = (
  viewer: Viewer,
  exam: { blind: boolean },
  alias: 's' | 'r' | 'g',
): RawBuilder<unknown> =>
  exam.blind && viewer.staff?.role === 'examiner'
    ? sql`md5(${sql.ref(`${alias}.id`)}::text)`
    : sql.ref(`${alias}.candidate_id`);
