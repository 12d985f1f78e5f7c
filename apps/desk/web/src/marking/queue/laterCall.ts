import type { Failure } from '@evaluation/rest-contract/errors';
import type { ForLater } from './sender.ts';

export interface ErrorsOfCalls {
  failureIn(error: unknown): Failure | null;
  /** HTTP status; null without an answer. */
  statusOf(error: unknown): number | null;
  textOf(error: unknown): string;
}

/** Answers after which the same call may succeed later: no answer, too many calls, a running repetition, or 5xx. */
const isForLater = (status: number | null, failure: Failure | null): boolean =>
  status === null ||
  status === 408 ||
  status === 429 ||
  status >= 500 ||
  failure?.code === 'request_in_progress';

/** Why a failed call is sent again later; null if core has refused it. */
export const laterCall = (error: unknown, { failureIn, statusOf }: ErrorsOfCalls): ForLater | null => {
  const status = statusOf(error);
  if (status === 401) return { kind: 'signed-out' };
  return isForLater(status, failureIn(error)) ? { kind: 'unreachable' } : null;
};
