import { randomUUID } from 'node:crypto';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';

/** A question of a paper: a long answer of 2 marks without a key, unless `change` says otherwise. */
export const markedQuestion = (label: string, change: Partial<MarkedQuestion> = {}): MarkedQuestion => ({
  id: randomUUID(),
  label,
  section: 'A',
  type: 'long_answer',
  text: `Question ${label}?`,
  max_marks: 2,
  negative_marks: 0,
  options: [],
  correct_options: [],
  answer: null,
  model_answer: null,
  rubric: null,
  ...change,
});
