import type { Annotation, Judgement } from '../index.ts';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { CriterionResult, GradingError } from '@evaluation/rest-contract/schemas';
import { atMost, isBlankText, lacksMaterial, RECORD_BOUNDS, withoutDirection } from '@evaluation/rules';
import type { GivenAnswer, MarkedQuestion } from '@evaluation/rules/grading-model';

/** The recorded result of one question (docs/api/results.md#fields). */
export interface QuestionOutcome {
  question_id: string;
  status: 'graded' | 'failed' | 'not_answered';
  awarded: number | null;
  confidence: number | null;
  needs_review: boolean;
  review_reasons: string[];
  extracted_answer: string | null;
  feedback: string | null;
  criteria: CriterionResult[];
  annotations: Annotation[];
  error: GradingError | null;
}

/** A long answer was marked by its text alone, without rubric and model answer (docs/api/rubrics.md#rules). */
const NO_RUBRIC = 'no_rubric';
/** Only the beginning of the assigned writing was marked (answerTo.ts). */
const ANSWER_CUT = 'answer_cut';
/** The meaning of the writing is unclear. A model uses the same reason. */
const UNCLEAR_ANSWER = 'unclear_answer';

/** @param ofZero why 0 marks may be wrong: the copy holds writing that is in no answer (`reasonsOfZero`) */
export const gradedQuestion = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  judgement: Judgement,
  ofZero: readonly string[] = [],
): QuestionOutcome => {
  const hasNoRubric = question.type === 'long_answer' && lacksMaterial(question);
  const reasons = [
    ...judgement.reviewReasons,
    ...(hasNoRubric ? [NO_RUBRIC] : []),
    ...(answer.cut === true ? [ANSWER_CUT] : []),
    ...(judgement.awarded > 0 ? [] : ofZero),
  ];
  return {
    ...nothing(question),
    status: 'graded',
    awarded: judgement.awarded,
    confidence: judgement.confidence,
    needs_review: reasons.length > 0,
    review_reasons: reasons,
    extracted_answer: shownAnswer(answer),
    feedback: atMost(RECORD_BOUNDS.feedback, judgement.feedback),
    criteria: judgement.criteria.slice(0, RECORD_BOUNDS.criteria).map(({ name, awarded, max, reason }) => ({
      name: atMost(RECORD_BOUNDS.criterionName, name),
      awarded,
      max,
      reason: atMost(RECORD_BOUNDS.reason, reason),
    })),
    annotations: judgement.annotations
      .slice(0, RECORD_BOUNDS.annotations)
      .map((annotation) => ({ ...annotation, text: atMost(RECORD_BOUNDS.annotation, annotation.text) })),
  };
};

/** The result of a question without an answer: 0 marks, without a model call. */
export const notAnsweredQuestion = (question: MarkedQuestion): QuestionOutcome => ({
  ...nothing(question),
  status: 'not_answered',
  awarded: 0,
});

/**
 * The result of an answer without text: 0 marks, without a model call. It is flagged for review if there are
 * traces of an answer, or if other writing on the copy may be the answer.
 * @param ofZero why the answer may be elsewhere on the copy (`reasonsOfZero`)
 * @returns null if there is text to judge
 */
export const withoutJudging = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  ofZero: readonly string[],
): QuestionOutcome | null => {
  if (!isBlankText(answer.text)) return null;
  const reasons = [...(answer.isUnclear === true ? [UNCLEAR_ANSWER] : []), ...ofZero];
  return { ...notAnsweredQuestion(question), needs_review: reasons.length > 0, review_reasons: reasons };
};

/**
 * The result of a question that the model could not judge; the other questions still count (`partially_graded`).
 * @param isUnanswered true if the model gave no reply; false if its reply was unusable
 */
export const failedQuestion = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  isUnanswered: boolean,
): QuestionOutcome => ({
  ...nothing(question),
  status: 'failed',
  awarded: null,
  needs_review: true,
  review_reasons: ['failed'],
  extracted_answer: shownAnswer(answer),
  error: gradingError(isUnanswered ? 'question_not_answered' : 'question_not_graded'),
});

/** Whether a recorded failure means that the model gave no reply to the question. */
export const isUnansweredQuestion = (error: GradingError | null): boolean =>
  error?.message === gradingError('question_not_answered').message;

/** `answer_cut` says that it was cut (answerTo.ts); the text of a typed answer is shorter. */
const shownAnswer = ({ text }: GivenAnswer): string =>
  atMost(RECORD_BOUNDS.extractedAnswer, withoutDirection(text));

const nothing = (question: MarkedQuestion) => ({
  question_id: question.id,
  confidence: null,
  needs_review: false,
  review_reasons: [],
  extracted_answer: null,
  feedback: null,
  criteria: [],
  annotations: [],
  error: null,
});
