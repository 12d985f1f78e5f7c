import { GraderFailure } from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';

/**
 * Whether work broke off because the run's deadline came, and not because something is wrong with it. A transient
 * failure says so by itself: it was retried until then. The clock alone does not: a timer may fire a millisecond before
 * it, and a provider may ask to be left alone until later.
 */
export const isOutOfTime = (error: unknown, run: HeldRun): boolean =>
  (error instanceof GraderFailure && error.kind === 'transient') || Date.now() >= run.deadline.getTime();
