import type { JudgeRequest } from '../grader.ts';

export type Criterion = JudgeRequest['question']['criteria'][number];

/** The rubric's criteria; without a rubric one that carries all the marks, so that there is one way to mark. */
export function criteriaOf(question: JudgeRequest['question']): Criterion[] {
  if (question.criteria.length > 0) return question.criteria;
  return [{ name: 'Answer', marks: question.maxMarks, keywords: [], guidance: null }];
}
