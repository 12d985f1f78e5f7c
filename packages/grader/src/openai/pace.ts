/**
 * How many calls of one grader are out at once, and when the next may go: as many as the endpoint bears, found out by its
 * 429s (additive increase, multiplicative decrease), and none before the moment it asked for (hold.ts).
 *
 *   429 ──▶ half as many places, at least one; once for all calls that were out together, which all hear the same
 *   a round of answers (as many as there are places) ──▶ one place more, up to the most
 *   429 with a time to wait ──▶ no call goes out until then
 *
 * State: places, answers since the last change, how often places were cut. It lives in this object, is changed by how calls
 * end, and dies with the process: the next one starts with all places and finds out again. The breaker beside it counts who
 * answers at all; here only 429 counts.
 */
import { createTurns } from '@evaluation/turns';
import { createHold, type Hold } from './hold.ts';

export interface Pace {
  /** Resolves when a call may go out; it must be told how that ended, once. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<Turn>;
  /** Places at this moment. */
  readonly places: number;
}

/** A call's place; the first word counts. */
export interface Turn {
  /** The endpoint did what it was asked to. */
  served(): void;
  /** It has too much to do. @param retryAfterMs how long it asked to be left alone, where it did */
  throttled(retryAfterMs: number | undefined): void;
  /** It ended otherwise, which says nothing of its load. */
  ended(): void;
}

/** @param hold the endpoint's, which other graders may share */
export function createPace(mostPlaces: number, hold: Hold = createHold()): Pace {
  const turns = createTurns({ places: mostPlaces });
  let places = mostPlaces;
  let answers = 0;
  let cuts = 0;

  function resize(to: number): void {
    places = to;
    answers = 0;
    turns.resize(to);
  }

  return {
    get places() {
      return places;
    },
    async enter(signal) {
      const release = await turns.acquire('calls', { signal });
      try {
        await hold.over(signal);
      } catch (error) {
        release();
        throw error;
      }
      const begun = cuts;
      let told = false;
      const once = (tell: () => void) => {
        if (told) return;
        told = true;
        tell();
        release();
      };
      return {
        served: () =>
          once(() => {
            answers += 1;
            if (answers >= places && places < mostPlaces) resize(places + 1);
          }),
        throttled: (retryAfterMs) =>
          once(() => {
            if (retryAfterMs !== undefined) hold.askedToWait(retryAfterMs);
            if (begun !== cuts) return;
            cuts += 1;
            resize(Math.max(1, Math.floor(places / 2)));
          }),
        ended: () => once(() => {}),
      };
    },
  };
}
