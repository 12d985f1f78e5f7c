import { sql, type RawBuilder } from 'kysely';

/**
 * FROM clause with the results of question `q` on which a teacher has decided: an override, or the approval of the
 * submission. It has the decision as `d`, with the teacher's mark as `awarded` (null if the grader's was confirmed) and
 * `is_override`, the submission as `s`, and its result with the grader's mark as `r`. Only marks of the AI on live,
 * graded submissions are in it, after `isDecidedResult` in the WHERE clause.
 * @param most newest overrides and newest approvals that are read
 */
export const decidedResults = (instituteId: string, most: number): RawBuilder<unknown> => sql`(
    (select v.submission_id, v.awarded, true as is_override, v.edited_at as decided_at from reviews v
      where v.institute_id = ${instituteId} and v.question_id = q.id and v.application = 0
      order by v.edited_at desc limit ${sql.lit(most)})
    union all
    (select a.id, (select m.awarded from reviews m
          where m.institute_id = ${instituteId} and m.submission_id = a.id and m.question_id = q.id
          order by m.application desc limit 1), false, a.approved_at from submissions a
      where a.institute_id = ${instituteId} and a.exam_id = q.exam_id and a.state = 'live'
        and a.approved_at is not null
        and not exists (select from reviews v where v.submission_id = a.id and v.question_id = q.id and v.application = 0)
      order by a.approved_at desc limit ${sql.lit(most)})
  ) d
  join submissions s on s.institute_id = ${instituteId} and s.id = d.submission_id
  join question_results r on r.institute_id = ${instituteId} and r.run_id = s.current_run_id
    and r.question_id = q.id`;

/** WHERE condition of `decidedResults`. */
export const isDecidedResult = sql<boolean>`s.state = 'live' and s.status in ('graded', 'partially_graded')
  and r.status = 'graded' and r.source = 'ai' and r.awarded is not null`;

/**
 * Condition on `question_results r`: the answer does not try to influence the grader. An answer that does is not an
 * example: its mark says nothing about other answers, and a model must not read it beside them.
 */
export const isTrusted = sql<boolean>`not 'possible_injection' = any(r.review_reasons)`;
