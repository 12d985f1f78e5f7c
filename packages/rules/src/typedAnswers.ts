import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { AnswerInput, QuestionType } from '@evaluation/rest-contract/schemas';
import { atMost } from '@evaluation/rest-contract/schemas';
import { isBlankText } from './invisible.ts';
import { isMostlyDevanagari } from './language.ts';
import { labelKey } from './labels.ts';
import { problem } from './problem.ts';
import { isChoice } from './question.ts';
import { isRead, type Broken, type Parts } from './readable.ts';

export interface AnswerableQuestion {
  id: string;
  label: string;
  type: QuestionType;
  option_labels: readonly string[];
}

export interface TypedAnswer {
  question_id: string;
  option_labels: string[];
  text: string | null;
}

/** Code points. */
const MAX_LONG_ANSWER = 20_000;
const MAX_SHORT_ANSWER = 255;

/**
 * Matches answers to questions and lists all problems at once, in fields that could be read
 * (docs/api/submissions.md#typed-answers).
 * @returns `answered`: answers that are not blank. `problems`: `failure` names an error code other than the default.
 *   `notEnglish`: label of the first question whose answer is not English.
 */
export const checkTypedAnswers = (
  answers: Parts<readonly AnswerInput[]>,
  questions: readonly AnswerableQuestion[],
): { answered: TypedAnswer[]; problems: Problem[]; notEnglish: string | null } => {
  const find = questionFinder(questions);
  const seen = new Set<string>();
  const problems: Problem[] = [];
  const answered: TypedAnswer[] = [];
  let notEnglish: string | null = null;

  (isRead(answers) ? answers : []).forEach((answer, index) => {
    if (!isRead(answer)) return;
    const at = `answers[${index}]`;
    const question = find(answer, at);
    if (question === null) return;
    if ('code' in question) {
      problems.push(question);
      return;
    }
    if (seen.has(question.id)) {
      problems.push(problem(at, 'duplicate', `Question ${question.label} is answered twice.`));
    }
    seen.add(question.id);

    const found = (isChoice(question.type) ? choiceProblems : textProblems)(answer, question, at);
    problems.push(...found);
    if (found.some(({ failure }) => failure === 'language_not_supported')) notEnglish ??= question.label;
    const kept = found.length === 0 ? keep(answer, question) : null;
    if (kept !== null) answered.push(kept);
  });
  return { answered, problems, notEnglish };
};

type ReadAnswer = Exclude<Parts<AnswerInput>, Broken>;

/** Returns the question of an answer, or the problem of its reference; null if the reference is `BROKEN`. */
const questionFinder = (questions: readonly AnswerableQuestion[]) => {
  const byId = new Map(questions.map((question) => [question.id, question]));
  const byLabel = new Map(questions.map((question) => [labelKey(question.label), question]));
  return (
    { question_id: id, question_label: label }: ReadAnswer,
    at: string,
  ): AnswerableQuestion | Problem | null => {
    if (!isRead(id) || !isRead(label)) return null;
    if ((id == null) === (label == null)) {
      return problem(
        at,
        'invalid_value',
        'Name the question by question_id or by question_label, exactly one.',
      );
    }
    const question = id != null ? byId.get(id.toLowerCase()) : byLabel.get(labelKey(label ?? ''));
    const field = id != null ? 'question_id' : 'question_label';
    return question ?? problem(`${at}.${field}`, 'unknown_question', 'The exam has no such question.');
  };
};

const choiceProblems = (answer: ReadAnswer, question: AnswerableQuestion, at: string): Problem[] => {
  const problems: Problem[] = [];
  if (answer.text != null) {
    problems.push(problem(`${at}.text`, 'not_allowed', `A ${question.type} takes option_labels.`));
  }
  const labels = answer.option_labels ?? [];
  if (!isRead(labels)) return problems;
  labels.forEach((label, position) => {
    if (!isRead(label)) return;
    const field = `${at}.option_labels[${position}]`;
    if (!question.option_labels.includes(label)) {
      problems.push({
        ...problem(field, 'unknown_option_label', `Question ${question.label} has no such option.`),
        failure: 'unknown_option_label',
      });
    } else if (labels.indexOf(label) !== position) {
      problems.push(problem(field, 'duplicate', 'Named twice.'));
    }
  });
  return problems;
};

const textProblems = (answer: ReadAnswer, question: AnswerableQuestion, at: string): Problem[] => {
  const problems: Problem[] = [];
  if (answer.option_labels != null) {
    problems.push(problem(`${at}.option_labels`, 'not_allowed', `A ${question.type} takes text.`));
  }
  const text = answer.text ?? '';
  if (!isRead(text)) return problems;
  const limit = question.type === 'long_answer' ? MAX_LONG_ANSWER : MAX_SHORT_ANSWER;
  // Stop here: the text may have any length.
  if (!atMost(text, limit)) {
    problems.push(problem(`${at}.text`, 'too_long', `At most ${limit} characters.`));
  } else if (isMostlyDevanagari(text)) {
    problems.push({
      ...problem(`${at}.text`, 'language_not_supported', 'Only English answers are supported.'),
      failure: 'language_not_supported',
    });
  }
  return problems;
};

/** The stored form of a valid answer; null if it is blank. */
const keep = (answer: ReadAnswer, question: AnswerableQuestion): TypedAnswer | null => {
  const { text, option_labels: labels } = answer;
  if (isChoice(question.type)) {
    return labels == null || !isRead(labels) || labels.length === 0
      ? null
      : { question_id: question.id, option_labels: labels.filter(isRead), text: null };
  }
  return text == null || !isRead(text) || isBlankText(text)
    ? null
    : { question_id: question.id, option_labels: [], text };
};
