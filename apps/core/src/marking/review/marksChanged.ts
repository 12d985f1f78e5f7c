import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { runLanes } from '@evaluation/jobs-contract';
import { finalStatus } from '@evaluation/rules';
import { requestDrawing } from '../../files/drawings.ts';
import { resultsOfRun } from '../../grading/runs/resultsOfRun.ts';
import type { LockedSubmission } from '../../command/locks/lockSubmission.ts';

/**
 * Updates status and flag after overrides or marks of a guide changed, and requests a new drawing. The caller holds
 * the submission's lock.
 */
export const marksChanged = async (
  tx: Tx,
  instituteId: string,
  submission: Pick<LockedSubmission, 'id' | 'current_run_id' | 'review_reasons' | 'approved_at' | 'lane'>,
): Promise<void> => {
  const effective = await resultsOfRun(tx, instituteId, submission);
  const flagged = submission.review_reasons.length > 0 || effective.some(({ needs_review }) => needs_review);
  await tx
    .updateTable('submissions')
    .set({
      status: finalStatus(effective),
      // An approved submission stays approved, because a teacher has seen it.
      needs_review: submission.approved_at === null && flagged,
      marks_revision: sql<number>`marks_revision + 1`,
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', submission.id)
    .execute();
  if (runLanes[submission.lane].grades === 'pages') await requestDrawing(tx, instituteId, submission.id);
};
