import type { QuestionType } from '@evaluation/rest-contract/schemas';
import type { ObjectiveKey } from './objectiveMarking.ts';

/** The stored answer key of a question; null for a long answer (docs/api/questions.md#fields). */
export const objectiveKey = (question: {
  type: QuestionType;
  correct_options: string[];
  answer: number | string | (number | string)[] | null;
}): ObjectiveKey | null => {
  switch (question.type) {
    case 'mcq_single':
    case 'mcq_multi':
    case 'true_false':
      return { type: question.type, correct_options: question.correct_options };
    case 'numeric':
      return question.answer === null ? null : { type: 'numeric', answer: question.answer };
    case 'one_word':
      return typeof question.answer === 'string' ? { type: 'one_word', answer: question.answer } : null;
    case 'long_answer':
      return null;
  }
};
