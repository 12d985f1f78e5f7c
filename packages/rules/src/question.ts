import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { ExamMode, QuestionInput, Warning } from '@evaluation/rest-contract/schemas';
import { isBlankText } from './invisible.ts';
import { isOnMarkStep, MARK_STEP } from './marks/rounding.ts';
import { duplicate, problem } from './problem.ts';
import { BROKEN, isRead, type Parts } from './readable.ts';
import { checkRubric } from './rubric.ts';

/** Rules that tie the fields of one question together (docs/api/questions.md#fields). */

const CHOICE_TYPES = new Set(['mcq_single', 'mcq_multi', 'true_false']);

export const isChoice = (type: QuestionInput['type']): boolean => CHOICE_TYPES.has(type);
export const isObjective = (type: QuestionInput['type']): boolean => type !== 'long_answer';

/** Negative marks do not apply to handwritten exams (docs/api/questions.md#fields). */
export const negativeMarks = (question: QuestionInput, mode: ExamMode): number =>
  mode === 'handwritten' ? 0 : (question.negative_marks ?? 0);

export const NEGATIVE_MARKS_IGNORED = 'negative_marks_ignored';

/** Only the request that sent the marks gets this warning: the marks are stored as 0. */
export const negativeMarksIgnored = (label: string): Warning => ({
  code: NEGATIVE_MARKS_IGNORED,
  message: `Question ${label}: negative marks do not apply to handwritten exams and were set to 0.`,
});

export const questionWarnings = (question: QuestionInput, mode: ExamMode): Warning[] => {
  const warnings: Warning[] = [];
  if (mode === 'handwritten' && (question.negative_marks ?? 0) > 0) {
    warnings.push(negativeMarksIgnored(question.label));
  }
  if (question.type === 'long_answer') warnings.push(...materialWarnings(question));
  return warnings;
};

/** Whether a long answer lacks rubric and model answer; a rubric is then made (docs/api/rubrics.md#rules). */
export const lacksMaterial = (question: {
  rubric?: object | null | undefined;
  model_answer?: string | null | undefined;
}): boolean => question.rubric == null && isBlank(question.model_answer);

export const materialWarnings = (question: {
  label: string;
  rubric?: { criteria: readonly { marks: number }[] } | null | undefined;
  model_answer?: string | null | undefined;
}): Warning[] => {
  const warnings: Warning[] = [];
  if (question.rubric?.criteria.some(({ marks }) => !isOnMarkStep(marks)) === true) {
    warnings.push({
      code: 'rubric_marks_not_half_step',
      message: `Question ${question.label}: a criterion has marks that are not in steps of ${MARK_STEP}.`,
    });
  }
  if (lacksMaterial(question)) {
    warnings.push({
      code: 'auto_rubric',
      message: `Question ${question.label} has neither a rubric nor a model answer: a rubric is made from its text with the first copy.`,
    });
  }
  return warnings;
};

/**
 * Checks the key that the type needs, the option labels and the rubric, in all fields that could be read. Lists all
 * problems at once.
 * @param at prefix of field paths: `questions[3].`, or '' if the body is the question
 */
export const checkQuestion = (question: Parts<QuestionInput>, at: string): Problem[] => {
  if (question === BROKEN || question.type === BROKEN) return [];
  const { type } = question;
  const problems: Problem[] = [];
  const required = (field: string) =>
    problems.push(problem(`${at}${field}`, 'required', `Required for ${type}.`));
  const refuse = (field: string) =>
    problems.push(problem(`${at}${field}`, 'not_allowed', `Not allowed for ${type}.`));

  if (isChoice(type)) {
    if (question.options == null) required('options');
    if (question.correct_options == null) required('correct_options');
    problems.push(...checkOptions(type, question, at));
  } else {
    if (question.options != null) refuse('options');
    if (question.correct_options != null) refuse('correct_options');
  }

  if (type === 'numeric' || type === 'one_word') {
    if (question.answer == null) required('answer');
    else problems.push(...checkAnswerKey(type, question.answer, `${at}answer`));
  } else if (question.answer != null) refuse('answer');

  if (type !== 'long_answer') {
    if (question.model_answer != null) refuse('model_answer');
    if (question.rubric != null) refuse('rubric');
  } else if (question.rubric != null) {
    problems.push(...checkRubric(question.rubric, question.max_marks, `${at}rubric`));
  }
  return problems;
};

const checkOptions = (
  type: QuestionInput['type'],
  question: Exclude<Parts<QuestionInput>, typeof BROKEN>,
  at: string,
): Problem[] => {
  const problems: Problem[] = [];
  const options = question.options ?? null;
  const labels = new Set<string>();
  let allLabelsRead = isRead(options);
  if (options !== null && isRead(options)) {
    options.forEach((option, index) => {
      if (!isRead(option) || !isRead(option.label)) {
        allLabelsRead = false;
        return;
      }
      if (labels.has(option.label)) {
        problems.push(duplicate(`${at}options[${index}].label`, 'Option labels must be unique.'));
      }
      labels.add(option.label);
    });
    if (type === 'true_false' && options.length !== 2) {
      problems.push(problem(`${at}options`, 'invalid_value', 'true_false takes exactly two options.'));
    }
  }
  const correct = question.correct_options ?? [];
  if (!isRead(correct)) return problems;
  if (type !== 'mcq_multi' && correct.length > 1) {
    problems.push(
      problem(`${at}correct_options`, 'invalid_value', `${type} takes exactly one correct option.`),
    );
  }
  const named = new Set<string>();
  correct.forEach((label, index) => {
    if (!isRead(label)) return;
    const field = `${at}correct_options[${index}]`;
    if (named.has(label)) problems.push(duplicate(field, 'Named twice.'));
    named.add(label);
    if (options !== null && allLabelsRead && !labels.has(label)) {
      problems.push({
        ...problem(field, 'unknown_option_label', 'No option has this label.'),
        failure: 'unknown_option_label',
      });
    }
  });
  return problems;
};

const checkAnswerKey = (
  type: 'numeric' | 'one_word',
  answer: Parts<NonNullable<QuestionInput['answer']>>,
  field: string,
): Problem[] => {
  if (!isRead(answer)) return [];
  if (type === 'one_word') {
    if (typeof answer !== 'string') return [problem(field, 'invalid_type', 'Expected string.')];
    if (isBlankText(answer)) return [problem(field, 'required', 'Cannot be empty.')];
    if (/[<>]/.test(answer)) return [problem(field, 'invalid_characters', 'Cannot contain < or >.')];
    return [];
  }
  const isList = typeof answer === 'object';
  const accepted = isList ? answer : [answer];
  return accepted.flatMap((value, index) => {
    const message = isRead(value) ? wrongNumber(value) : null;
    return message === null ? [] : [problem(isList ? `${field}[${index}]` : field, 'invalid_value', message)];
  });
};

/** Digits that each JSON number keeps: binary64 rounds longer ones, and the key would be another number. */
const SAFE_DIGITS = 15;

/** What is wrong with an accepted number of a key; null if nothing is. */
const wrongNumber = (value: string | number): string | null => {
  if (typeof value === 'number') {
    const [digits = ''] = value.toExponential().split('e');
    return digits.replace(/\D/g, '').length > SAFE_DIGITS
      ? `Has more than ${SAFE_DIGITS} digits, which a JSON number does not keep: send it as a string.`
      : null;
  }
  const isNumber = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$/.test(value);
  return isNumber ? null : 'Expected a number.';
};

const isBlank = (value: string | null | undefined): boolean => value == null || value.trim() === '';
