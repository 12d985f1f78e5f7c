import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { EXACT_UP_TO } from '@evaluation/guide';
import { MARK_STEP } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { noteGuideEvent } from './guideEvents.ts';

/*
 * The audit of marks that pass without review: a random share of them (`isDrawnForAudit`) keeps its review flag. When
 * the teacher has decided on such a mark, by an override or by approving the submission, it counts as agreed if the
 * teacher's mark lies within one step. On a question of one mark, both marks must be equal (`scaleOf`). Only marks of
 * the application in force count. When the share of agreed marks falls below the exam's target, passing stops for the
 * exam until a teacher resumes it.
 */

export interface AuditCounts {
  audited: number;
  decided: number;
  agreed: number;
}

/** Condition on a guide's mark `m`: it passes, and was drawn for the audit. */
const isAudited = sql<boolean>`'guide_audit' = any(m.review_reasons)`;

export const readAudit = async (tx: Tx, instituteId: string, examId: string): Promise<AuditCounts> => {
  const { rows } = await sql<AuditCounts>`
    select count(*)::int as audited,
      (count(*) filter (where d.awarded is not null))::int as decided,
      (count(*) filter (where abs(d.awarded - m.awarded)
        <= case when q.max_marks <= ${EXACT_UP_TO}::numeric then 0 else ${MARK_STEP}::numeric end))::int as agreed
    from exam_guides g
    join questions q on q.institute_id = g.institute_id and q.exam_id = g.exam_id
    join reviews m on m.institute_id = g.institute_id and m.question_id = q.id and m.application = g.in_force
      and ${isAudited}
    join submissions s on s.institute_id = m.institute_id and s.id = m.submission_id and s.state = 'live'
    left join reviews v on v.institute_id = m.institute_id and v.submission_id = m.submission_id
      and v.question_id = m.question_id and v.application = 0
    cross join lateral (select coalesce(v.awarded,
      case when s.approved_at is not null then m.awarded end) as awarded) d
    where g.institute_id = ${instituteId} and g.exam_id = ${examId}`.execute(tx);
  return rows[0] ?? { audited: 0, decided: 0, agreed: 0 };
};

const isBelow = ({ decided, agreed }: AuditCounts, target: number): boolean =>
  decided > 0 && agreed / decided < target;

/**
 * Stops the passing if the teacher's decision on a submission brings the audit below the target. The caller holds the
 * exam's lock. Costs one statement unless the submission has an audited mark.
 */
export const stopPassingBelowTarget = async (
  tx: Tx,
  actor: Actor,
  submission: { id: string; exam_id: string },
): Promise<void> => {
  const { rows } = await sql<{ target: string }>`
    select g.target from exam_guides g
    where g.institute_id = ${actor.institute_id} and g.exam_id = ${submission.exam_id}
      and g.passing_stopped_at is null
      and exists (select from reviews m
        where m.institute_id = g.institute_id and m.submission_id = ${submission.id}
          and m.application = g.in_force and ${isAudited})`.execute(tx);
  const [guide] = rows;
  if (guide === undefined) return;
  const audit = await readAudit(tx, actor.institute_id, submission.exam_id);
  const target = Number(guide.target);
  if (!isBelow(audit, target)) return;
  await tx
    .updateTable('exam_guides')
    .set({ passing_stopped_at: sql<Date>`clock_timestamp()` })
    .where('institute_id', '=', actor.institute_id)
    .where('exam_id', '=', submission.exam_id)
    .execute();
  await noteGuideEvent(tx, actor, submission.exam_id, {
    event: 'passing_stopped',
    before: { target },
    after: { ...audit },
  });
};
