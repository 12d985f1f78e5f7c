import pRetry from 'p-retry';

/**
 * Tries again while what is needed is merely away, until it works, the signal aborts or the time is up: jittered, a
 * quarter of a second at first and a few seconds in the end.
 * @param until the last moment at which a try is worth while; null: as long as the signal lets us
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
