import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { shownFailure } from '@evaluation/rest-contract/grading-failures';
import type { GradingError } from '@evaluation/rest-contract/schemas';
import type { RunKey } from '../../command/runKey.ts';
import { addExhaustedTime } from '../../files/exhaustedTime.ts';
import { release } from '../../credits/ledger.ts';
import { countCredits, countRun } from '../../command/metrics.ts';
import type { Services } from '../../command/services.ts';
import { lockHeldRun, type HeldRun } from '../../command/locks/heldRun.ts';
import { announceStop, stopRun } from './stopRun.ts';
import { noteUsed, type UsedByRun } from './usedByRun.ts';

/**
 * Fails a run without a charge; its token usage is stored. @param exhaustedSeconds worker time that the file exhausted
 * @throws DomainFailure conflict if the run is not held any more
 */
export const failRun = async (
  services: Services,
  held: HeldRun,
  reason: string,
  used: UsedByRun,
  exhaustedSeconds?: number,
): Promise<void> => {
  const error = shownFailure(reason, 'broke_down');
  const failed = await services.database.inTenant(held.institute_id, async (tx) => {
    const run = await lockHeldRun(tx, held);
    await noteUsed(tx, held, used);
    if (exhaustedSeconds !== undefined) await addExhaustedTime(tx, held.institute_id, exhaustedSeconds);
    await tx
      .updateTable('runs')
      .set({
        status: 'failed',
        finished_at: sql<Date>`clock_timestamp()`,
        lease_until: null,
        error: json(error),
      })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .execute();
    await failSubmission(tx, held, run.id, error);
    await release(tx, held, Number(run.price));
    return run;
  });
  services.claims.forget(held.run_id);
  services.wakeDispatcher('place');
  await countCredits(services, 'released', Number(failed.price));
  await countRun(services, failed.lane, 'failed');
};

/** Fails a run without a holder: its deadline has passed, or too many of its leases expired. */
export const failAbandonedRun = async (
  services: Services,
  run: RunKey,
  error: GradingError,
): Promise<void> => {
  const stopped = await services.database.inTenant(run.institute_id, async (tx) => {
    const submission = await tx
      .selectFrom('submissions as s')
      .innerJoin('runs as r', 'r.submission_id', 's.id')
      .select('s.id')
      .where('s.institute_id', '=', run.institute_id)
      .where('r.id', '=', run.run_id)
      .forUpdate('s')
      .executeTakeFirst();
    if (submission === undefined) return null;
    const ended = await stopRun(tx, run, error);
    if (ended === null) return null;
    await failSubmission(tx, { institute_id: run.institute_id }, submission.id, error);
    await release(tx, run, ended.price);
    return ended;
  });
  await announceStop(services, stopped);
};

const failSubmission = (
  tx: Tx,
  tenant: { institute_id: string },
  submissionId: string,
  error: GradingError,
) =>
  tx
    .updateTable('submissions')
    .set({ status: 'failed', needs_review: true, error: json(error), credits_charged: null, graded_at: null })
    .where('institute_id', '=', tenant.institute_id)
    .where('id', '=', submissionId)
    .execute();
