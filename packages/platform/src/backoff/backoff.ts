import { setTimeout as wait } from 'node:timers/promises';
import { jittered } from './jittered.ts';

/** Pauses between retries, for a caller with its own loop. State: the length of the next pause. */
export interface Backoff {
  /**
   * Waits for a jittered pause and makes the next pause longer. Waits at most `notAfterMs`.
   * @throws AbortError when the signal aborts
   */
  pause(signal: AbortSignal, notAfterMs?: number): Promise<void>;
  /** Resets the next pause to `firstMs`, after a success. */
  reset(): void;
}

/** @param options.factor how much longer each pause is than the previous one, up to `lastMs` */
export const createBackoff = ({
  firstMs,
  lastMs,
  factor = 2,
}: {
  firstMs: number;
  lastMs: number;
  factor?: number;
}): Backoff => {
  let nextMs = firstMs;
  return {
    pause: async (signal, notAfterMs = Number.POSITIVE_INFINITY) => {
      const ms = jittered(nextMs);
      nextMs = Math.min(nextMs * factor, lastMs);
      await wait(Math.min(ms, notAfterMs), undefined, { signal });
    },
    reset: () => {
      nextMs = firstMs;
    },
  };
};
