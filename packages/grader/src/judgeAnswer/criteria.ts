import type { JudgeRequest } from '../grader.ts';

export type Criterion = JudgeRequest['question']['criteria'][number];

/** The rubric's criteria, or one criterion with all marks if the question has no rubric. */
export const criteriaOf = (question: JudgeRequest['question']): Criterion[] => {
  if (question.criteria.length > 0) return question.criteria;
  return [{ name: 'Answer', marks: question.maxMarks, keywords: [], guidance: null }];
};
