import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import { audit } from '../../command/audit.ts';
import { failure } from '../../command/failures.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import type { Services } from '../../command/services.ts';
import { stopPassingBelowTarget } from '../../guides/passingAudit.ts';
import { marksChanged } from './marksChanged.ts';

/**
 * Withdraws the approval of a submission: its reasons for a review are those from before the approval, and its
 * questions are open again. Marks that teachers gave stay. Nothing happens if the submission is not approved.
 * @param seenRevision revision of the marks that the page showed. The command sets another one, so a call that is sent
 * again withdraws no later approval
 * @throws DomainFailure not_found, exam_not_found, conflict (not graded, not live, or marks of another revision),
 * submission_finalized
 */
export const unapproveSubmission = (
  services: Services,
  actor: StaffActor,
  submissionId: string,
  seenRevision: number,
): Promise<{ approved: false }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { institute_id: instituteId } = actor;
    const { submission } = await lockSubmissionFor(tx, actor, submissionId, 'approve');
    if (submission.approved_at === null) return { approved: false };
    if (seenRevision !== submission.marks_revision) throw failure('mark_changed');
    const reasons = await reasonsBeforeApproval(tx, instituteId, submission.id);
    await tx
      .updateTable('submissions')
      .set({ approved_at: null, approved_by: null, review_reasons: reasons })
      .where('institute_id', '=', instituteId)
      .where('id', '=', submission.id)
      .execute();
    await marksChanged(tx, instituteId, { ...submission, approved_at: null, review_reasons: reasons });
    await audit(tx, actor, [
      {
        action: 'unapprove',
        exam_id: submission.exam_id,
        submission_id: submission.id,
        reviewer: null,
        reason: null,
        before: { review_reasons: submission.review_reasons },
        after: { review_reasons: reasons },
      },
    ]);
    await stopPassingBelowTarget(tx, actor, submission);
    return { approved: false };
  });

/** The reasons that the first approval of the present marks has cleared: an approval can be repeated. */
const reasonsBeforeApproval = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
): Promise<string[]> => {
  const { rows } = await sql<{ reasons: string[] }>`
    select array(select jsonb_array_elements_text(a.before -> 'review_reasons')) as reasons
    from audit_entries a
    where a.institute_id = ${instituteId} and a.submission_id = ${submissionId} and a.action = 'approve'
      and not exists (select from audit_entries e
        where e.institute_id = a.institute_id and e.submission_id = a.submission_id and e.id > a.id
          and e.action in ('unapprove', 're_evaluate', 'restore_marks'))
    order by a.id limit 1`.execute(tx);
  return rows[0]?.reasons ?? [];
};
