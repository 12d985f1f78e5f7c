import type { EndpointCheck } from '../grader.ts';
import type { Breaker, AllowedCall } from './breaker.ts';
import type { ConcurrencyLimiter, Slot } from './concurrencyLimiter.ts';

/**
 * Waits until a call may be sent: the endpoint has passed its preflight, a place is free, and the breaker lets it
 * through.
 *
 * The preflight is checked again after the wait, because an outage may have ended meanwhile and made a new preflight
 * due. Then the call gives its slot and the permission of the breaker back, so that the preflight finds a free place.
 *
 * @param check null for a call of a preflight, or for an endpoint without a check
 */
export const admitCall = async (
  { check, limiter, breaker }: { check: EndpointCheck | null; limiter: ConcurrencyLimiter; breaker: Breaker },
  run: object,
  signal: AbortSignal,
): Promise<{ slot: Slot; allowed: AllowedCall }> => {
  for (;;) {
    await check?.passed(signal);
    const slot = await limiter.acquire(signal);
    try {
      const allowed = await breaker.allow(run, signal);
      if (check === null || check.isPassed()) return { slot, allowed };
      allowed.abandon();
    } catch (error) {
      slot.release();
      throw error;
    }
    slot.release();
  }
};
