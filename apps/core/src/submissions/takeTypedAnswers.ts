import type { AnswerInput } from '@evaluation/rest-contract/schemas';
import type { MarkedQuestion } from '@evaluation/grading-model';
import { checkTypedAnswers, markByKey, type Parts, type TypedAnswer } from '@evaluation/rules';
import { refuse } from '../accept.ts';
import type { RunIntake } from '../runs/insertRun.ts';

/** What was handed in, ready to be stored with its price. */
export interface Intake extends RunIntake {
  uploadId: string | null;
  pages: number | null;
  /** Pages of a copy, or non-blank long answers: what is paid for. */
  units: number;
  beyondVision: boolean;
  /** The upload's file was damaged, and its pages could be recovered. */
  isRepaired: boolean;
  answers: TypedAnswer[];
}

/** What the paper says of answers, or of what could be read of them. */
export const checkAnswers = (paper: readonly MarkedQuestion[], answers: Parts<readonly AnswerInput[]>) =>
  checkTypedAnswers(
    answers,
    paper.map((question) => ({ ...question, option_labels: question.options.map(({ label }) => label) })),
  );

/**
 * Checks typed answers, marks the objective ones by their key, and counts what is left to the AI (docs/api/submissions.md#typed-answers).
 * @throws DomainFailure validation_failed, unknown_option_label, language_not_supported, with every problem listed
 */
export const takeTypedAnswers = (
  paper: readonly MarkedQuestion[],
  answers: readonly AnswerInput[],
): Intake => {
  const { answered, problems, notEnglish } = checkAnswers(paper, answers);
  if (problems.length > 0) refuse(problems, notEnglish === null ? undefined : { label: notEnglish });

  const { waiting, results } = markByKey(paper, answered);
  return {
    uploadId: null,
    pages: null,
    units: waiting,
    questionsForAi: waiting,
    beyondVision: false,
    isRepaired: false,
    answers: answered,
    results,
  };
};
