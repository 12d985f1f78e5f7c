import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@evaluation/platform/telemetry';

/** Periodic work that is independent of the dispatcher, so that slow work does not delay a tick. */
export interface Rounds {
  /** Aborts the signal of the current round, waits for its end and starts no further round. */
  close(): Promise<void>;
}

/**
 * Repeats `round` until it is closed. An error is logged, and the next round tries again. State: none.
 * @param options.pauseMs returns the milliseconds before the next round; null ends the rounds
 */
export const startRounds = (
  log: Logger,
  options: { what: string; pauseMs: () => number | null; round: (signal: AbortSignal) => Promise<void> },
): Rounds => {
  const closing = new AbortController();
  const { signal } = closing;
  const rounds = (async () => {
    for (;;) {
      const pause = options.pauseMs();
      if (pause === null) return;
      try {
        await wait(pause, undefined, { signal });
      } catch {
        return;
      }
      try {
        await options.round(signal);
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, `${options.what} failed; the next round tries again`);
      }
    }
  })();
  return {
    close: async () => {
      closing.abort();
      await rounds;
    },
  };
};
