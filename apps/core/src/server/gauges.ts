import { sql } from 'kysely';
import { JOB_LANES, RUN_LANES, type JobLane, type Lane, type RunLane } from '@evaluation/jobs-contract';
import { metrics } from '@evaluation/platform/telemetry';
import { drawings } from '../files/drawings.ts';
import { freshGauges } from './freshGauges.ts';
import { waitingNow, type Waiting } from '../files/releaseJobs.ts';
import { NOT_KEPT } from '../command/metrics.ts';
import { countOverdueErasures } from '../personal-data/overdueErasures.ts';
import type { Services } from '../command/services.ts';
import { OF_ENABLED_INSTITUTES } from '../grading/runs/releaseRuns.ts';
import { inspections } from '../files/inspections.ts';

interface LaneNow {
  lane: RunLane;
  queued: number;
  oldest_seconds: number;
  in_flight: number;
}

/** Gauges read on scrape. Each replica reads the same tables, so values must not be summed over replicas. */
export const coreGauges = ({ database, lanes }: Services): (() => Promise<void>) => {
  // Start at 0: an increase is visible only if the counter existed before its first increment.
  for (const reason of NOT_KEPT) metrics.evidenceNotKept.inc({ reason }, 0);
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
  // `reset` sets a gauge without labels to 0, which would mean "no overdue erasures"; `remove` deletes the series.
  const erasures = { reset: () => metrics.erasuresOverdue.remove() };
  const refreshErasures = freshGauges([erasures], async () => {
    metrics.erasuresOverdue.set(await database.acrossInstitutes(countOverdueErasures));
  });
  const refreshLanes = freshGauges([metrics.lanePending, metrics.laneOldestPending], async () => {
    const waiting = await database.acrossInstitutes(async (tx): Promise<Record<JobLane, Waiting>> => ({
      inspect: await waitingNow(tx, inspections),
      draw: await waitingNow(tx, drawings),
    }));
    for (const lane of JOB_LANES) metrics.laneOldestPending.set({ lane }, waiting[lane].oldestSeconds);
    const setPending = async (lane: Lane, beforeLane: number): Promise<void> =>
      metrics.lanePending.set({ lane }, (await lanes.depth(lane)) + beforeLane);
    await Promise.all([
      ...RUN_LANES.map((lane) => setPending(lane, 0)),
      ...JOB_LANES.map((lane) => setPending(lane, waiting[lane].jobs)),
    ]);
  });
  return async () => {
    metrics.databasePoolWaiting.set(database.waiting());
    // `allSettled`, because PostgreSQL may fail while NATS works, and the reverse.
    await Promise.allSettled([refreshRuns(), refreshErasures(), refreshLanes()]);
  };
};

/**
 * Released runs count as queued: they wait in the lane for a worker. Those of a disabled institute wait for no worker,
 * so they neither scale workers nor raise an alert. One select for each partial index of `runs`.
 */
const lanesNow = sql<LaneNow>`
  select lane, count(*) filter (where status <> 'claimed')::int as queued,
    coalesce(extract(epoch from clock_timestamp() - min(queued_at) filter (where status <> 'claimed')), 0)::float8 as oldest_seconds,
    count(*) filter (where status = 'claimed')::int as in_flight
  from (
    select lane, status, queued_at from runs where status = 'queued' and ${OF_ENABLED_INSTITUTES}
    union all
    select lane, status, queued_at from runs where status = 'released' or status = 'claimed') as unfinished
  group by lane`;
