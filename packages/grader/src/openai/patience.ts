/**
 * Whether one request is asked again after a failure that passes as a rule.
 *
 *   a call past our own time limit ──3rd of the request──▶ given up
 *   a 5xx, or a status 200 without a model's output, and the same again ──5th in a row, and other calls were answered
 *     meanwhile, or the first came two minutes ago──▶ given up
 *   a reply to a part of what was sent (material.ts), and anything else ──▶ asked again until the deadline; a row begins anew
 *
 *   a request that is refused without a known reason ──4th time, or another call was answered since the first──▶ given up
 *   the same, while the lane is paused ──▶ asked again: it is not the request
 *
 * A time limit that was reached says that the request is too much for the model: each try is as long again, and is paid
 * for. A status that stays while others are answered is about the request. Two minutes outlast a restart of the endpoint.
 * A 503 that names a time to wait is an outage that was announced, and begins no row.
 *
 * State: of one request, dies with it.
 */
import { APIError } from 'openai';
import { leftAloneFor, NoModelOutput, TimedOut } from './failures.ts';

export interface Patience {
  /**
   * @param answeredAt when the endpoint answered any call last; null: never yet. Both times are of `performance.now()`
   * @returns why the request is given up; null: it is asked again
   */
  reasonToGiveUp(error: unknown, times: { now: number; answeredAt: number | null }): string | null;
  /**
   * Whether a request that was refused before is wrong by itself: it was sent again after another call was answered.
   * @param sentAt when it went out the last time
   */
  isProvenWrong(times: { sentAt: number; answeredAt: number | null }): boolean;
  /**
   * Of a request that the endpoint refused without a reason of its own.
   * @param isPaused whether the lane is paused, as it is when the requests of several runs are refused and none is answered
   */
  giveUpRefused(
    times: { now: number; sentAt: number; answeredAt: number | null },
    isPaused: boolean,
  ): boolean;
}

const TIME_OUTS = 3;
const SAME_IN_A_ROW = 5;
/** Two to four seconds with the waits between: other runs' calls have ended by then. */
const REFUSALS = 4;
const SAME_FOR_MS = 120_000;

export function createPatience(): Patience {
  let timeOuts = 0;
  let refusals = 0;
  let refusedSince: number | null = null;
  let row: { what: string; count: number; since: number } | null = null;
  const isProvenWrong: Patience['isProvenWrong'] = ({ sentAt, answeredAt }) =>
    refusedSince !== null && answeredAt !== null && answeredAt >= refusedSince && answeredAt <= sentAt;

  return {
    isProvenWrong,
    reasonToGiveUp(error, { now, answeredAt }) {
      if (error instanceof TimedOut) {
        timeOuts += 1;
        if (timeOuts >= TIME_OUTS) return `the model did not end in time, ${timeOuts} times`;
      }
      const what = stayingFailure(error);
      if (what === null) {
        row = null;
        return null;
      }
      if (row?.what === what) row.count += 1;
      else row = { what, count: 1, since: now };
      const isOfTheRequest = answeredAt !== null && answeredAt >= row.since;
      return row.count >= SAME_IN_A_ROW && (isOfTheRequest || now - row.since >= SAME_FOR_MS)
        ? `${what} to the same request ${row.count} times`
        : null;
    },
    giveUpRefused({ now, ...times }, isPaused) {
      if (isProvenWrong(times)) return true;
      refusedSince ??= now;
      if (isPaused) return false;
      refusals += 1;
      return refusals >= REFUSALS;
    },
  };
}

function stayingFailure(error: unknown): string | null {
  if (error instanceof NoModelOutput) return error.message;
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  return error.status >= 500 && leftAloneFor(error) === null
    ? `the model endpoint answered ${error.status}`
    : null;
}
