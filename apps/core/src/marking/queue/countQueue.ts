import { sql } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';
import { joinReview } from '../../guides/guideMarks.ts';
import type { Services } from '../../command/services.ts';
import { isOpen } from './isOpen.ts';

interface QueueCounts {
  /** Submissions that were counted, at most MOST_COUNTED. */
  counted: number;
  /** False if there are more; the counts are then those of the submissions that wait longest. */
  is_complete: boolean;
  exams: { exam_id: string; title: string; submissions: number }[];
  /** Number of submissions with the reason, on the submission or on a question. */
  reasons: { reason: string; submissions: number }[];
}

/** Each counted submission costs a look-up of its results. */
const MOST_COUNTED = 2000;

/** Counts the review queue by exam and by reason, for the filters of the queue. */
export const countReviewQueue = (services: Services, actor: Actor): Promise<QueueCounts> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { rows } = await sql<Pick<QueueCounts, 'counted' | 'exams' | 'reasons'>>`
      with counted as materialized (
        select s.id, s.institute_id, s.exam_id, s.status, s.review_reasons, s.current_run_id
        from submissions s
        where s.institute_id = ${actor.institute_id} and ${isOpen}
        order by s.updated_at, s.id limit ${MOST_COUNTED + 1}),
      reasons as (
        select distinct s.id, x.reason from counted s
        cross join lateral (
          select unnest(s.review_reasons) as reason
          union all select 'failed' where s.status = 'failed'
          union all select unnest(coalesce(v.review_reasons, r.review_reasons)) from question_results r
            ${joinReview}
            where r.institute_id = s.institute_id and r.run_id = s.current_run_id
              and coalesce(v.needs_review, r.needs_review) and s.status in ('graded', 'partially_graded')) x)
      select (select count(*)::int from counted) as counted,
        (select coalesce(json_agg(json_build_object('exam_id', e.id, 'title', e.title, 'submissions', n.submissions)
            order by n.submissions desc, e.id), '[]')
          from (select exam_id, count(*)::int as submissions from counted group by exam_id) n
          join exams e on e.institute_id = ${actor.institute_id} and e.id = n.exam_id) as exams,
        (select coalesce(json_agg(json_build_object('reason', n.reason, 'submissions', n.submissions)
            order by n.submissions desc, n.reason), '[]')
          from (select reason, count(*)::int as submissions from reasons group by reason) n) as reasons`.execute(
      tx,
    );
    const { counted, exams, reasons } = rows[0] ?? { counted: 0, exams: [], reasons: [] };
    return { counted: Math.min(counted, MOST_COUNTED), is_complete: counted <= MOST_COUNTED, exams, reasons };
  });
