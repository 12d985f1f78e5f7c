import { sql } from 'kysely';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import { joinReview } from '../../guides/guideMarks.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';
import { isOwnWork, isSharedOut } from './ownShare.ts';

/** How far the marking of one question is. Counts results of graded copies. */
interface QuestionProgress {
  question_id: string;
  label: string;
  /** Results of the question. */
  answers: number;
  /** Of them, those that need no teacher any more: marked or approved by a teacher, or by the key without a flag. */
  decided: number;
  /** Marked by this person. */
  mine: number;
  needs_review: number;
  flagged: number;
  /** Results that are this person's work, and those of them that are decided; all if no work is shared out. */
  own: number;
  own_decided: number;
}

/** Condition on a result `r` of a submission `s`, with `joinReview`: no teacher has to decide on it any more. */
export const isDecided = sql<boolean>`(
  s.approved_at is not null or v.application = 0 or (r.source = 'auto' and not r.needs_review))`;

/** The questions of an exam in the order of the paper, in three statements. @throws DomainFailure exam_not_found */
export const questionProgress = (
  services: Services,
  actor: StaffActor,
  { exam_id }: { exam_id: string },
): Promise<{ is_shared: boolean; data: QuestionProgress[] }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, exam_id);
    const isShared = await isSharedOut(tx, actor, exam.id);
    const { rows } = await sql<QuestionProgress>`
      select q.id as question_id, q.label, count(made.id)::int as answers,
        count(*) filter (where made.is_decided)::int as decided,
        count(*) filter (where made.is_mine)::int as mine,
        count(*) filter (where made.needs_review)::int as needs_review,
        count(*) filter (where made.is_flagged)::int as flagged,
        count(*) filter (where made.is_own)::int as own,
        count(*) filter (where made.is_own and made.is_decided)::int as own_decided
      from questions q
      left join lateral (
        select s.id,
          ${isDecided} as is_decided,
          v.application = 0 and v.key_id = ${actor.key_id}::uuid as is_mine,
          s.approved_at is null and coalesce(v.needs_review, r.needs_review) as needs_review,
          exists (select from marking_flags f
            where f.institute_id = s.institute_id and f.submission_id = s.id and f.question_id = r.question_id)
            as is_flagged,
          ${isShared ? isOwnWork(actor, sql`r.question_id`) : sql`true`} as is_own
        from submissions s
        join question_results r
          on r.institute_id = s.institute_id and r.run_id = s.current_run_id and r.question_id = q.id
        ${joinReview}
        where s.institute_id = q.institute_id and s.exam_id = q.exam_id and s.state = 'live'
          and s.status in ('graded', 'partially_graded') and s.erased_at is null
      ) made on true
      where q.institute_id = ${actor.institute_id} and q.exam_id = ${exam.id}
      group by q.id
      order by q.position`.execute(tx);
    return { is_shared: isShared, data: rows };
  });
