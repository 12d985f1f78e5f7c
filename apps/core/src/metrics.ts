import { sql } from 'kysely';
import { metrics } from '@evaluation/telemetry';
import { countOverdueErasures } from './personalData/overdueErasures.ts';
import { freshGauges } from './freshGauges.ts';
import { drawings } from './checkedCopies/drawings.ts';
import { inspections } from './uploads/inspections.ts';
import { countWaiting } from './jobs/releaseJobs.ts';
import { RUN_LANES, type RunLane } from './lanes/runLane.ts';
import type { DecidedQuestion } from './runs/resultsOfRun.ts';
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

/** Counts, once that is committed, what became of the questions of a run; without those that were marked by their key. */
export const countQuestions = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  questions: readonly DecidedQuestion[],
): Promise<void> =>
  services.afterCommit(async () => {
    for (const { status, source } of questions)
      if (source !== 'auto') metrics.questionsFinished.inc({ lane, status });
  });

/** Why a part of the evidence is not kept. */
const NOT_KEPT = ['refused', 'too_large'] as const;

/** Counts a part of the evidence that a mark is recorded without. */
export const countLostEvidence = (reason: (typeof NOT_KEPT)[number]): void =>
  metrics.evidenceNotKept.inc({ reason });

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
  // That the first was refused shows as an increase only if there was a number before it.
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
  // A number without labels goes back to 0 when it is reset, which would say that all is well.
  const erasures = { reset: () => metrics.erasuresOverdue.remove() };
  const refreshErasures = freshGauges([erasures], async () => {
    metrics.erasuresOverdue.set(await database.acrossInstitutes(countOverdueErasures));
  });
  const refreshLanes = freshGauges([metrics.lanePending], async () => {
    const waiting = await database.acrossInstitutes(async (tx) => ({
      copy: 0,
      typed: 0,
      inspect: await countWaiting(tx, inspections),
      draw: await countWaiting(tx, drawings),
    }));
    await Promise.all(
      (['copy', 'typed', 'inspect', 'draw'] as const).map(async (lane) =>
        metrics.lanePending.set({ lane }, (await lanes.depth(lane)) + waiting[lane]),
      ),
    );
  });
  return async () => {
    metrics.databasePoolWaiting.set(database.waiting());
    // One may be away while the other is there.
    await Promise.allSettled([refreshRuns(), refreshErasures(), refreshLanes()]);
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
