import { useEffect, useReducer, useRef } from 'react';
import { calls, queryClient } from '../app/calls.ts';
import { useStaff } from '../app/session.ts';
import { decisionsOn, type Change } from './queue/queueState.ts';
import { seenMarkOf } from './queue/sendDecision.ts';
import { isSameMark, keyOfMark, useMarking, type QuestionOfCopy } from './seenMarks.ts';
import type { ScreenQuestion } from './types.ts';
import { useQueueSnapshot } from './useMarkQueue.ts';

interface Given {
  awarded: number;
  comment: string;
  criteria: number[] | null;
  feedback: string | null;
}

/** The decisions of the examiner on the question that is shown, and the commands of the form. */
export const useDecisions = (place: QuestionOfCopy, { result, teacher }: ScreenQuestion, label: string) => {
  const { queue, seen, done, seenByGroup } = useMarking();
  const staff = useStaff();
  const { items: decisions } = useQueueSnapshot(queue);
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
  // An approval changes no mark, and the examiner's own mark for a group is no news.
  const isUnseen =
    !isSameMark({ ...shown, approved: now.approved }, now) && !seenByGroup.has(keyOfMark(place, now));
  const last = latest ?? undefined;

  const add = (at: QuestionOfCopy, change: Change): Promise<void> =>
    queue.add(at, change, seen.of(at) ?? now);
  return {
    pending,
    /** What counts once all decisions are stored. */
    counts:
      last?.kind === 'mark'
        ? {
            awarded: last.awarded,
            criteria: last.criteria ?? null,
            reason: last.reason,
            feedback: last.feedback ?? null,
          }
        : {
            awarded: result.awarded,
            criteria: teacher?.criteria ?? null,
            reason: result.review.reason,
            feedback: teacher?.feedback ?? null,
          },
    /** True if a colleague's mark has arrived while the question was shown. */
    isOutdated: pending.length === 0 && isUnseen,
    acceptShown: () => {
      seen.see(place, now);
      showAgain();
    },
    mark: async ({ awarded, comment, criteria, feedback }: Given) => {
      if (pending.length === 0 && !isUnseen) seen.see(place, now);
      const before: Change =
        last ??
        (result.review.edited && result.awarded !== null
          ? {
              kind: 'mark',
              awarded: result.awarded,
              reason: result.review.reason,
              reviewer: staff.id,
              criteria: teacher?.criteria ?? null,
              feedback: teacher?.feedback ?? null,
            }
          : { kind: 'withdraw' });
      const reason = comment.trim() === '' ? null : comment.trim();
      await add(place, { kind: 'mark', awarded, reason, reviewer: staff.id, criteria, feedback });
      done.push({ place, inverses: [{ place, change: before }], awarded, label });
    },
    /** The latest decision in this browser that is not undone. */
    latest: done.latest(),
    /** Reverses it. @returns its place */
    undo: async (): Promise<QuestionOfCopy | null> => {
      const undone = done.pop();
      if (undone === undefined) return null;
      for (const { place: at, change, seen: marked } of undone.inverses) {
        if (marked !== undefined) seen.see(at, marked);
        await add(at, change);
      }
      return undone.place;
    },
  };
};
export type Decisions = ReturnType<typeof useDecisions>;
