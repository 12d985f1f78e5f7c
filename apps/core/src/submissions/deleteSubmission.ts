import { sql } from 'kysely';
import type { Deleted } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/signed-actor';
import { release } from '../credits/ledger.ts';
import { announceStop, stopRun } from '../runs/stopRun.ts';
import type { Services } from '../services.ts';
import { lockSubmissionFor } from '../locks/lockSubmission.ts';

/**
 * `live` → `deleted` (docs/api/lifecycle.md#submissions): grading is stopped, the result is no longer available, and the candidate may be given a
 * new submission. The upload stays used; its files and evidence go when the retention time is over.
 * @throws DomainFailure not_found, exam_not_found, conflict (replaced, or deleted before), submission_finalized
 */
export const deleteSubmission = async (
  services: Services,
  actor: Actor,
  submissionId: string,
): Promise<Deleted> => {
  const { id, stopped } = await services.database.inTenant(actor.institute_id, async (tx) => {
    const { exam, submission } = await lockSubmissionFor(tx, actor.institute_id, submissionId, 'delete');
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
      // After the submission, against the order of locks: nobody who holds an upload waits for a submission.
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
    return { id: submission.id, stopped: run };
  });
  await announceStop(services, stopped);
  return { id, deleted: true };
};
