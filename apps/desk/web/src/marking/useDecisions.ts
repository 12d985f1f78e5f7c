import { useEffect, useReducer } from 'react';
import { useStaff } from '../app/session.ts';
import { decisionsOn, type Change } from './queue/queueState.ts';
import { seenMarkOf } from './queue/sendDecision.ts';
import { isSameMark, useMarking, type Place } from './seenMarks.ts';
import type { ScreenQuestion } from './types.ts';
import { useQueueSnapshot } from './useMarkQueue.ts';

/** What can be undone: the latest decision of this page first. */
interface Done {
  place: Place;
  inverse: Change;
}
const done: Done[] = [];

/** The decisions of the examiner on the question that is shown, and the commands of the form. */
export const useDecisions = (place: Place, { result }: ScreenQuestion) => {
  const { queue, seen } = useMarking();
  const staff = useStaff();
  const { decisions } = useQueueSnapshot(queue);
  const [, showAgain] = useReducer((count: number) => count + 1, 0);
  const pending = decisionsOn(decisions, place);
  const now = seenMarkOf(result);
  // The component is mounted anew for each question, so that its mark counts as seen once it was shown.
  useEffect(() => {
    if (pending.length === 0) seen.see(place, now);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const shown = seen.of(place) ?? now;
  const last = pending.at(-1)?.change;
  const awarded = last?.kind === 'mark' ? last.awarded : result.awarded;

  const add = (at: Place, change: Change): Promise<void> => queue.add(at, change, seen.of(at) ?? now);
  return {
    pending,
    /** The mark that counts once all decisions are stored. */
    awarded,
    /** True if somebody else's mark has arrived while the question was shown. */
    isOutdated: pending.length === 0 && !isSameMark(shown, now),
    acceptShown: () => {
      seen.see(place, now);
      showAgain();
    },
    mark: async (marks: number, comment: string) => {
      const before: Change =
        last ??
        (result.review.edited && result.awarded !== null
          ? { kind: 'mark', awarded: result.awarded, reason: result.review.reason, reviewer: staff.id }
          : { kind: 'withdraw' });
      const reason = comment.trim() === '' ? null : comment.trim();
      await add(place, { kind: 'mark', awarded: marks, reason, reviewer: staff.id });
      done.push({ place, inverse: before });
    },
    canUndo: done.length > 0,
    /** Reverses the latest decision of this page. @returns its place */
    undo: async (): Promise<Place | null> => {
      const latest = done.pop();
      if (latest === undefined) return null;
      await add(latest.place, latest.inverse);
      return latest.place;
    },
  };
};
