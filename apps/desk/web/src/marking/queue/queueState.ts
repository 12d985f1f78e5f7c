/*
 * Decisions that the service has not stored yet, in the order in which the examiner made them (docs/desk/marking.md).
 * Pure transitions; `markQueue.ts` keeps the state in a store and sends.
 *
 *   waiting ──sent──▶ stored: removed; its mark becomes the mark that the next decision on the question has seen
 *      │ ▲
 *      │ └─ insist: the examiner has seen what changed and sends again
 *      └──refused──▶ held: nothing of this question is sent until the examiner insists or discards
 */

/** The mark that a page showed. Core refuses a decision if another mark counts. */
export interface SeenMark {
  awarded: number | null;
  edited_at: string | null;
  approved: boolean;
}

export type Change =
  | {
      kind: 'mark';
      awarded: number;
      reason: string | null;
      reviewer: string;
      /** Marks of the criteria; null or missing if only the sum was given. */
      criteria?: number[] | null;
      /** Null or missing keeps the feedback of the AI. */
      feedback?: string | null;
    }
  | { kind: 'withdraw' };

export interface Decision {
  /** Idempotency key of the call. A decision that is sent again has the same key and the same input. */
  id: string;
  submission_id: string;
  question_id: string;
  change: Change;
  /**
   * Null while an earlier decision on the question waits: then this one has seen the mark that the earlier one sets.
   */
  seen: SeenMark | null;
  /** Set if core has refused it. `changed`: another mark counts now. Otherwise the text of the refusal. */
  held: { reason: 'changed' } | { reason: 'refused'; text: string } | null;
}

export type QueueState = readonly Decision[];

type QuestionOfCopy = Pick<Decision, 'submission_id' | 'question_id'>;

const isAt = (place: QuestionOfCopy, other: QuestionOfCopy): boolean =>
  place.submission_id === other.submission_id && place.question_id === other.question_id;

export const decisionsOn = (state: QueueState, place: QuestionOfCopy): Decision[] =>
  state.filter((decision) => isAt(decision, place));

/**
 * Adds a decision. If the question has a held decision, the new one takes its place and stays held, because the
 * examiner has not seen what changed.
 */
export const added = (
  state: QueueState,
  decision: Omit<Decision, 'held' | 'seen'> & { seen: SeenMark },
): QueueState => {
  const earlier = decisionsOn(state, decision);
  const held = earlier.find((each) => each.held !== null);
  if (held !== undefined) {
    return state.map((each) => (each === held ? { ...each, change: decision.change } : each));
  }
  return [...state, { ...decision, seen: earlier.length > 0 ? null : decision.seen, held: null }];
};

/** The first decision that can be sent: nothing on its question is held or waits before it. */
export const nextToSend = (state: QueueState): (Decision & { seen: SeenMark }) | null => {
  for (const [index, decision] of state.entries()) {
    const { seen } = decision;
    const isFirst = !state.slice(0, index).some((earlier) => isAt(earlier, decision));
    if (isFirst && decision.held === null && seen !== null) return { ...decision, seen };
  }
  return null;
};

/** @param seen the mark that the stored decision has set */
export const stored = (state: QueueState, id: string, seen: SeenMark): QueueState => {
  const done = state.find((decision) => decision.id === id);
  if (done === undefined) return state;
  const rest = state.filter((decision) => decision.id !== id);
  const following = rest.find((decision) => isAt(decision, done));
  return rest.map((decision) => (decision === following ? { ...decision, seen } : decision));
};

/**
 * Holds a refused decision. Later decisions on the question are joined to it: the last one is what the examiner
 * wants.
 */
export const held = (state: QueueState, id: string, reason: NonNullable<Decision['held']>): QueueState => {
  const refused = state.find((decision) => decision.id === id);
  if (refused === undefined) return state;
  const change = decisionsOn(state, refused).at(-1)?.change ?? refused.change;
  return state.flatMap((decision) => {
    if (!isAt(decision, refused)) return [decision];
    return decision.id === id ? [{ ...decision, change, held: reason }] : [];
  });
};

export const discarded = (state: QueueState, id: string): QueueState =>
  state.filter((decision) => decision.id !== id);

/** Sends a held decision again, after the examiner has seen the mark that counts now. */
export const insisted = (state: QueueState, id: string, again: { id: string; seen: SeenMark }): QueueState =>
  state.map((decision) => (decision.id === id ? { ...decision, ...again, held: null } : decision));
