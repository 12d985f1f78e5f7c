import type { inferRouterInputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import { laterCall, type ErrorsOfCalls } from './laterCall.ts';
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

export const seenMarkOf = ({ awarded, review }: MarkedQuestion): SeenMark => ({
  awarded,
  edited_at: review.edited_at,
  approved: review.approved,
});

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
      const later = laterCall(error, errors);
      if (later !== null) return later;
      if (errors.failureIn(error)?.code === 'conflict') return { kind: 'changed' };
      return { kind: 'refused', text: errors.textOf(error) };
    }
  };
