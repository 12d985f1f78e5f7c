import { GraderFailure } from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';

/**
 * Whether work ended because of the run's deadline. A transient failure was retried until the deadline, so it counts
 * too: the clock alone is not enough, because a timer may fire a millisecond early and a provider may ask for a pause
 * beyond the deadline.
 */
export const isOutOfTime = (error: unknown, run: HeldRun): boolean =>
  (error instanceof GraderFailure && error.kind === 'transient') || Date.now() >= run.deadline.getTime();
