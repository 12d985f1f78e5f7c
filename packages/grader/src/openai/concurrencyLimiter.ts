/**
 * Limits the calls of one grader in flight to what the endpoint can handle, learnt from 429s (additive increase,
 * multiplicative decrease). Sends none during a requested pause (endpointPause.ts).
 *
 *   429 ──▶ half as many places, at least one; once for all calls that were in flight together
 *   time-out ──▶ half as many places, and no more than the calls answered meanwhile: a server with fewer places queues
 *     calls, and the queue counts against their time
 *   as many answers as there are places ──▶ one more place, up to the most; after a time-out ten times as many answers,
 *     because one place too many then costs a whole time limit instead of a 429
 *   429 with a pause ──▶ no call is sent until its end
 *
 * Calls keep their order.
 *
 * State: places, answers since the last change, number of reductions, whether a call has timed out. It ends with the
 * process; the next one starts with all places. The breaker counts whether calls are answered; here only 429s and
 * time-outs count.
 */
import { createTurns } from '@evaluation/platform/turns';
import { createEndpointPause, type EndpointPause } from '../endpointPause.ts';

export interface ConcurrencyLimiter {
  /** Resolves when a call may be sent. The slot must get the call's outcome once. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Slot>;
  readonly places: number;
}

/** The place of a call; only the first report counts. */
export interface Slot {
  succeeded(): void;
  /** The endpoint answered 429. @param retryAfterMs requested pause */
  throttled(retryAfterMs: number | undefined): void;
  /** The endpoint did not answer within our time limit. */
  timedOut(): void;
  /** Another outcome, which does not concern the load. */
  release(): void;
}

const ROUNDS_AFTER_TIME_OUT = 10;

/** @param pause pauses that the endpoint asked for; graders that use one endpoint may share it */
export const createConcurrencyLimiter = (
  mostPlaces: number,
  pause: EndpointPause = createEndpointPause(),
): ConcurrencyLimiter => {
  const turns = createTurns({ places: mostPlaces });
  let places = mostPlaces;
  let answers = 0;
  let cuts = 0;
  let roundsForMore = 1;
  let served = 0;

  function resize(to: number): void {
    places = to;
    answers = 0;
    turns.resize(to);
  }

  return {
    get places() {
      return places;
    },
    async acquire(signal) {
      const release = await turns.acquire('calls', { signal });
      try {
        await pause.over(signal);
      } catch (error) {
        release();
        throw error;
      }
      const begun = cuts;
      const servedBefore = served;
      const cutTo = (to: number) => {
        if (begun !== cuts) return;
        cuts += 1;
        resize(Math.max(1, to));
      };
      let isReported = false;
      const once = (report: () => void) => {
        if (isReported) return;
        isReported = true;
        report();
        release();
      };
      return {
        succeeded: () =>
          once(() => {
            served += 1;
            answers += 1;
            if (answers >= places * roundsForMore && places < mostPlaces) resize(places + 1);
          }),
        throttled: (retryAfterMs) =>
          once(() => {
            if (retryAfterMs !== undefined) pause.extend(retryAfterMs);
            cutTo(Math.floor(places / 2));
          }),
        timedOut: () =>
          once(() => {
            roundsForMore = ROUNDS_AFTER_TIME_OUT;
            cutTo(Math.min(Math.floor(places / 2), served - servedBefore));
          }),
        release: () => once(() => {}),
      };
    },
  };
};
