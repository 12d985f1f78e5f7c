import type { CallOptions } from './grader.ts';
import { GraderFailure } from './grader.ts';

/** Longest delay of setTimeout. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs `work` and rejects at once on abort (caller's reason) or at the deadline (transient GraderFailure). */
export const withinDeadline = async <T>(
  options: CallOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  options.signal.throwIfAborted();
  const remaining = options.deadline.getTime() - Date.now();
  const past = new GraderFailure('transient', 'the deadline came before an answer did');
  if (remaining <= 0) throw past;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(past), Math.min(remaining, LONGEST_TIMER_MS));
  const signal = AbortSignal.any([options.signal, limit.signal]);
  try {
    return await orAbort(work(signal), signal);
  } finally {
    clearTimeout(timer);
  }
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
