import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { calls } from '../app/calls.ts';
import { loadPage } from './loadPage.ts';
import { pageOfAnswer } from './pageOfAnswer.ts';
import { needsTeacher } from './needsTeacher.ts';
import { useMarking } from './seenMarks.ts';
import { keepGroup } from './answerGroups.ts';
import type { MarkSearch, Order, Screen, ScreenQuestion, Target } from './types.ts';
import { useReview } from './useReview.ts';

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
 * Work that is shared out to other people is left out, unless `all` is set. A page that was opened from the review
 * follows the list of the review.
 */
export const useOrder = (
  examId: string,
  order: Order,
  { all, review }: { all: boolean; review: MarkSearch['review'] },
  screen: Screen,
  questionId: string,
): Walk => {
  const queryClient = useQueryClient();
  const { visited, trail } = useMarking();
  const recommended = useRef<{ of: string; targets: Target[] }>({ of: '', targets: [] });
  const [ahead, setAhead] = useState<{ at: string; target: Promise<Target | null> } | null>(null);
  const { submission_id: current } = screen;
  const follow = useReview(review, screen);
  const at = `${order} ${all} ${JSON.stringify(review)} ${current} ${questionId}`;

  const inOrder = useCallback(
    async (more: { backwards?: boolean; open_only?: boolean; after?: string }): Promise<Target | null> => {
      const ofQuestion = order === 'question' ? { question_id: questionId } : {};
      const { data } = await queryClient.fetchQuery(
        calls.desk.marking.order.queryOptions({
          exam_id: examId,
          limit: 1,
          own_only: !all,
          ...ofQuestion,
          ...more,
        }),
      );
      const [found] = data;
      if (found === undefined || found.submission_id === current) return null;
      return { submission: found.submission_id, ...(order === 'question' ? { question: questionId } : {}) };
    },
    [queryClient, order, questionId, examId, current, all],
  );

  const recommend = useCallback(async (): Promise<Target | null> => {
    const take = (): Target | null => {
      const { of: choice, targets } = recommended.current;
      if (choice !== `${questionId} ${all}`) return null;
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
        own_only: !all,
      }),
      staleTime: 0,
    });
    keepGroup({ submission: current, question: questionId }, same);
    const targets = data.map(({ submission_id, group }) => {
      const target = { submission: submission_id, question: questionId };
      keepGroup(target, group);
      return target;
    });
    recommended.current = { of: `${questionId} ${all}`, targets };
    return take();
  }, [queryClient, examId, questionId, current, visited, all]);

  const inCopy = (isWanted: (question: ScreenQuestion) => boolean): Target | null => {
    if (order !== 'copy' || follow !== null) return null;
    const index = screen.questions.findIndex(({ result }) => result.question_id === questionId);
    const following = screen.questions.slice(index + 1).find(isWanted);
    return following === undefined ? null : { submission: current, question: following.result.question_id };
  };
  const findInOthers = async (): Promise<Target | null> =>
    follow === null
      ? ((order === 'question' ? await recommend() : null) ??
        (await inOrder({ after: current, open_only: true })) ??
        (await inOrder({ open_only: true })) ??
        (await inOrder({ after: current })))
      : follow();

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
    inCopy((question) => needsTeacher(screen, question) && (all || question.is_own)) ?? inOthers();
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
