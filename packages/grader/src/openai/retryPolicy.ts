/**
 * Decides whether one request is retried after a failure that is usually transient.
 *
 *   time-out ──3rd of the request──▶ given up
 *   equal 5xx, or status 200 without a model's output ──5th in a row, and other calls were answered meanwhile or the
 *     first came two minutes ago──▶ given up
 *   lost material (material.ts), and any other failure ──▶ retried until the deadline; the count of equal failures starts again
 *
 *   refused without a known reason ──4th time, or another call was answered since the first──▶ given up
 *   the same while the lane is paused ──▶ retried: the request is not at fault
 *
 * A time-out shows that the request is too much for the model: each retry takes as long and is paid for. A status that
 * stays while other calls are answered concerns the request. Two minutes outlast a restart of the endpoint. A 503 with
 * a pause is an announced outage and does not count.
 *
 * State: that of one request.
 */
import { APIError } from 'openai';
import { leftAloneFor, NoModelOutput, TimedOut } from './failures.ts';

interface RetryPolicy {
  /**
   * @param times.answeredAt time of the endpoint's last reply to any call; null: none yet. Times are of
   *   `performance.now()`
   * @returns the reason to give the request up; null: retry
   */
  reasonToGiveUp(error: unknown, times: { now: number; answeredAt: number | null }): string | null;
  /**
   * Whether a refused request is itself at fault: it was sent again after another call was answered, and refused again.
   * @param times.sentAt time of the last try
   */
  isProvenWrong(times: { sentAt: number; answeredAt: number | null }): boolean;
  /**
   * Decides about a request that was refused without a named reason.
   * @param isPaused whether the lane is paused because requests of several runs are refused and none is answered
   */
  giveUpRefused(
    times: { now: number; sentAt: number; answeredAt: number | null },
    isPaused: boolean,
  ): boolean;
}

const TIME_OUTS = 3;
const SAME_IN_A_ROW = 5;
/** Two to four seconds with the waits between; calls of other runs have ended by then. */
const REFUSALS = 4;
const SAME_FOR_MS = 120_000;

export const createRetryPolicy = (): RetryPolicy => {
  let timeOuts = 0;
  let refusals = 0;
  let refusedSince: number | null = null;
  let row: { what: string; count: number; since: number } | null = null;
  const isProvenWrong: RetryPolicy['isProvenWrong'] = ({ sentAt, answeredAt }) =>
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
};

const stayingFailure = (error: unknown): string | null => {
  if (error instanceof NoModelOutput) return error.message;
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  return error.status >= 500 && leftAloneFor(error) === null
    ? `the model endpoint answered ${error.status}`
    : null;
};
