import type { inferRouterInputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import type { Failure } from '@evaluation/rest-contract/errors';
import type { Outcome } from './markQueue.ts';
import type { Decision, SeenMark } from './queueState.ts';

type Inputs = inferRouterInputs<PublicRouter>;

/** The calls that decisions need. Both run once for a key and answer the result of the question. */
interface DecisionCalls {
  override(input: Inputs['submissions']['override'], key: string): Promise<MarkedQuestion>;
  withdraw(input: Inputs['desk']['marking']['withdraw'], key: string): Promise<MarkedQuestion>;
}

interface MarkedQuestion {
  awarded: number | null;
  review: { edited_at: string | null; approved: boolean };
}

interface ErrorsOfCalls {
  failureIn(error: unknown): Failure | null;
  /** HTTP status; null without an answer. */
  statusOf(error: unknown): number | null;
  textOf(error: unknown): string;
}

export const seenMarkOf = ({ awarded, review }: MarkedQuestion): SeenMark => ({
  awarded,
  edited_at: review.edited_at,
  approved: review.approved,
});

/** Answers after which the same call may succeed later: no answer, too many calls, a running repetition, or 5xx. */
const isForLater = (status: number | null, failure: Failure | null): boolean =>
  status === null ||
  status === 408 ||
  status === 429 ||
  status >= 500 ||
  failure?.code === 'request_in_progress';

/** Sends a decision and returns its outcome. Never throws. */
export const sendDecision =
  (calls: DecisionCalls, errors: ErrorsOfCalls) =>
  async ({
    id,
    submission_id,
    question_id,
    change,
    seen,
  }: Decision & { seen: SeenMark }): Promise<Outcome> => {
    const place = { submission_id, question_id };
    try {
      const marked =
        change.kind === 'withdraw'
          ? await calls.withdraw({ ...place, seen }, id)
          : await calls.override(
              {
                ...place,
                body: { reviewer: change.reviewer, awarded: change.awarded, reason: change.reason },
                details: { criteria: change.criteria ?? null, feedback: change.feedback ?? null },
                seen,
              },
              id,
            );
      return { kind: 'stored', seen: seenMarkOf(marked) };
    } catch (error) {
      const status = errors.statusOf(error);
      const failure = errors.failureIn(error);
      if (status === 401) return { kind: 'signed-out' };
      if (isForLater(status, failure)) return { kind: 'unreachable' };
      if (failure?.code === 'conflict') return { kind: 'changed' };
      return { kind: 'refused', text: errors.textOf(error) };
    }
  };
