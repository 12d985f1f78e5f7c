import type { AnswerInput } from '@evaluation/rest-contract/schemas';
import {
  checkTypedAnswers,
  markObjective,
  objectiveKey,
  type Parts,
  type TypedAnswer,
} from '@evaluation/rules';
import { refuse } from '../accept.ts';
import type { PaperQuestion } from './paper.ts';

/** What was handed in, ready to be stored with its price. */
export interface Intake {
  uploadId: string | null;
  pages: number | null;
  /** Pages of a copy, or non-blank long answers: what is paid for. */
  units: number;
  /** Questions that wait for the AI; 0 means that the submission is graded at once. */
  questionsForAi: number;
  beyondVision: boolean;
  answers: TypedAnswer[];
  /** Decided at once: objective answers by their key, blank and omitted ones as not answered. */
  results: SettledQuestion[];
}

/** A question of a typed paper that needs no AI. */
export interface SettledQuestion {
  question_id: string;
  status: 'graded' | 'not_answered';
  awarded: number;
  max: number;
  extracted_answer: string | null;
}

/** What the paper says of answers, or of what could be read of them. */
export const checkAnswers = (paper: readonly PaperQuestion[], answers: Parts<readonly AnswerInput[]>) =>
  checkTypedAnswers(
    answers,
    paper.map((question) => ({ ...question, option_labels: question.options.map(({ label }) => label) })),
  );

/**
 * Checks typed answers, marks the objective ones by their key, and counts what is left to the AI (spec 4.7, rules 5, 6).
 * @throws DomainFailure validation_failed, unknown_option_label, language_not_supported, with every problem listed
 */
export const takeTypedAnswers = (
  paper: readonly PaperQuestion[],
  answers: readonly AnswerInput[],
): Intake => {
  const { answered, problems, notEnglish } = checkAnswers(paper, answers);
  if (problems.length > 0) refuse(problems, notEnglish === null ? undefined : { label: notEnglish });

  const { waiting, results } = settleByKey(paper, answered);
  return {
    uploadId: null,
    pages: null,
    units: waiting,
    questionsForAi: waiting,
    beyondVision: false,
    answers: answered,
    results,
  };
};

/**
 * What a typed paper's answers are worth without the AI (spec 4.7, rules 5, 6): objective ones by their key, blank and
 * omitted ones as not answered.
 * @returns those results, and how many long answers wait for the AI
 */
export const settleByKey = (
  paper: readonly PaperQuestion[],
  answered: readonly TypedAnswer[],
): { waiting: number; results: SettledQuestion[] } => {
  const byQuestion = new Map(answered.map((answer) => [answer.question_id, answer]));
  const settled = paper.filter(({ id, type }) => type !== 'long_answer' || !byQuestion.has(id));
  return {
    waiting: paper.length - settled.length,
    results: settled.map((question) => settle(question, byQuestion.get(question.id))),
  };
};

const settle = (question: PaperQuestion, answer: TypedAnswer | undefined): SettledQuestion => {
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
    extracted_answer: answer.text ?? answer.option_labels.join(', '),
  };
};
