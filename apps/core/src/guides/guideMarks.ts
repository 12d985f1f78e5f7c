import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { MarkAndFlags } from '@evaluation/guide';

/*
 * `question_results` has the marks of the grader, and no command changes them. `reviews` has the marks that count
 * instead, each with its flags: a teacher's mark (`application` 0), or the marks that applications of guides gave to
 * the result of the current run. A teacher's mark counts first, then that of the latest application. So an undo deletes
 * rows, and the mark from before counts again. Rows are written under the submission's lock.
 */

/** Joins `v` to a result `r` of a submission `s`: the row of `reviews` that counts, if there is one. */
export const joinReview = sql`left join lateral (
    select m.application, m.awarded, m.confidence, m.needs_review, m.review_reasons, m.reason, m.criteria,
      m.feedback, m.key_id from reviews m
    where m.institute_id = r.institute_id and m.submission_id = s.id and m.question_id = r.question_id
    order by m.application = 0 desc, m.application desc limit 1) v on true`;

/** `MarkAndFlags` of a row of `reviews` or `question_results`. */
export const markAndFlags = (row: 'm' | 'r'): RawBuilder<MarkAndFlags> => {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql`json_build_object('awarded', ${column('awarded')}::float8, 'confidence', ${column('confidence')}::float8,
    'needs_review', ${column('needs_review')}, 'review_reasons', ${column('review_reasons')})`;
};

interface GuideMark {
  question_id: string;
  /** Version of the question's guide. */
  version: number;
  threshold: number | null;
  mark: MarkAndFlags;
}

/** Reads the marks of guides that count for the results of a run; none if it is not its submission's current run. */
export const readGuideMarks = async (
  tx: Tx,
  instituteId: string,
  runId: string,
): Promise<Map<string, GuideMark>> => {
  const { rows } = await sql<GuideMark>`
    select distinct on (m.question_id) m.question_id, (a.versions ->> m.question_id::text)::int as version,
      m.threshold::float8 as threshold, ${markAndFlags('m')} as mark
    from runs
    join submissions s on s.institute_id = ${instituteId} and s.id = runs.submission_id and s.current_run_id = runs.id
    join reviews m on m.institute_id = ${instituteId} and m.submission_id = s.id and m.application > 0
    join guide_applications a on a.institute_id = ${instituteId} and a.exam_id = s.exam_id and a.number = m.application
    where runs.institute_id = ${instituteId} and runs.id = ${runId}
    order by m.question_id, m.application desc`.execute(tx);
  return new Map(rows.map((mark) => [mark.question_id, mark]));
};

/**
 * Inserts marks of an application. A mark that it gave with the completion of a run is replaced, if passing was stopped
 * since.
 * @param keyId the person who applied the guides
 */
export const insertGuideMarks = async (
  tx: Tx,
  instituteId: string,
  { number, keyId }: { number: number; keyId: string },
  marks: readonly {
    result: { submission_id: string; question_id: string };
    threshold: number | null;
    after: MarkAndFlags;
  }[],
): Promise<void> => {
  if (marks.length === 0) return;
  const rows = marks.map(({ result, threshold, after }) => ({
    submission_id: result.submission_id,
    question_id: result.question_id,
    threshold,
    ...after,
  }));
  await sql`
    insert into reviews (institute_id, submission_id, question_id, application, awarded, confidence, needs_review,
      review_reasons, threshold, reviewer, key_id, edited_at)
    select ${instituteId}::uuid, m.submission_id, m.question_id, ${number}::int, m.awarded, m.confidence, m.needs_review,
      array(select jsonb_array_elements_text(m.review_reasons)), m.threshold, 'guide', ${keyId}::uuid, clock_timestamp()
    from json_to_recordset(${JSON.stringify(rows)}::json) as m (submission_id uuid, question_id uuid, awarded numeric,
      confidence numeric, needs_review boolean, review_reasons jsonb, threshold numeric)
    on conflict (submission_id, question_id, application) do update set awarded = excluded.awarded,
      confidence = excluded.confidence, needs_review = excluded.needs_review,
      review_reasons = excluded.review_reasons, threshold = excluded.threshold`.execute(tx);
};

/** Deletes the marks of an application, but for submissions that are approved or finalized. @returns the submissions */
export const deleteGuideMarks = async (
  tx: Tx,
  instituteId: string,
  number: number,
  submissionIds: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ submission_id: string }>`
    delete from reviews m using submissions s
    where m.institute_id = ${instituteId} and m.application = ${number}
      and m.submission_id = any(${submissionIds}::uuid[])
      and s.institute_id = m.institute_id and s.id = m.submission_id
      and s.approved_at is null and s.finalized_at is null
    returning m.submission_id`.execute(tx);
  return new Set(rows.map(({ submission_id }) => submission_id));
};

/** Deletes all marks of guides on a submission, whose results a new run replaces. */
export const dropGuideMarks = async (tx: Tx, instituteId: string, submissionId: string): Promise<void> => {
  await tx
    .deleteFrom('reviews')
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .where('application', '>', 0)
    .execute();
};
