import type { EndpointCheck } from '../grader.ts';
import type { Breaker, Passage } from './breaker.ts';
import type { Pace, Turn } from './pace.ts';

/**
 * Waits until a call may go out: the endpoint has passed its preflight, a place is free, and the breaker lets it through.
 *
 * The check is asked before and after the other two, since an outage may end while a call waits in the breaker's line: then
 * a new preflight is due. The call gives back place and passage and waits for that, so the preflight finds a free place.
 *
 * @param check null: a call of a preflight, or of a grader whose endpoint is not checked
 */
export async function goOut(
  { check, pace, breaker }: { check: EndpointCheck | null; pace: Pace; breaker: Breaker },
  { run, place }: { run: object; place: Parameters<Pace['enter']>[1] },
  signal: AbortSignal,
): Promise<{ turn: Turn; passage: Passage }> {
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
}
