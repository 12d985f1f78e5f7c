import { newKey } from '../../app/newKey.ts';
import { nextLabel, type DraftQuestion, type ExamDraft } from './draft.ts';

/* Changes of the questions of a form. A question keeps its number when it is moved. */

export const withChanged = (draft: ExamDraft, key: string, change: Partial<DraftQuestion>): ExamDraft => ({
  ...draft,
  questions: draft.questions.map((question) =>
    question.key === key ? { ...question, ...change } : question,
  ),
});

export const withoutQuestion = (draft: ExamDraft, key: string): ExamDraft => ({
  ...draft,
  questions: draft.questions.filter((question) => question.key !== key),
});

/** @param by -1 moves the question up, 1 down. The first and the last question stay where they are. */
export const withMoved = (draft: ExamDraft, key: string, by: -1 | 1): ExamDraft => {
  const at = draft.questions.findIndex((question) => question.key === key);
  const question = draft.questions[at];
  const to = at + by;
  if (question === undefined || to < 0 || to >= draft.questions.length) return draft;
  return { ...draft, questions: draft.questions.toSpliced(at, 1).toSpliced(to, 0, question) };
};

/** Puts a copy with the next number after the question. References to other systems belong to one question. */
export const withCopy = (draft: ExamDraft, key: string, copyKey: string): ExamDraft => {
  const at = draft.questions.findIndex((question) => question.key === key);
  const question = draft.questions[at];
  if (question === undefined) return draft;
  const { external_id: _, ...rest } = question.rest;
  const copy: DraftQuestion = {
    ...question,
    key: copyKey,
    id: null,
    label: nextLabel(draft.questions),
    options: question.options.map((option) => ({ ...option, key: newKey() })),
    criteria: question.criteria.map((criterion) => ({ ...criterion, key: newKey() })),
    rest,
  };
  return { ...draft, questions: draft.questions.toSpliced(at + 1, 0, copy) };
};
