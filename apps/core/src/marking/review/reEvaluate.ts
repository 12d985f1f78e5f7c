import { send } from '@evaluation/database';
import { ReEvaluate, type Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import { countCredits } from '../../command/metrics.ts';
import { countCopy } from '../../credits/dailyCopies.ts';
import { payForRun, readTerms } from '../../grading/runs/payForRun.ts';
import type { Services } from '../../command/services.ts';
import { readSubmission } from '../../submissions/getSubmission.ts';
import { queueAgain } from './queueAgain.ts';

/**
 * Grades a submission again: a new run at the originally quoted price. The marks of the last completed
 * run are not shown any more; `restoreMarks` shows them again if the new run is cancelled or fails.
 * @throws DomainFailure not_found, exam_not_found, conflict (replaced or deleted), evaluation_in_progress,
 * submission_finalized, validation_failed, feature_not_available, insufficient_credits, daily_quota_exceeded
 */
export const reEvaluate = async (
  services: Services,
  actor: Actor,
  submissionId: string,
  body: unknown,
): Promise<Submission> => {
  const submission = await services.database.inTenant(actor.institute_id, async (tx) => {
    const { exam, submission: locked } = await lockSubmissionFor(tx, actor, submissionId, 're_evaluate');
    const keepsOverrides = accept(ReEvaluate, body).keep_overrides ?? true;
    const { run, waits } = await queueAgain(tx, actor, exam, locked, keepsOverrides);
    const terms = await readTerms(tx, actor);
    // Read before the most contended rows are locked.
    const accepted = await readSubmission(tx, actor, locked.id, services.lanePace);
    const [counted] = await send(tx, countCopy(actor.institute_id, terms));
    await payForRun(tx, actor, { run, waits, terms, counted, freed: null });
    return { accepted, price: run.price };
  });
  if (submission.accepted.status === 'queued') services.wakeDispatcher(submission.accepted.lane);
  await countCredits(services, 'reserved', submission.price);
  return submission.accepted;
};
