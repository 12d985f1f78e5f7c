import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { AnswerInput, QuestionType } from '@evaluation/rest-contract/schemas';
import { atMost } from '@evaluation/rest-contract/schemas';
import { isMostlyDevanagari } from './language.ts';
import { labelKey } from './labels.ts';
import { isChoice } from './question.ts';

/** What the rules need to know of a question to check an answer to it. */
export interface AnswerableQuestion {
  id: string;
  label: string;
  type: QuestionType;
  option_labels: readonly string[];
}

/** One answer, tied to its question. Blank ones are not answered and are not kept. */
export interface TypedAnswer {
  question_id: string;
  option_labels: string[];
  text: string | null;
}

const MAX_ANSWER = 20_000;

/**
 * Spec 4.7, rule 5: ties each answer to its question and lists every problem at once.
 * @returns the answers that are not blank, and the problems; `failure` on a problem names an error of its own.
 */
export const checkTypedAnswers = (
  answers: readonly AnswerInput[],
  questions: readonly AnswerableQuestion[],
): { answered: TypedAnswer[]; problems: Problem[]; notEnglish: string | null } => {
  const byId = new Map(questions.map((question) => [question.id, question]));
  const byLabel = new Map(questions.map((question) => [labelKey(question.label), question]));
  const seen = new Set<string>();
  const problems: Problem[] = [];
  const answered: TypedAnswer[] = [];
  let notEnglish: string | null = null;

  answers.forEach((answer, index) => {
    const at = `answers[${index}]`;
    const refuse = (field: string, code: string, message: string) => problems.push({ field, code, message });
    if ((answer.question_id == null) === (answer.question_label == null)) {
      refuse(at, 'invalid_value', 'Name the question by question_id or by question_label, exactly one.');
      return;
    }
    const question =
      answer.question_id != null
        ? byId.get(answer.question_id.toLowerCase())
        : byLabel.get(labelKey(answer.question_label ?? ''));
    if (question === undefined) {
      const field = answer.question_id != null ? 'question_id' : 'question_label';
      refuse(`${at}.${field}`, 'unknown_question', 'The exam has no such question.');
      return;
    }
    if (seen.has(question.id)) {
      refuse(at, 'duplicate', `Question ${question.label} is answered twice.`);
      return;
    }
    seen.add(question.id);

    if (isChoice(question.type)) {
      if (answer.text != null) refuse(`${at}.text`, 'not_allowed', `A ${question.type} takes option_labels.`);
      const labels = answer.option_labels ?? [];
      labels.forEach((label, position) => {
        const field = `${at}.option_labels[${position}]`;
        if (!question.option_labels.includes(label)) {
          problems.push({
            field,
            code: 'unknown_option_label',
            message: `Question ${question.label} has no such option.`,
            failure: 'unknown_option_label',
          });
        } else if (labels.indexOf(label) !== position) refuse(field, 'duplicate', 'Named twice.');
      });
      if (labels.length > 0)
        answered.push({ question_id: question.id, option_labels: [...labels], text: null });
      return;
    }

    if (answer.option_labels != null) {
      refuse(`${at}.option_labels`, 'not_allowed', `A ${question.type} takes text.`);
    }
    const text = answer.text ?? '';
    const limit = question.type === 'long_answer' ? MAX_ANSWER : 255;
    if (!atMost(text, limit)) {
      // Nothing else is asked of a text that may be of any length.
      refuse(`${at}.text`, 'too_long', `At most ${limit} characters.`);
      return;
    }
    if (isMostlyDevanagari(text)) {
      notEnglish ??= question.label;
      problems.push({
        field: `${at}.text`,
        code: 'language_not_supported',
        message: 'Only English answers are supported.',
        failure: 'language_not_supported',
      });
    }
    if (text.trim() !== '') answered.push({ question_id: question.id, option_labels: [], text });
  });
  return { answered, problems, notEnglish };
};
