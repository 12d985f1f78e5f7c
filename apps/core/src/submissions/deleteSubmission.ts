import { sql } from 'kysely';
import type { Deleted } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../command/audit.ts';
import { release } from '../credits/ledger.ts';
import { announceStop, stopRun } from '../grading/runs/stopRun.ts';
import type { Services } from '../command/services.ts';
import { lockSubmissionFor } from '../command/locks/lockSubmission.ts';

/**
 * Deletes a submission: stops its grading and hides its result; the candidate can get a new submission. The upload
 * stays used. Files and evidence are removed after the retention time.
 * @throws DomainFailure not_found, exam_not_found, conflict (replaced or deleted), submission_finalized
 */
export const deleteSubmission = async (
  services: Services,
  actor: Actor,
  submissionId: string,
): Promise<Deleted> => {
  const { id, stopped } = await services.database.inTenant(actor.institute_id, async (tx) => {
    const { exam, submission } = await lockSubmissionFor(tx, actor, submissionId, 'delete');
    const run = await stopRun(
      tx,
      { institute_id: actor.institute_id, run_id: submission.current_run_id },
      null,
    );
    await tx
      .updateTable('submissions')
      .set({ state: 'deleted', ...(run === null ? {} : { status: 'cancelled' }) })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', submission.id)
      .execute();
    await tx
      .updateTable('runs')
      .set({ evidence_unneeded_since: sql<Date>`clock_timestamp()` })
      .where('institute_id', '=', actor.institute_id)
      .where('submission_id', '=', submission.id)
      .where('evidence_since', 'is not', null)
      .execute();
    if (submission.upload_id !== null) {
      // Against the lock order, the upload is locked after the submission: transactions that hold an upload never wait
      // for a submission.
      await tx
        .updateTable('uploads')
        .set({ unneeded_since: sql<Date>`clock_timestamp()` })
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', submission.upload_id)
        .execute();
    }
    await tx
      .updateTable('exams')
      .set({ live_submissions: exam.live_submissions - 1, live_unfinalized: exam.live_unfinalized - 1 })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', exam.id)
      .execute();
    if (run !== null) await release(tx, run, run.price);
    await audit(tx, actor, [{ action: 'submission_delete', exam_id: exam.id, submission_id: submission.id }]);
    return { id: submission.id, stopped: run };
  });
  await announceStop(services, stopped);
  return { id, deleted: true };
};
