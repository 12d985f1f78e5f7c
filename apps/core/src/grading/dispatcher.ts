import { setTimeout as wait } from 'node:timers/promises';
import { savePendingRubrics } from '../rubrics/savePending.ts';
import type { Services } from '../services.ts';
import { unreachable } from '../unreachable.ts';
import { releaseDrawings } from './drawings.ts';
import { redeliverInspections } from './inspections.ts';
import { reclaimRuns, takeBackLostRuns } from './reclaimRuns.ts';
import { releaseRuns } from './releaseRuns.ts';
import { RUN_LANES } from './runLane.ts';

/*
 * Keeps runs moving (design 3.7, 3.8). Runs wait as rows in PostgreSQL:
 *
 *   queued ──release──▶ released ──claim──▶ claimed ──▶ completed | failed | cancelled
 *      ▲                   │ message lost      │ lease expired, handed back
 *      └───────────────────┴───────────────────┘ (back to queued, keeping its place)
 *
 * Any core replica does so, under locks that let one at a time decide. It releases whenever a run of its replica is
 * queued, claimed or over, and ticks besides: what it was not told of, it finds then. When it dies here, the next
 * replica's tick, or its own after the restart, goes on from the rows.
 */

/**
 * Between two looks for runs to release, when we were woken meanwhile, or another replica was deciding, which may have
 * looked before what woke us. What ends and what is claimed next make one look of two; workers find their next run in
 * the lane already.
 */
const GAP_MS = 20;

export interface Dispatcher {
  wake(): void;
  close(): Promise<void>;
}

export const startDispatcher = (services: Services, tickMs: number): Dispatcher => {
  // Leases are not judged before workers had a lease's time to reach core: while core or its database was away, it was
  // not the workers that were gone.
  const leaseMs = services.settings.runs.leaseSeconds * 1000;
  let steadySince = Date.now();
  const closing = new AbortController();
  let awake = false;
  let rouse: () => void = () => {};
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const dispatching = (async () => {
    let tickDue = 0;
    while (!closing.signal.aborted) {
      awake = false;
      const isTick = performance.now() >= tickDue;
      const { databaseWasThere, decided } = isTick
        ? await tick(services, Date.now() - steadySince >= leaseMs)
        : await work(services, [releases(services)]);
      if (!databaseWasThere) steadySince = Date.now();
      if (isTick) tickDue = performance.now() + tickMs;
      if (awake || !decided) await wait(GAP_MS, undefined, { signal: closing.signal }).catch(() => {});
      else await sleep(Math.max(0, tickDue - performance.now()));
    }
  })();
  const wake = () => {
    awake = true;
    rouse();
  };
  return {
    wake,
    close: async () => {
      closing.abort();
      wake();
      await dispatching;
    },
  };
};

type Part = () => Promise<unknown>;

interface Outcome {
  databaseWasThere: boolean;
  /** False when another replica was releasing the runs of a lane. */
  decided: boolean;
}

const releases = (services: Services): Part[] => RUN_LANES.map((lane) => () => releaseRuns(services, lane));

export const tick = (services: Services, judgesLeases = true): Promise<Outcome> =>
  work(services, [
    [() => reclaimRuns(services, judgesLeases)],
    RUN_LANES.map((lane) => () => takeBackLostRuns(services, lane)),
    releases(services),
    [() => redeliverInspections(services)],
    [() => releaseDrawings(services)],
    [() => savePendingRubrics(services)],
  ]);

/** Each part by itself: what breaks one must not stop the others, nor one lane the other. Those of a step run at once. */
const work = async (services: Services, steps: readonly (readonly Part[])[]): Promise<Outcome> => {
  const outcome = { databaseWasThere: true, decided: true };
  const run = async (part: Part): Promise<void> => {
    try {
      if ((await part()) === false) outcome.decided = false;
    } catch (error) {
      if (unreachable(error) === 'PostgreSQL') outcome.databaseWasThere = false;
      services.log.warn({ err: error }, 'a part of the dispatcher broke; the next tick tries again');
    }
  };
  for (const parts of steps) await Promise.all(parts.map(run));
  return outcome;
};
