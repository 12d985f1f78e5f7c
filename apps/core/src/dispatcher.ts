import { setTimeout as wait } from 'node:timers/promises';
import { RUN_LANES, type JobLane } from '@evaluation/jobs-contract';
import { savePendingRubrics } from './paper/savePending.ts';
import type { Services } from './services.ts';
import { unreachable } from './unreachable.ts';
import { drawings } from './checkedCopies/drawings.ts';
import { inspections } from './uploads/inspections.ts';
import { reclaimRuns, takeBackLostRuns } from './runs/reclaimRuns.ts';
import { recoverJobs, releaseJobs, type JobQueue } from './jobs/releaseJobs.ts';
import { releaseRuns } from './runs/releaseRuns.ts';
import { rememberSlots, type Slots } from './jobs/slots.ts';

/*
 * Keeps runs, inspections and drawings moving (docs/architecture.md#runs). Runs wait as rows in PostgreSQL; inspections and drawings
 * do so too, by releaseJobs.ts:
 *
 *   queued ──release──▶ released ──claim──▶ claimed ──▶ completed | failed | cancelled
 *      ▲                   │ message lost      │ lease expired, handed back
 *      └───────────────────┴───────────────────┘ (back to queued, keeping its place)
 *
 * Any core replica does so, under locks that let one at a time decide. It releases whenever a run of its replica is
 * queued, claimed or over, and ticks besides: what it was not told of, it finds then. When it dies here, the next
 * replica's tick, or its own after the restart, goes on from the rows.
 *
 * Runs, inspections and drawings have a loop each, so that a long look for one does not keep the others waiting.
 */

/**
 * Between two looks for runs to release, when we were woken meanwhile, or another replica was deciding, which may have
 * looked before what woke us. What ends and what is claimed next make one look of two; workers find their next run in
 * the lane already.
 */
const GAP_MS = 20;

export interface Dispatcher {
  /** Looks for work to release now: inspections or drawings, or, when no lane is named, runs. */
  wake(lane?: JobLane): void;
  close(): Promise<void>;
}

const JOB_QUEUES: readonly JobQueue[] = [inspections, drawings];

export const startDispatcher = (services: Services, tickMs: number): Dispatcher => {
  // Leases are not judged before workers had a lease's time to reach core: while core or its database was away, it was
  // not the workers that were gone.
  const leaseMs = services.settings.runs.leaseSeconds * 1000;
  let steadySince = Date.now();
  const runs = startLoop(tickMs, async (isTick) => {
    const outcome = await (isTick
      ? tickRuns(services, Date.now() - steadySince >= leaseMs)
      : work(services, [releases(services)]));
    if (!outcome.databaseWasThere) steadySince = Date.now();
    return outcome.decided;
  });
  const slots = rememberSlots();
  const jobs = JOB_QUEUES.map((queue) => ({
    lane: queue.lane,
    ...startLoop(tickMs, async (isTick) => {
      const { decided } = await (isTick
        ? tickJobs(services, queue, slots)
        : work(services, [[() => releaseJobs(services, queue, slots)]]));
      return decided;
    }),
  }));
  return {
    wake: (lane) => (jobs.find((loop) => loop.lane === lane) ?? runs).wake(),
    close: async () => {
      await Promise.all([runs, ...jobs].map((loop) => loop.close()));
    },
  };
};

interface Loop {
  wake(): void;
  close(): Promise<void>;
}

/** Looks whenever it is woken, and ticks besides. @param look returns whether this replica could decide */
const startLoop = (tickMs: number, look: (isTick: boolean) => Promise<boolean>): Loop => {
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
  const looking = (async () => {
    let tickDue = 0;
    while (!closing.signal.aborted) {
      awake = false;
      const isTick = performance.now() >= tickDue;
      const decided = await look(isTick);
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
      await looking;
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

/** One tick of all that the dispatcher keeps moving. */
export const tick = async (
  services: Services,
  judgesLeases = true,
  slots = rememberSlots(),
): Promise<void> => {
  await tickRuns(services, judgesLeases);
  for (const queue of JOB_QUEUES) await tickJobs(services, queue, slots);
};

const tickRuns = (services: Services, judgesLeases: boolean): Promise<Outcome> =>
  work(services, [
    [() => reclaimRuns(services, judgesLeases)],
    RUN_LANES.map((lane) => () => takeBackLostRuns(services, lane)),
    releases(services),
    [() => savePendingRubrics(services)],
  ]);

const tickJobs = (services: Services, queue: JobQueue, slots: Slots): Promise<Outcome> =>
  work(services, [[() => recoverJobs(services, queue)], [() => releaseJobs(services, queue, slots)]]);

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
