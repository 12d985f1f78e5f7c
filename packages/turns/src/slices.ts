import { setImmediate as nextRound } from 'node:timers/promises';

/** Short beside the second that a caller notices, long beside the cost of a round of the event loop. */
const SLICE_MS = 20;

/**
 * Long work on the event loop, cut into slices. `await pause()` between two pieces of the work returns at once, or, when
 * the slice is used up, after the other events that wait: a request of another institute is answered in between.
 * A single piece is never interrupted.
 */
export const inSlices = (sliceMs = SLICE_MS): (() => Promise<void>) => {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < sliceMs) return;
    await nextRound();
    began = performance.now();
  };
};
