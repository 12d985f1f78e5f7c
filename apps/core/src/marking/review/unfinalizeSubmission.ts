import { Unfinalize, type Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';
import { readSubmission } from '../../submissions/getSubmission.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import { audit } from '../../command/audit.ts';

/**
 * Makes a finalized submission changeable again; a finalized exam becomes open.
 * @throws DomainFailure not_found, exam_not_found, conflict (not finalized, or not live), validation_failed
 */
export const unfinalizeSubmission = (
  services: Services,
  actor: Actor,
  submissionId: string,
  body: unknown,
): Promise<Submission> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { exam, submission } = await lockSubmissionFor(tx, actor, submissionId, 'unfinalize');
    const { reason } = accept(Unfinalize, body);
    await tx
      .updateTable('submissions')
      .set({ finalized_at: null })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', submission.id)
      .execute();
    await tx
      .updateTable('exams')
      .set({ live_unfinalized: exam.live_unfinalized + 1 })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', exam.id)
      .execute();
    await audit(tx, actor, [
      {
        action: 'unfinalize',
        exam_id: exam.id,
        submission_id: submission.id,
        reviewer: null,
        reason,
        before: { finalized: true },
        after: { finalized: false },
      },
    ]);
    return readSubmission(tx, actor, submission.id, services.lanePace);
  });
