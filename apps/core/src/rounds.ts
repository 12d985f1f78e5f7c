import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@evaluation/telemetry';

/** Work that core does now and then, by itself and apart from the dispatcher's tick, which nothing slow may hold up. */
export interface Rounds {
  /** Ends the round under way as soon as it looks at its signal, and begins no other. */
  close(): Promise<void>;
}

/**
 * Begins rounds until it is closed. One that breaks is logged, and the next one tries again. State: none; when the process
 * dies here, another replica's rounds go on.
 * @param options.pauseMs how long to wait before the next round; null: never again
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
        if (!signal.aborted)
          log.warn({ err: error }, `${options.what} broke off; the next round tries again`);
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
