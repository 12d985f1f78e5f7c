import type { Pace } from '../command/lanePace.ts';

/** Minimum of an estimate. */
const SOONEST_SECONDS = 30;
/** Assumed duration of a run while its lane has no measurement. */
const SECONDS_BEFORE_MEASURED = 60;

/**
 * Estimates the seconds until a queued run is graded. Institutes take turns, so each run ahead costs one turn of every
 * waiting institute; a turn takes `busySecondsPerRun`, which covers all workers of the lane.
 * @param ahead runs of the same institute before this one in the lane
 */
export const secondsToWait = (ahead: number, pace: Pace | null): number => {
  const seconds =
    pace === null
      ? (ahead + 1) * SECONDS_BEFORE_MEASURED
      : ahead * Math.max(1, pace.waitingInstitutes) * pace.busySecondsPerRun + pace.averageSeconds;
  return Math.max(SOONEST_SECONDS, seconds);
};

/** Estimates the seconds until a run is graded that started `runningSeconds` ago. */
export const secondsLeft = (runningSeconds: number, pace: Pace | null): number =>
  Math.max(SOONEST_SECONDS, (pace?.averageSeconds ?? SECONDS_BEFORE_MEASURED) - runningSeconds);
