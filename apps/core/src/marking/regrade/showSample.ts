import { sql } from 'kysely';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';

/** What a regrade would change in a few copies that were graded by the new rubric for free. */
export interface RegradeSample {
  /** Copies that a further sample of this exam may take. */
  copies_left: number;
  /** The newest sample first. */
  copies: {
    submission_id: string;
    /** Version by which the sample was graded. */
    rubric_version: number;
    /** Status of the run of the sample. */
    status: Submission['status'];
    /** Questions that the AI marked and no teacher, with both marks; empty until the run is over. */
    marks: { question_id: string; label: string; max: number; before: number | null; after: number | null }[];
  }[];
}

/** @throws DomainFailure exam_not_found */
export const showSample = (services: Services, actor: Actor, examId: string): Promise<RegradeSample> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const { rows } = await sql<RegradeSample['copies'][number]>`
      select o.submission_id, o.rubric_version, s.status,
        case when s.status in ('graded', 'partially_graded') then (
          select coalesce(json_agg(json_build_object('question_id', q.id, 'label', q.label, 'max', a.max,
            'before', b.awarded, 'after', a.awarded) order by q.position), '[]')
          from question_results a
          join questions c on c.institute_id = a.institute_id and c.id = a.question_id
          join questions q on q.institute_id = a.institute_id and q.exam_id = o.exam_id and q.label_key = c.label_key
          left join question_results b on b.institute_id = o.institute_id and b.run_id = o.run_id
            and b.question_id = q.id
          where a.institute_id = s.institute_id and a.run_id = s.current_run_id and a.source is distinct from 'auto'
            and a.status in ('graded', 'failed')
            and not exists (select from reviews r where r.application = 0 and r.institute_id = o.institute_id
              and r.submission_id = o.submission_id and r.question_id = q.id)) else '[]' end as marks
      from regrade_samples o
      join submissions s on s.institute_id = o.institute_id and s.id = o.sample_submission_id
      where o.institute_id = ${actor.institute_id} and o.exam_id = ${exam.id}
      order by o.created_at desc, o.sample_submission_id desc`.execute(tx);
    return {
      copies_left: Math.max(0, services.settings.regradeSampleCopies - rows.length),
      copies: rows,
    };
  });
