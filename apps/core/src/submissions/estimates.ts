import type { Pace } from '../lanes/lanePace.ts';

/** Never earlier than 30 seconds from now (docs/api/submissions.md#fields). */
const SOONEST_SECONDS = 30;
/** What a run is taken to need while its lane has measured none. */
const SECONDS_BEFORE_MEASURED = 60;

/**
 * When a run that waits will be graded, in seconds from now. Institutes take turns, so each run ahead is one turn of
 * every institute that waits; a turn takes what the lane needs for a run, all its workers together.
 * @param ahead runs of the same institute that are before it in the lane
 */
export const secondsToWait = (ahead: number, pace: Pace | null): number => {
  const seconds =
    pace === null
      ? (ahead + 1) * SECONDS_BEFORE_MEASURED
      : ahead * Math.max(1, pace.waitingInstitutes) * pace.busySecondsPerRun + pace.averageSeconds;
  return Math.max(SOONEST_SECONDS, seconds);
};

/** When a run that began so many seconds ago will be graded, in seconds from now. */
export const secondsLeft = (runningSeconds: number, pace: Pace | null): number =>
  Math.max(SOONEST_SECONDS, (pace?.averageSeconds ?? SECONDS_BEFORE_MEASURED) - runningSeconds);
