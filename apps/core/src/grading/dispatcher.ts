import { setTimeout as wait } from 'node:timers/promises';
import { RUN_LANES, type RunLane } from '@evaluation/jobs-contract';
import { savePendingRubrics } from '../exams/paper/savePending.ts';
import { noteCorePresence } from './runs/corePresence.ts';
import type { Services, Wake } from '../command/services.ts';
import { drawings } from '../files/drawings.ts';
import { inspections } from '../files/inspections.ts';
import { reclaimRuns, takeBackLostRuns } from './runs/reclaimRuns.ts';
import { recoverJobs, releaseJobs, type JobQueue } from '../files/releaseJobs.ts';
import { releaseRuns } from './runs/releaseRuns.ts';
import { rememberLastServed, type LastServed } from '../files/lastServed.ts';
import { rememberSlots, type Slots } from '../files/slots.ts';

/*
 * Releases runs, inspections and drawings, and takes them back after a loss (docs/architecture.md#runs). Runs wait as
 * rows in PostgreSQL. Inspections and drawings wait in the same way; releaseJobs.ts moves them:
 *
 *   queued ──release──▶ released ──claim──▶ claimed ──▶ completed | failed | cancelled
 *      ▲                   │ message lost      │ lease expired, handed back
 *      └───────────────────┴───────────────────┘ (back to queued, keeping its place)
 *
 * Every core replica runs a dispatcher; locks let one replica at a time decide. A dispatcher is woken when a run is
 * queued on its own replica, and when a run is claimed or finished there while other runs wait. It also ticks, and a
 * tick finds the changes that other replicas made. State: the lanes in which runs wait, renewed by each tick. After a
 * crash the next tick of any replica continues from the rows.
 *
 * Runs, inspections and drawings have a loop each, so that a slow statement for one does not delay the others.
 */

/**
 * Pauses after the rounds of a burst: FIRST_GAP_MS, then twice as long each time, up to GAP_MS. Events that arrive
 * within a pause share one round, which costs one transaction; an event after the pause starts a round at once. Idle
 * workers get the runs of a burst from the first, short pauses. Busy workers do not wait for a round: their next runs
 * are already in the lane (decision 012).
 */
const FIRST_GAP_MS = 5;
const GAP_MS = 50;
/** Time without an event after which the next event begins a burst. */
const QUIET_MS = 200;

interface Dispatcher {
  /**
   * Starts a round, at once or after the pause of the last round. Does nothing if a lane has a free place but no run
   * waits in it.
   */
  wake(cause: Wake): void;
  close(): Promise<void>;
}

const JOB_QUEUES: readonly JobQueue[] = [inspections, drawings];

export const startDispatcher = (services: Services, tickMs: number): Dispatcher => {
  const waiting = waitingLanes();
  const served = rememberLastServed();
  const runs = startLoop(tickMs, (isTick) =>
    isTick
      ? tickRuns(services, () => noteCorePresence(services), waiting, served)
      : work(services, [releases(services, waiting, served, waiting.lanes())]),
  );
  const slots = rememberSlots();
  const jobs = JOB_QUEUES.map((queue) => ({
    lane: queue.lane,
    ...startLoop(tickMs, (isTick) =>
      isTick
        ? tickJobs(services, queue, slots, served)
        : work(services, [[() => releaseJobs(services, queue, slots, served)]]),
    ),
  }));
  return {
    wake: (cause) => {
      if (cause === 'inspect' || cause === 'draw') jobs.find((loop) => loop.lane === cause)?.wake();
      else if (cause !== 'place') {
        waiting.add(cause);
        runs.wake();
      } else if (waiting.lanes().length > 0) runs.wake();
    },
    close: async () => {
      await Promise.all([runs, ...jobs].map((loop) => loop.close()));
    },
  };
};

interface Loop {
  wake(): void;
  close(): Promise<void>;
}

/** Calls `look` after each wake and at each tick. @param look one round; returns whether this replica held the lock */
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
    let gapMs = FIRST_GAP_MS;
    while (!closing.signal.aborted) {
      awake = false;
      const isTick = performance.now() >= tickDue;
      const decided = await look(isTick);
      if (isTick) tickDue = performance.now() + tickMs;
      await wait(gapMs, undefined, { signal: closing.signal }).catch(() => {});
      gapMs = Math.min(2 * gapMs, GAP_MS);
      // Another replica that holds the lock may have read the tables before the change that woke this loop.
      if (awake || !decided) continue;
      const quietSince = performance.now();
      await sleep(Math.max(0, tickDue - quietSince));
      if (performance.now() - quietSince >= QUIET_MS) gapMs = FIRST_GAP_MS;
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

/** The lanes in which a run waits, as far as this replica knows. Runs that other replicas queue are found by a tick. */
interface WaitingLanes {
  lanes(): readonly RunLane[];
  add(lane: RunLane): void;
  /**
   * Call before a round reads the lane. @returns a function that stores whether a run waits; it ignores `false` if a
   * run was queued meanwhile
   */
  look(lane: RunLane): (isWaiting: boolean) => void;
}

const waitingLanes = (): WaitingLanes => {
  const waits = new Map<RunLane, boolean>(RUN_LANES.map((lane) => [lane, true]));
  const queued = new Map<RunLane, number>();
  return {
    lanes: () => RUN_LANES.filter((lane) => waits.get(lane) === true),
    add: (lane) => {
      waits.set(lane, true);
      queued.set(lane, (queued.get(lane) ?? 0) + 1);
    },
    look: (lane) => {
      const before = queued.get(lane);
      return (isWaiting) => {
        if (isWaiting || queued.get(lane) === before) waits.set(lane, isWaiting);
      };
    },
  };
};

const releases = (
  services: Services,
  waiting: WaitingLanes,
  served: LastServed,
  lanes: readonly RunLane[] = RUN_LANES,
): Part[] =>
  lanes.map((lane) => async () => {
    const noteWaiting = waiting.look(lane);
    const { decided, isWaiting } = await releaseRuns(services, lane, served);
    noteWaiting(isWaiting);
    return decided;
  });

export const tick = async (services: Services): Promise<void> => {
  const [slots, served] = [rememberSlots(), rememberLastServed()];
  await tickRuns(services, () => Promise.resolve(true), waitingLanes(), served);
  for (const queue of JOB_QUEUES) await tickJobs(services, queue, slots, served);
};

const tickRuns = (
  services: Services,
  judgesLeases: () => Promise<boolean>,
  waiting: WaitingLanes,
  served: LastServed,
): Promise<boolean> =>
  work(services, [
    [async () => reclaimRuns(services, await judgesLeases())],
    RUN_LANES.map((lane) => () => takeBackLostRuns(services, lane)),
    releases(services, waiting, served),
    [() => savePendingRubrics(services)],
  ]);

const tickJobs = (services: Services, queue: JobQueue, slots: Slots, served: LastServed): Promise<boolean> =>
  work(services, [[() => recoverJobs(services, queue)], [() => releaseJobs(services, queue, slots, served)]]);

/**
 * Runs the steps in order and the parts of a step at once. An error in one part does not stop the others.
 * @returns false if another replica was releasing the runs of a lane
 */
const work = async (services: Services, steps: readonly (readonly Part[])[]): Promise<boolean> => {
  let decided = true;
  const run = async (part: Part): Promise<void> => {
    try {
      if ((await part()) === false) decided = false;
    } catch (error) {
      services.log.warn({ err: error }, 'part of the dispatcher failed; the next tick tries again');
    }
  };
  for (const parts of steps) await Promise.all(parts.map(run));
  return decided;
};
