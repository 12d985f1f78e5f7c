import { closedLoops } from '../measuring/load.ts';

/** Jobs that are added at once, as many clients would add them. */
const ADDING = 16;

interface Queue {
  /** Adds one job that does nothing. */
  add(): Promise<unknown>;
}

/**
 * The loop of a peer that is a job queue: gets a number of jobs from its parent, adds them one by one, and reports when
 * all are done. @returns a function that a worker calls after each job
 */
export const jobLoop = (open: (isDone: () => void) => Promise<Queue>): Promise<void> => {
  let left = 0;
  let allDone = (): void => {};
  const isDone = (): void => {
    left -= 1;
    if (left === 0) allDone();
  };
  process.once('disconnect', () => process.exit());
  return open(isDone).then((queue) => {
    process.on('message', (jobs: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = jobs;
      allDone = resolve;
      void closedLoops(jobs, ADDING, async () => void (await queue.add()))
        .then(() => promise)
        .then(() => process.send?.('done'));
    });
    process.send?.('ready');
  });
};
