import type { AnswerInput } from '@evaluation/rest-contract/schemas';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { checkTypedAnswers, markByKey, type Parts, type TypedAnswer } from '@evaluation/rules';
import { refuse } from '../command/accept.ts';
import type { RunIntake } from '../grading/runs/insertRun.ts';

export interface Intake extends RunIntake {
  uploadId: string | null;
  pages: number | null;
  /** Units of the price: pages of a copy, or non-blank long answers. */
  units: number;
  beyondVision: boolean;
  isRepaired: boolean;
  answers: TypedAnswer[];
}

/** Checks answers, or the parts of them that could be parsed, against the paper. */
export const checkAnswers = (paper: readonly MarkedQuestion[], answers: Parts<readonly AnswerInput[]>) =>
  checkTypedAnswers(
    answers,
    paper.map((question) => ({ ...question, option_labels: question.options.map(({ label }) => label) })),
  );

/** @throws DomainFailure validation_failed, unknown_option_label, language_not_supported, with all problems */
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
