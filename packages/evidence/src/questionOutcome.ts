import type { Annotation, Judgement } from '@evaluation/grader';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { CriterionResult, GradingError } from '@evaluation/rest-contract/schemas';
import { isBlankText, lacksMaterial, withoutDirection } from '@evaluation/rules';
import type { GivenAnswer, MarkedQuestion } from '@evaluation/grading-model';

/** What a run makes of one question, as it is recorded (docs/api/results.md#fields). */
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

/** A long answer was marked by its text alone: the client set nothing and no rubric could be made (docs/api/rubrics.md#rules). */
const NO_RUBRIC = 'no_rubric';
/** Only the beginning of what was assigned to the question was marked (answerTo.ts). */
const ANSWER_CUT = 'answer_cut';
/** Something stands there and nobody can tell what was meant; the same word as where a model says so. */
const UNCLEAR_ANSWER = 'unclear_answer';

export const gradedQuestion = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  judgement: Judgement,
): QuestionOutcome => {
  const hasNoRubric = question.type === 'long_answer' && lacksMaterial(question);
  const reasons = [
    ...judgement.reviewReasons,
    ...(hasNoRubric ? [NO_RUBRIC] : []),
    ...(answer.cut === true ? [ANSWER_CUT] : []),
  ];
  return {
    ...nothing(question),
    status: 'graded',
    awarded: judgement.awarded,
    confidence: judgement.confidence,
    needs_review: reasons.length > 0,
    review_reasons: reasons,
    extracted_answer: withoutDirection(answer.text),
    feedback: judgement.feedback,
    criteria: judgement.criteria.map(({ name, awarded, max, reason }) => ({ name, awarded, max, reason })),
    annotations: judgement.annotations,
  };
};

/** Nothing was found to a question: 0 marks, decided in code, no model call (docs/architecture.md#marks-and-credits). */
export const notAnsweredQuestion = (question: MarkedQuestion): QuestionOutcome => ({
  ...nothing(question),
  status: 'not_answered',
  awarded: 0,
});

/**
 * What becomes of an answer without text, decided in code: 0 marks. A teacher looks where only labels were read in the
 * answer's place, and where the copy has writing that may be the answer.
 * @param lost why the answer may stand elsewhere on the copy (`lostWriting`)
 * @returns null: there is text to judge
 */
export const withoutJudging = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  lost: readonly string[],
): QuestionOutcome | null => {
  if (!isBlankText(answer.text)) return null;
  const reasons = [...(answer.isLabelAlone === true ? [UNCLEAR_ANSWER] : []), ...lost];
  return { ...notAnsweredQuestion(question), needs_review: reasons.length > 0, review_reasons: reasons };
};

/**
 * The model could not judge the answer; the others still count (docs/api/results.md#fields, `partially_graded`).
 * @param isUnanswered it gave no answer at all, and not one that cannot be used
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
  extracted_answer: withoutDirection(answer.text),
  error: gradingError(isUnanswered ? 'question_not_answered' : 'question_not_graded'),
});

/** Whether a recorded failure is that of a question to which no answer came. */
export const isUnansweredQuestion = (error: GradingError | null): boolean =>
  error?.message === gradingError('question_not_answered').message;

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
