import { useEffect, useReducer, useRef } from 'react';
import { calls, queryClient } from '../app/calls.ts';
import { useStaff } from '../app/session.ts';
import { decisionsOn, type Change } from './queue/queueState.ts';
import { seenMarkOf } from './queue/sendDecision.ts';
import { isSameMark, useMarking, type QuestionOfCopy } from './seenMarks.ts';
import type { ScreenQuestion } from './types.ts';
import { useQueueSnapshot } from './useMarkQueue.ts';

/** The decisions of the examiner on the question that is shown, and the commands of the form. */
export const useDecisions = (place: QuestionOfCopy, { result }: ScreenQuestion) => {
  const { queue, seen, done } = useMarking();
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
  // Another tab of this browser may have sent the decision: then only that tab has read the copy again.
  const sent = useRef<Change | null>(null);
  const latest = pending.at(-1)?.change ?? null;
  useEffect(() => {
    const before = sent.current;
    sent.current = latest;
    if (latest !== null || before?.kind !== 'mark' || before.awarded === result.awarded) return;
    const { submission_id } = place;
    void queryClient.invalidateQueries(calls.desk.marking.screen.queryFilter({ submission_id }));
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [latest]);
  const shown = seen.of(place) ?? now;
  const last = latest ?? undefined;
  const awarded = last?.kind === 'mark' ? last.awarded : result.awarded;

  const add = (at: QuestionOfCopy, change: Change): Promise<void> =>
    queue.add(at, change, seen.of(at) ?? now);
  return {
    pending,
    /** The mark that counts once all decisions are stored. */
    awarded,
    /** True if a colleague's mark has arrived while the question was shown. */
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
    undo: async (): Promise<QuestionOfCopy | null> => {
      const undone = done.pop();
      if (undone === undefined) return null;
      await add(undone.place, undone.inverse);
      return undone.place;
    },
  };
};
