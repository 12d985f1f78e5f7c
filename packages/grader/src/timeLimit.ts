import type { CallOptions } from './grader.ts';
import { GraderFailure } from './grader.ts';

/** Longest delay of setTimeout. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface TimeLimit {
  signal: AbortSignal;
  ms: number;
  /** The error when the time is over. */
  late: () => Error;
}

/**
 * Runs `work` with a signal that is aborted with `signal`, or with `late` after `ms`. AbortSignal.any with
 * AbortSignal.timeout takes four times the CPU time, and each call of a model has two limits.
 * @throws the error of `late` when it was the time limit that ended the work
 */
export const withTimeLimit = async <T>(
  { signal, ms, late }: TimeLimit,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const limit = new AbortController();
  const follow = () => limit.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => limit.abort(late()), Math.min(ms, LONGEST_TIMER_MS));
  try {
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.aborted && !signal.aborted ? limit.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
};

/** Runs `work` and rejects at once on abort (caller's reason) or at the deadline (transient GraderFailure). */
export const withinDeadline = async <T>(
  { signal, deadline }: CallOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const ms = deadline.getTime() - Date.now();
  const late = () => new GraderFailure('transient', 'the deadline came before an answer did');
  if (ms <= 0) throw late();
  return await withTimeLimit({ signal, ms, late }, (limited) => orAbort(work(limited), limited));
};

/** Settles like the promise, or rejects with the signal's reason as soon as the signal is aborted. */
export const orAbort = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  // The promise may still reject after the race, without a handler.
  promise.catch(() => {});
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
