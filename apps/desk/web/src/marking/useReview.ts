import { useQueryClient } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { queueFilters, type ReviewSearch } from '../app/reviewSearch.ts';
import { needsTeacher } from './needsTeacher.ts';
import { useMarking, type ReviewWalk } from './seenMarks.ts';
import type { Screen, Target } from './types.ts';

/** Submissions of one read of the list, and reads for one step: a step looks at 500 submissions at most. */
const PAGE = 50;
const MOST_PAGES = 10;

/**
 * Where Next leads in a list of the review page: the next question of the copy that was listed, then the first listed
 * copy that this page has not shown, after the one that was opened; at the end, those before it. The list is read
 * again for each step, because copies leave it when they are decided on.
 */
export const useReview = (filters: ReviewSearch | undefined, screen: Screen) => {
  const queryClient = useQueryClient();
  const { visited, reviews } = useMarking();
  const { submission_id: current } = screen;
  if (filters === undefined) return null;

  const isNew = (submission: string) => (question: string) => !visited.has(`${question} ${submission}`);
  const inCopy = ({ questions }: ReviewWalk): Target | null => {
    const question = questions.get(current)?.find((id) => {
      const shown = screen.questions.find(({ result }) => result.question_id === id);
      const isOpen =
        shown !== undefined && (filters.flagged === true ? shown.flag !== null : needsTeacher(screen, shown));
      return isOpen && isNew(current)(id);
    });
    return question === undefined ? null : { submission: current, question };
  };
  /** Copies of the list in its order, and their questions that were not shown. */
  const findIn = async (walk: ReviewWalk, isFirst: boolean): Promise<Target | null> => {
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { data, next_cursor } = await queryClient.fetchQuery({
        ...calls.desk.review.queue.queryOptions({
          ...queueFilters(filters),
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        }),
        staleTime: 0,
      });
      const opened = data.findIndex(({ submission_id }) => submission_id === current);
      if (isFirst && page === 0) {
        for (const { submission_id } of data.slice(0, Math.max(opened, 0))) walk.passed.add(submission_id);
      }
      for (const { submission_id, questions } of data) {
        if (!walk.questions.has(submission_id)) {
          walk.questions.set(
            submission_id,
            questions.map(({ question_id }) => question_id),
          );
        }
      }
      const here = inCopy(walk);
      if (here !== null) return here;
      for (const { submission_id: submission, exam, questions } of data) {
        const question = questions.map(({ question_id }) => question_id).find(isNew(submission));
        const wasShown = walk.passed.has(submission) || (questions.length === 0 && !isNew(submission)(''));
        if (submission === current || wasShown || (questions.length > 0 && question === undefined)) continue;
        return { exam: exam.id, submission, ...(question === undefined ? {} : { question }) };
      }
      if (next_cursor === null) return null;
      cursor = next_cursor;
    }
    return null;
  };
  return async (): Promise<Target | null> => {
    const key = JSON.stringify(queueFilters(filters));
    const known = reviews.get(key);
    const walk = known ?? { passed: new Set<string>(), questions: new Map<string, string[]>() };
    reviews.set(key, walk);
    visited.add(` ${current}`);
    const here = inCopy(walk);
    if (here !== null) return here;
    const found = await findIn(walk, known === undefined);
    if (found !== null || walk.passed.size === 0) return found;
    walk.passed.clear();
    return findIn(walk, false);
  };
};
