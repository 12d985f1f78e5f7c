import { sql } from 'kysely';
import { metrics } from '@evaluation/telemetry';
import { freshGauges } from './freshGauges.ts';
import { RUN_LANES, type RunLane } from './grading/runLane.ts';
import type { Services } from './services.ts';

/** Counts credits once the change of them is committed. */
export const countCredits = (
  services: Pick<Services, 'afterCommit'>,
  outcome: 'reserved' | 'charged' | 'released' | 'granted',
  credits: number,
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.creditsMoved.inc({ outcome }, credits);
  });

/** Counts a run that is over once that is committed: each run once, whoever ended it. */
export const countRun = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  outcome: 'completed' | 'failed' | 'cancelled',
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.runsFinished.inc({ lane, outcome });
  });

interface LaneNow {
  lane: RunLane;
  queued: number;
  oldest_seconds: number;
  in_flight: number;
}

/**
 * Gauges that are read from the tables and the lanes when they are asked for. Each replica reads the same tables, so they
 * are not to be added up over replicas.
 */
export const coreGauges = ({ database, lanes }: Services): (() => Promise<void>) => {
  const refreshRuns = freshGauges(
    [metrics.runsQueued, metrics.runsOldestQueued, metrics.runsInFlight],
    async () => {
      const now = await database.acrossInstitutes(async (tx) => (await lanesNow.execute(tx)).rows);
      for (const lane of RUN_LANES) {
        const row = now.find((each) => each.lane === lane);
        metrics.runsQueued.set({ lane }, row?.queued ?? 0);
        metrics.runsOldestQueued.set({ lane }, row?.oldest_seconds ?? 0);
        metrics.runsInFlight.set({ lane }, row?.in_flight ?? 0);
      }
    },
  );
  const refreshLanes = freshGauges([metrics.lanePending], async () => {
    await Promise.all(
      (['copy', 'typed', 'inspect', 'draw'] as const).map(async (lane) =>
        metrics.lanePending.set({ lane }, await lanes.depth(lane)),
      ),
    );
  });
  return async () => {
    metrics.databasePoolWaiting.set(database.waiting());
    // One may be away while the other is there.
    await Promise.allSettled([refreshRuns(), refreshLanes()]);
  };
};

/** Released runs wait too: for a worker, in the lane. One part for each partial index. */
const lanesNow = sql<LaneNow>`
  select lane, count(*) filter (where status <> 'claimed')::int as queued,
    coalesce(extract(epoch from clock_timestamp() - min(queued_at) filter (where status <> 'claimed')), 0)::float8 as oldest_seconds,
    count(*) filter (where status = 'claimed')::int as in_flight
  from (
    select lane, status, queued_at from runs where status = 'queued'
    union all
    select lane, status, queued_at from runs where status = 'released' or status = 'claimed') as unfinished
  group by lane`;
