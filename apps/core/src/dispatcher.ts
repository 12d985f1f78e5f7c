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
 * Releases runs, inspections and drawings, and takes them back after a loss (docs/architecture.md#runs). Runs wait as
 * rows in PostgreSQL. Inspections and drawings wait in the same way; releaseJobs.ts moves them:
 *
 *   queued ──release──▶ released ──claim──▶ claimed ──▶ completed | failed | cancelled
 *      ▲                   │ message lost      │ lease expired, handed back
 *      └───────────────────┴───────────────────┘ (back to queued, keeping its place)
 *
 * Every core replica runs a dispatcher; locks let one replica at a time decide. A dispatcher is woken when a run is
 * queued, claimed or finished on its own replica. It also ticks, and a tick finds the changes that other replicas made.
 * State: none. After a crash the next tick of any replica continues from the rows.
 *
 * Runs, inspections and drawings have a loop each, so that a slow statement for one does not delay the others.
 */

/**
 * Pause before the next round if the loop was woken during a round, or if another replica held the lock (that replica
 * may have read the tables before the change that woke this loop). Events that arrive within the pause share one round.
 * The pause does not delay workers: their next run is already in the lane.
 */
const GAP_MS = 20;

export interface Dispatcher {
  /** Starts a round now: of inspections or drawings if `lane` is given, of runs otherwise. */
  wake(lane?: JobLane): void;
  close(): Promise<void>;
}

const JOB_QUEUES: readonly JobQueue[] = [inspections, drawings];

export const startDispatcher = (services: Services, tickMs: number): Dispatcher => {
  // Leases expire only after PostgreSQL has been reachable for a whole lease time. Before that, workers could not send
  // heartbeats because core or its database was down.
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

/** Calls `look` after each wake and at each tick. @param look returns whether this replica held the lock */
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
  /** False if another replica was releasing the runs of a lane. */
  decided: boolean;
}

const releases = (services: Services): Part[] => RUN_LANES.map((lane) => () => releaseRuns(services, lane));

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

/** Runs the steps in order and the parts of a step at once. An error in one part does not stop the others. */
const work = async (services: Services, steps: readonly (readonly Part[])[]): Promise<Outcome> => {
  const outcome = { databaseWasThere: true, decided: true };
  const run = async (part: Part): Promise<void> => {
    try {
      if ((await part()) === false) outcome.decided = false;
    } catch (error) {
      if (unreachable(error) === 'PostgreSQL') outcome.databaseWasThere = false;
      services.log.warn({ err: error }, 'part of the dispatcher failed; the next tick tries again');
    }
  };
  for (const parts of steps) await Promise.all(parts.map(run));
  return outcome;
};
