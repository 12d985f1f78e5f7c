import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../command/audit.ts';
import { release } from '../credits/ledger.ts';
import { announceStop, stopRun } from '../grading/runs/stopRun.ts';
import type { Services } from '../command/services.ts';
import { readSubmission } from './getSubmission.ts';
import { lockSubmissionFor } from '../command/locks/lockSubmission.ts';

/**
 * A cancelled submission is returned unchanged.
 * @throws DomainFailure not_found, exam_not_found, conflict (replaced or deleted), already_completed
 */
export const cancelSubmission = async (
  services: Services,
  actor: Actor,
  submissionId: string,
): Promise<Submission> => {
  const { stopped, submission } = await services.database.inTenant(actor.institute_id, async (tx) => {
    const locked = await lockSubmissionFor(tx, actor, submissionId, 'cancel');
    const { id, current_run_id } = locked.submission;
    const run = locked.isDone
      ? null
      : await stopRun(tx, { institute_id: actor.institute_id, run_id: current_run_id }, null);
    if (run !== null) {
      await tx
        .updateTable('submissions')
        .set({ status: 'cancelled' })
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', id)
        .execute();
      await release(tx, run, run.price);
      await audit(tx, actor, [{ action: 'submission_cancel', exam_id: locked.exam.id, submission_id: id }]);
    }
    return { stopped: run, submission: await readSubmission(tx, actor, id, services.lanePace) };
  });
  await announceStop(services, stopped);
  return submission;
};
