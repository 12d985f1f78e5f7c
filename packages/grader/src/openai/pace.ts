/**
 * How many calls of one grader are out at once, and when the next may go: as many as the endpoint bears, found out by its
 * 429s (additive increase, multiplicative decrease), and none before the moment it asked for (hold.ts).
 *
 *   429 ──▶ half as many places, at least one; once for all calls that were out together, which all hear the same
 *   a call past our own time limit ──▶ the same, and no more places than calls were answered while it was out: a server with
 *     fewer places than we ask for lets calls wait in its own queue, and that wait counts against their time
 *   a round of answers (as many as there are places) ──▶ one place more, up to the most; ten rounds after a time-out, since
 *     to find out that a place is one too many then costs a whole time limit, and not a 429
 *   429 with a time to wait ──▶ no call goes out until then
 *
 * Calls go in the order in which they were asked for, but that of one institute's waiting calls those with the beginning of the
 * call before go first: the endpoint may have that beginning cached, and a server of one slot keeps no other. Institutes keep
 * their turns, and a call is passed by eight at most once it is the first of its institute (packages/turns).
 *
 * State: places, answers since the last change, how often places were cut, whether a call has timed out. It lives in this object, is changed by how calls
 * end, and dies with the process: the next one starts with all places and finds out again. The breaker beside it counts
 * which calls are answered at all; here only 429s and time-outs count.
 */
import { createTurns } from '@evaluation/turns';
import { createHold, type Hold } from '../hold.ts';

export interface Pace {
  /**
   * Resolves when a call may go out; it must be told how that ended, once. Rejects with the signal's reason.
   * @param call whose it is, and what it begins with. Left out, it keeps its place among those that wait
   */
  enter(signal: AbortSignal, call?: { institute: string; beginning: string }): Promise<Turn>;
  /** Places at this moment. */
  readonly places: number;
}

/** A call's place; the first word counts. */
export interface Turn {
  /** The endpoint did what it was asked to. */
  served(): void;
  /** It has too much to do. @param retryAfterMs how long it asked to be left alone, where it did */
  throttled(retryAfterMs: number | undefined): void;
  /** It did not answer within our own time limit. */
  timedOut(): void;
  /** It ended otherwise, which says nothing of its load. */
  ended(): void;
}

/** At one call at a time of half a minute each, the one that is passed goes four minutes later. */
const MOST_PASSED = 8;
const ROUNDS_AFTER_TIME_OUT = 10;

/** @param hold the endpoint's, which other graders may share */
export function createPace(mostPlaces: number, hold: Hold = createHold()): Pace {
  const turns = createTurns({ places: mostPlaces, mostPassed: MOST_PASSED });
  let places = mostPlaces;
  let answers = 0;
  let cuts = 0;
  let roundsForMore = 1;
  /** Since the start. */
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
    async enter(signal, call) {
      const among = call && { group: call.institute, alike: call.beginning };
      const release = await turns.acquire('calls', { signal, ...(among && { among }) });
      try {
        await hold.over(signal);
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
            served += 1;
            answers += 1;
            if (answers >= places * roundsForMore && places < mostPlaces) resize(places + 1);
          }),
        throttled: (retryAfterMs) =>
          once(() => {
            if (retryAfterMs !== undefined) hold.askedToWait(retryAfterMs);
            cutTo(Math.floor(places / 2));
          }),
        timedOut: () =>
          once(() => {
            roundsForMore = ROUNDS_AFTER_TIME_OUT;
            cutTo(Math.min(Math.floor(places / 2), served - servedBefore));
          }),
        ended: () => once(() => {}),
      };
    },
  };
}
