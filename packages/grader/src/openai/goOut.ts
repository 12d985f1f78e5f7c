import type { EndpointCheck } from '../grader.ts';
import type { Breaker, Passage } from './breaker.ts';
import type { Pace, Turn } from './pace.ts';

/**
 * Waits until a call may be sent: the endpoint has passed its preflight, a place is free, and the breaker lets it
 * through.
 *
 * The preflight is checked again after the wait, because an outage may have ended meanwhile and made a new preflight
 * due. Then the call releases place and passage, so that the preflight finds a free place.
 *
 * @param check null for a call of a preflight, or for an endpoint without a check
 */
export const goOut = async (
  { check, pace, breaker }: { check: EndpointCheck | null; pace: Pace; breaker: Breaker },
  { run, place }: { run: object; place: Parameters<Pace['enter']>[1] },
  signal: AbortSignal,
): Promise<{ turn: Turn; passage: Passage }> => {
  for (;;) {
    await check?.passed(signal);
    const turn = await pace.enter(signal, place);
    try {
      const passage = await breaker.enter(run, signal);
      if (check === null || check.isPassed()) return { turn, passage };
      passage.givenUp();
    } catch (error) {
      turn.ended();
      throw error;
    }
    turn.ended();
  }
};
