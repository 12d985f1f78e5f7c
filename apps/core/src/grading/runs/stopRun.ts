import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import type { GradingError } from '@evaluation/rest-contract/schemas';
import type { RunKey } from '../../command/runKey.ts';
import { countCredits, countRun } from '../../command/metrics.ts';
import type { Services } from '../../command/services.ts';

/** A run that was stopped before it finished. The caller must release its reserved credits. */
export interface StoppedRun extends RunKey {
  fence: number;
  price: number;
  lane: RunLane;
  outcome: 'failed' | 'cancelled';
}

/**
 * Ends a queued, released or claimed run: its submission was cancelled, deleted or replaced, or it was abandoned. The
 * new fence refuses later writes of its worker. The caller holds the submission's lock.
 * @param error the error of a failed run; null for a cancelled one
 * @returns null if the run has ended before
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

/** Broadcasts the stop after the commit. If the broadcast is lost, the worker's next write is refused. */
export const announceStop = async (services: Services, stopped: StoppedRun | null): Promise<void> => {
  if (stopped === null) return;
  services.claims.forget(stopped.run_id);
  services.wakeDispatcher('place');
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
      services.log.warn(
        { err: error, run_id: stopped.run_id },
        'broadcast of a stopped run failed; its worker stops at its next write',
      );
    }
  });
};
