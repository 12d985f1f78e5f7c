import { useCallback, useState } from 'react';
import type { ChangeExam, ExamDraft } from './draft.ts';
import { NO_PROBLEMS, type Problems } from './problems.ts';
import { remainingProblems } from './remainingProblems.ts';

/** The form of an exam as it is typed, and the problems of the last save that still hold. */
export const useExamDraft = (first: ExamDraft) => {
  const [state, setState] = useState({ draft: first, problems: NO_PROBLEMS, refusals: 0 });
  const change: ChangeExam = useCallback(
    (next) =>
      setState((now) => {
        const draft = next(now.draft);
        return { ...now, draft, problems: remainingProblems(now.problems, now.draft, draft) };
      }),
    [],
  );
  return {
    draft: state.draft,
    problems: state.problems,
    /** Counts the saves with a problem. */
    refusals: state.refusals,
    change,
    /** @param sent the form that was sent; it may have been changed since */
    refuse: (problems: Problems, sent: ExamDraft) =>
      setState(({ draft, refusals }) => ({
        draft,
        problems: remainingProblems(problems, sent, draft),
        refusals: refusals + 1,
      })),
  };
};
