import { setImmediate as nextRound } from 'node:timers/promises';

/** Short compared with the second that a caller notices, and long compared with one turn of the event loop. */
const SLICE_MS = 20;

/** Runs the steps of a generator to its end, with a pause between two steps whenever the slice is used up. */
export const finishInSlices = async <T>(steps: Generator<unknown, T>, sliceMs?: number): Promise<T> => {
  const pause = inSlices(sliceMs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
};

/**
 * Cuts long work on the event loop into slices. `await pause()` between two pieces of work returns at once, or, when
 * the slice is used up, after other pending events have run. Requests of other institutes are answered in between. A
 * single piece of work is never interrupted.
 */
export const inSlices = (sliceMs = SLICE_MS): (() => Promise<void>) => {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < sliceMs) return;
    await nextRound();
    began = performance.now();
  };
};
