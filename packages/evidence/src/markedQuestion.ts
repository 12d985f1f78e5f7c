import type { QuestionType, Rubric } from '@evaluation/rest-contract/schemas';

/** A question as a run is marked by it: pinned at the run's first claim. */
export interface MarkedQuestion {
  id: string;
  label: string;
  section: string;
  type: QuestionType;
  text: string;
  max_marks: number;
  negative_marks: number;
  options: { label: string; text: string }[];
  correct_options: string[];
  answer: number | string | (number | string)[] | null;
  model_answer: string | null;
  rubric: Rubric | null;
}
