import pRetry from 'p-retry';

/**
 * Retries `work` while `isAway` accepts its error, until it succeeds, the signal aborts or `until` is over. Pauses are
 * jittered and grow from 250 ms to 5 s.
 * @param until last moment of a retry; null: no limit other than the signal
 * @throws the last error; the signal's reason when aborted
 */
export const retryWhile = <T>(
  isAway: (error: unknown) => boolean,
  work: () => Promise<T>,
  options: { signal: AbortSignal; until: Date | null; onRetry?: (error: unknown) => void },
): Promise<T> =>
  pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 250,
    maxTimeout: 5000,
    randomize: true,
    signal: options.signal,
    ...(options.until === null ? {} : { maxRetryTime: Math.max(0, options.until.getTime() - Date.now()) }),
    shouldRetry: ({ error }) => isAway(error),
    onFailedAttempt: ({ error }) => {
      if (isAway(error)) options.onRetry?.(error);
    },
  });
