import type { Turns } from '@evaluation/platform/turns';
import type { EndpointPause } from '../endpointPause.ts';
import type { EndpointCheck } from '../grader.ts';
import type { Breaker, AllowedCall } from './breaker.ts';

/**
 * Waits until a call may be sent: the endpoint has passed its preflight, one of the places for calls in flight is free,
 * no pause that the endpoint asked for is left, and the breaker lets the call through. Calls keep their order.
 *
 * The preflight is checked again after the wait, because an outage may have ended meanwhile and made a new preflight
 * due. Then the call gives its place and the permission of the breaker back, so that the preflight finds a free place.
 *
 * @param check null for a call of a preflight, or for an endpoint without a check
 * @returns the function that frees the place, and the permission of the breaker
 */
export const admitCall = async (
  {
    check,
    places,
    pause,
    breaker,
  }: { check: EndpointCheck | null; places: Turns; pause: EndpointPause; breaker: Breaker },
  run: object,
  signal: AbortSignal,
): Promise<{ release: () => void; allowed: AllowedCall }> => {
  for (;;) {
    await check?.passed(signal);
    const release = await places.acquire('calls', { signal });
    try {
      await pause.over(signal);
      const allowed = await breaker.allow(run, signal);
      if (check === null || check.isPassed()) return { release, allowed };
      allowed.abandon();
    } catch (error) {
      release();
      throw error;
    }
    release();
  }
};
