import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../../command/audit.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import type { Services } from '../../command/services.ts';
import { readSubmission } from '../../submissions/getSubmission.ts';
import { marksChanged } from './marksChanged.ts';

/*
 * A re-evaluation that is cancelled or fails leaves a submission without marks. `submissions.earlier_marks` keeps what
 * the new run overwrites on the submission: the last completed run, its flags, and the rows of `reviews`. The results
 * of a run are never deleted.
 */

/** Keeps the marks of a graded submission. Otherwise the marks that were kept before stay. */
export const keepEarlierMarks = async (tx: Tx, instituteId: string, submissionId: string): Promise<void> => {
  await sql`
    update submissions s set earlier_marks = jsonb_build_object(
      'run_id', s.current_run_id, 'rubric_version', s.rubric_version, 'questions_total', s.questions_total,
      'review_reasons', s.review_reasons, 'graded_at', s.graded_at, 'credits_charged', s.credits_charged,
      'reviews', (select coalesce(jsonb_agg(to_jsonb(m)), '[]') from reviews m
        where m.institute_id = s.institute_id and m.submission_id = s.id))
    where s.institute_id = ${instituteId} and s.id = ${submissionId}
      and s.status in ('graded', 'partially_graded')`.execute(tx);
};

/**
 * Shows the marks of the last completed run again after a re-evaluation that was cancelled or failed; without a charge.
 * The teacher's marks and those of guides in force come back with it, the approval does not. A copy is drawn again.
 * @throws DomainFailure not_found, exam_not_found, evaluation_in_progress, submission_finalized, conflict (marks are
 * shown, or there are none to restore)
 */
export const restoreMarks = (services: Services, actor: Actor, submissionId: string): Promise<Submission> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { submission } = await lockSubmissionFor(tx, actor, submissionId, 're_evaluate');
    if (submission.status !== 'failed' && submission.status !== 'cancelled')
      throw new DomainFailure('conflict');
    const { rows } = await sql<{
      id: string;
      current_run_id: string;
      review_reasons: string[];
      lane: RunLane;
      approved_at: null;
    }>`
      update submissions s set current_run_id = k.run_id, rubric_version = k.rubric_version,
        questions_total = k.questions_total, questions_done = k.questions_total, review_reasons = k.review_reasons,
        graded_at = k.graded_at, credits_charged = k.credits_charged, error = null
      from submissions kept, jsonb_to_record(kept.earlier_marks) as k (run_id uuid, rubric_version int,
        questions_total int, review_reasons text[], graded_at timestamptz, credits_charged numeric)
      where s.institute_id = ${actor.institute_id} and s.id = ${submission.id}
        and kept.institute_id = s.institute_id and kept.id = s.id and kept.earlier_marks is not null
      returning s.id, s.current_run_id, s.review_reasons, s.lane, null as approved_at`.execute(tx);
    const [restored] = rows;
    if (restored === undefined) throw new DomainFailure('conflict');
    await restoreReviews(tx, actor.institute_id, submission.id);
    await marksChanged(tx, actor.institute_id, restored);
    await audit(tx, actor, [
      {
        action: 'restore_marks',
        exam_id: submission.exam_id,
        submission_id: submission.id,
        before: { status: submission.status, run_id: submission.current_run_id },
        after: { run_id: restored.current_run_id },
      },
    ]);
    return readSubmission(tx, actor, submission.id, services.lanePace);
  });

/** A mark of guides that were undone since stays away. */
const restoreReviews = (tx: Tx, instituteId: string, submissionId: string) =>
  sql`
    insert into reviews
    select m.* from submissions s, jsonb_populate_recordset(null::reviews, s.earlier_marks -> 'reviews') m
    where s.institute_id = ${instituteId} and s.id = ${submissionId} and (m.application = 0 or exists (
      select from guide_applications a where a.institute_id = s.institute_id and a.exam_id = s.exam_id
        and a.number = m.application and a.pass = 'apply'))
    on conflict (submission_id, question_id, application) do nothing`.execute(tx);
