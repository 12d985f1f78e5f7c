import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import type { GradingError } from '@evaluation/rest-contract/schemas';
import type { RunKey } from '../runKey.ts';
import { countCredits, countRun } from '../metrics.ts';
import type { Services } from '../services.ts';

/** A run that was stopped before it was done, with the credits it had reserved: its caller releases them. */
export interface StoppedRun extends RunKey {
  fence: number;
  price: number;
  lane: RunLane;
  outcome: 'failed' | 'cancelled';
}

/**
 * Ends a run that waits or is being worked on: its submission was cancelled, deleted or replaced, or nobody comes to end
 * it. The new fence refuses whatever its worker still writes. The caller holds the submission's lock.
 * @param error why, when it failed; null when it was cancelled
 * @returns null when the run is over already
 */
export const stopRun = async (
  tx: Tx,
  run: RunKey,
  error: GradingError | null,
): Promise<StoppedRun | null> => {
  const outcome = error === null ? 'cancelled' : 'failed';
  const stopped = await tx
    .updateTable('runs')
    .set({
      status: outcome,
      finished_at: sql<Date>`clock_timestamp()`,
      lease_until: null,
      fence: sql<number>`fence + 1`,
      error: error === null ? null : json(error),
    })
    .where('institute_id', '=', run.institute_id)
    .where('id', '=', run.run_id)
    .where('status', 'in', ['queued', 'released', 'claimed'])
    .returning(['price', 'fence', 'lane'])
    .executeTakeFirst();
  if (stopped === undefined) return null;
  const { fence, price, lane } = stopped;
  return { institute_id: run.institute_id, run_id: run.run_id, fence, price: Number(price), lane, outcome };
};

/**
 * After the commit: whoever still works on the run should stop paying for it now (docs/architecture.md#stopping-a-run). If the word is lost, the
 * next write is refused all the same.
 */
export const announceStop = async (services: Services, stopped: StoppedRun | null): Promise<void> => {
  if (stopped === null) return;
  services.wakeDispatcher();
  await countCredits(services, 'released', stopped.price);
  await countRun(services, stopped.lane, stopped.outcome);
  await services.afterCommit(async () => {
    try {
      await services.lanes.broadcast('run_stopped', {
        version: 1,
        run_id: stopped.run_id,
        fence: stopped.fence,
      });
    } catch (error) {
      services.log.warn({ err: error, run_id: stopped.run_id }, 'a worker could not be told to stop');
    }
  });
};
