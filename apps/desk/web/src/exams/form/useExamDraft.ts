import { useCallback, useState } from 'react';
import type { ChangeExam, ExamDraft } from './draft.ts';
import { NO_PROBLEMS, type Problems } from './problems.ts';

/** The form of an exam as it is typed, and what the service has refused in it. */
export const useExamDraft = (first: ExamDraft) => {
  const [draft, setDraft] = useState(first);
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS);
  const change: ChangeExam = useCallback((next) => setDraft(next), []);
  return { draft, problems, change, refuse: setProblems };
};
