import type { QuestionType } from '@evaluation/rest-contract/schemas';
import { markObjective } from './objectiveMarking.ts';
import { objectiveKey } from './objectiveKey.ts';
import { withoutDirection } from './invisible.ts';
import type { TypedAnswer } from './typedAnswers.ts';

interface KeyedQuestion {
  id: string;
  type: QuestionType;
  max_marks: number;
  negative_marks: number;
  correct_options: string[];
  answer: number | string | (number | string)[] | null;
}

/** A question of a typed paper that is marked without AI. */
export interface QuestionMarkedByKey {
  question_id: string;
  status: 'graded' | 'not_answered';
  awarded: number;
  max: number;
  extracted_answer: string | null;
}

/**
 * Marks the answers of a typed paper that need no AI: objective answers by their key, blank and omitted ones as not
 * answered.
 * @returns the results, and the number of long answers left for the AI
 */
export const markByKey = (
  paper: readonly KeyedQuestion[],
  answered: readonly TypedAnswer[],
): { waiting: number; results: QuestionMarkedByKey[] } => {
  const byQuestion = new Map(answered.map((answer) => [answer.question_id, answer]));
  const marked = paper.filter(({ id, type }) => type !== 'long_answer' || !byQuestion.has(id));
  return {
    waiting: paper.length - marked.length,
    results: marked.map((question) => markQuestion(question, byQuestion.get(question.id))),
  };
};

const markQuestion = (question: KeyedQuestion, answer: TypedAnswer | undefined): QuestionMarkedByKey => {
  const key = objectiveKey(question);
  const blank = {
    question_id: question.id,
    status: 'not_answered',
    awarded: 0,
    max: question.max_marks,
    extracted_answer: null,
  } as const;
  if (key === null || answer === undefined) return blank;
  const marked = markObjective(
    key,
    { option_labels: answer.option_labels, text: answer.text ?? '' },
    { maxMarks: question.max_marks, negativeMarks: question.negative_marks },
  );
  if (marked.status === 'not_answered') return blank;
  return {
    question_id: question.id,
    status: 'graded',
    awarded: marked.awarded,
    max: question.max_marks,
    extracted_answer: answer.text === null ? answer.option_labels.join(', ') : withoutDirection(answer.text),
  };
};
