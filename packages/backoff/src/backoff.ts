import { setTimeout as wait } from 'node:timers/promises';
import { jittered } from './jittered.ts';

/** Pauses between tries, for a caller with a loop of its own. State: the length of the next pause, in this object. */
export interface Backoff {
  /**
   * Waits out a jittered pause; the next one is longer. The pause ends early when `notAfterMs` from now have passed.
   * @throws the signal's reason, as an AbortError, when it aborts
   */
  pause(signal: AbortSignal, notAfterMs?: number): Promise<void>;
  /** After a success: the next pause is the first one again. */
  reset(): void;
}

/** @param options.factor by what a pause is longer than the one before it, up to `lastMs` */
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
