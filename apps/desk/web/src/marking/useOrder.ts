import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { calls } from '../app/calls.ts';
import { loadPage } from './loadPage.ts';
import { pageOfAnswer } from './pageOfAnswer.ts';
import { needsTeacher } from './needsTeacher.ts';
import { useMarking } from './seenMarks.ts';
import { keepGroup } from './answerGroups.ts';
import type { Order, Screen, ScreenQuestion } from './types.ts';

/** A place to go to. Without a question: the first one of the copy. */
export interface Target {
  submission: string;
  question?: string;
}

interface Walk {
  next(): Promise<Target | null>;
  /** The next answer that needs a teacher. */
  nextOpen(): Promise<Target | null>;
  previous(): Promise<Target | null>;
}

const AHEAD = 10;

/**
 * Where Next and Previous lead. By copy: the next question, or the next one that needs a teacher, then the next copy
 * with an open result. By question: the answer that core recommends, then the examiner's random order. Previous goes
 * back to the place before, and without one, backwards in the order. Reads the next copy ahead and loads its page.
 */
export const useOrder = (examId: string, order: Order, screen: Screen, questionId: string): Walk => {
  const queryClient = useQueryClient();
  const { visited, trail } = useMarking();
  const recommended = useRef<{ question: string; targets: Target[] }>({ question: '', targets: [] });
  const [ahead, setAhead] = useState<{ at: string; target: Promise<Target | null> } | null>(null);
  const { submission_id: current } = screen;
  const at = `${order} ${current} ${questionId}`;

  const inOrder = useCallback(
    async (more: { backwards?: boolean; open_only?: boolean; after?: string }): Promise<Target | null> => {
      const ofQuestion = order === 'question' ? { question_id: questionId } : {};
      const { data } = await queryClient.fetchQuery(
        calls.desk.marking.order.queryOptions({ exam_id: examId, limit: 1, ...ofQuestion, ...more }),
      );
      const [found] = data;
      if (found === undefined || found.submission_id === current) return null;
      return { submission: found.submission_id, ...(order === 'question' ? { question: questionId } : {}) };
    },
    [queryClient, order, questionId, examId, current],
  );

  const recommend = useCallback(async (): Promise<Target | null> => {
    const take = (): Target | null => {
      const { question, targets } = recommended.current;
      if (question !== questionId) return null;
      return (
        targets.find(
          ({ submission }) => submission !== current && !visited.has(`${questionId} ${submission}`),
        ) ?? null
      );
    };
    const known = take();
    if (known !== null) return known;
    const { data, group: same } = await queryClient.fetchQuery({
      ...calls.desk.marking.next.queryOptions({
        exam_id: examId,
        question_id: questionId,
        limit: AHEAD,
        submission_id: current,
      }),
      staleTime: 0,
    });
    keepGroup({ submission: current, question: questionId }, same);
    const targets = data.map(({ submission_id, group }) => {
      const target = { submission: submission_id, question: questionId };
      keepGroup(target, group);
      return target;
    });
    recommended.current = { question: questionId, targets };
    return take();
  }, [queryClient, examId, questionId, current, visited]);

  const inCopy = (isWanted: (question: ScreenQuestion) => boolean): Target | null => {
    if (order !== 'copy') return null;
    const index = screen.questions.findIndex(({ result }) => result.question_id === questionId);
    const following = screen.questions.slice(index + 1).find(isWanted);
    return following === undefined ? null : { submission: current, question: following.result.question_id };
  };
  const findInOthers = useCallback(
    async (): Promise<Target | null> =>
      (order === 'question' ? await recommend() : null) ??
      (await inOrder({ after: current, open_only: true })) ??
      (await inOrder({ open_only: true })) ??
      (await inOrder({ after: current })),
    [order, current, recommend, inOrder],
  );

  useEffect(() => {
    visited.add(`${questionId} ${current}`);
    const target = findInOthers();
    setAhead({ at, target });
    const prefetch = async (): Promise<void> => {
      const found = await target;
      if (found === null || found.submission === current) return;
      const shown = await queryClient.fetchQuery(
        calls.desk.marking.screen.queryOptions({ submission_id: found.submission }),
      );
      const pictures = shown.copy?.pictures ?? null;
      if (pictures !== null)
        await loadPage(found.submission, pictures, pageOfAnswer(shown, found.question) ?? 1);
    };
    // Next asks again if reading ahead has failed.
    prefetch().catch(() => {});
    // Only a change of place is a reason to look ahead again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [at]);

  const inOthers = async (): Promise<Target | null> => {
    const found = ahead?.at === at ? await ahead.target.catch(() => null) : null;
    return found ?? findInOthers();
  };
  const next = async (): Promise<Target | null> => inCopy(() => true) ?? inOthers();
  const nextOpen = async (): Promise<Target | null> =>
    inCopy((question) => needsTeacher(screen, question)) ?? inOthers();
  const previous = async (): Promise<Target | null> => {
    const before = trail.pop();
    if (before !== undefined) return before;
    if (order === 'copy') {
      const index = screen.questions.findIndex(({ result }) => result.question_id === questionId);
      const earlier = screen.questions[index - 1];
      if (earlier !== undefined) return { submission: current, question: earlier.result.question_id };
    }
    return inOrder({ after: current, backwards: true });
  };
  return { next, nextOpen, previous };
};
