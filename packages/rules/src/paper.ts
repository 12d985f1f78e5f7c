import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { ExamMode, QuestionInput, Warning } from '@evaluation/rest-contract/schemas';
import { labelKey } from './labels.ts';
import { checkRubric } from './rubric.ts';

/**
 * The rules of a paper that tie fields together (spec 2.1, 2.2): which key a type needs, labels that must be unique
 * and exist, sections. Pure: every problem is listed at once, with the path a client can act on.
 */

export interface PaperSection {
  name: string;
}

export interface PaperQuestion {
  question: QuestionInput;
  /** Index into the paper's sections. */
  section: number;
  negativeMarks: number;
}

export interface Paper {
  sections: PaperSection[];
  questions: PaperQuestion[];
  warnings: Warning[];
  problems: Problem[];
}

const DEFAULT_SECTION = 'A';
const MAX_SECTIONS = 20;
const CHOICE_TYPES = new Set(['mcq_single', 'mcq_multi', 'true_false']);

export const isChoice = (type: QuestionInput['type']): boolean => CHOICE_TYPES.has(type);
export const isObjective = (type: QuestionInput['type']): boolean => type !== 'long_answer';

export const checkPaper = (input: {
  mode: ExamMode;
  sections: readonly { name: string; order: number }[] | null;
  questions: readonly QuestionInput[];
}): Paper => {
  const problems: Problem[] = [];
  const warnings: Warning[] = [];
  const declared = [...(input.sections ?? [])].map((section, index) => ({ ...section, index }));
  const seenSections = new Set<string>();
  for (const section of declared) {
    const key = labelKey(section.name);
    if (seenSections.has(key)) {
      problems.push(duplicate(`sections[${section.index}].name`, 'Section names must be unique.'));
    }
    seenSections.add(key);
  }
  const sections: PaperSection[] = declared
    .toSorted((a, b) => a.order - b.order || a.index - b.index)
    .map(({ name }) => ({ name }));
  const isDeclared = sections.length > 0;

  const seenLabels = new Set<string>();
  const questions = input.questions.map((question, index): PaperQuestion => {
    const at = `questions[${index}]`;
    const key = labelKey(question.label);
    if (seenLabels.has(key))
      problems.push(duplicate(`${at}.label`, 'Labels must be unique within the exam.'));
    seenLabels.add(key);

    let section = 0;
    if (question.section != null) {
      const wanted = labelKey(question.section);
      section = sections.findIndex(({ name }) => labelKey(name) === wanted);
      if (section === -1 && isDeclared) {
        problems.push({
          field: `${at}.section`,
          code: 'unknown_section',
          message: 'This section is not declared in sections.',
        });
        section = 0;
      } else if (section === -1) {
        section = sections.push({ name: question.section }) - 1;
      }
    } else if (sections.length === 0) {
      sections.push({ name: DEFAULT_SECTION });
    }

    problems.push(...checkQuestion(question, at));
    const negative = question.negative_marks ?? 0;
    if (negative > 0 && input.mode === 'handwritten') {
      warnings.push({
        code: 'negative_marks_ignored',
        message: `Question ${question.label}: negative marks do not apply to handwritten exams and were set to 0.`,
      });
    }
    if (hasOddCriterion(question)) {
      warnings.push({
        code: 'rubric_marks_not_half_step',
        message: `Question ${question.label}: a criterion has marks that are not in steps of 0.5.`,
      });
    }
    if (question.type === 'long_answer' && question.rubric == null && isBlank(question.model_answer)) {
      warnings.push({
        code: 'auto_rubric',
        message: `Question ${question.label} has neither a rubric nor a model answer.`,
      });
    }
    return { question, section, negativeMarks: input.mode === 'handwritten' ? 0 : negative };
  });

  if (!isDeclared && sections.length > MAX_SECTIONS) {
    problems.push({
      field: 'questions',
      code: 'too_many_sections',
      message: 'At most 20 sections in an exam.',
    });
  }
  return { sections, questions, warnings, problems };
};

const checkQuestion = (question: QuestionInput, at: string): Problem[] => {
  const problems: Problem[] = [];
  const required = (field: string) =>
    problems.push({ field: `${at}.${field}`, code: 'required', message: `Required for ${question.type}.` });
  const refuse = (field: string) =>
    problems.push({
      field: `${at}.${field}`,
      code: 'not_allowed',
      message: `Not allowed for ${question.type}.`,
    });

  if (isChoice(question.type)) {
    if (question.options == null) required('options');
    if (question.correct_options == null) required('correct_options');
    problems.push(...checkOptions(question, at));
  } else {
    if (question.options != null) refuse('options');
    if (question.correct_options != null) refuse('correct_options');
  }

  if (question.type === 'numeric' || question.type === 'one_word') {
    if (question.answer == null) required('answer');
    else problems.push(...checkAnswerKey(question.type, question.answer, `${at}.answer`));
  } else if (question.answer != null) refuse('answer');

  if (question.type !== 'long_answer') {
    if (question.model_answer != null) refuse('model_answer');
    if (question.rubric != null) refuse('rubric');
  } else if (question.rubric != null) {
    problems.push(...checkRubric(question.rubric, question.max_marks, `${at}.rubric`));
  }
  return problems;
};

const checkOptions = (question: QuestionInput, at: string): Problem[] => {
  const problems: Problem[] = [];
  const options = question.options ?? [];
  const labels = new Set<string>();
  options.forEach((option, index) => {
    if (labels.has(option.label)) {
      problems.push(duplicate(`${at}.options[${index}].label`, 'Option labels must be unique.'));
    }
    labels.add(option.label);
  });
  if (question.type === 'true_false' && question.options != null && options.length !== 2) {
    problems.push({
      field: `${at}.options`,
      code: 'invalid_value',
      message: 'true_false takes exactly two options.',
    });
  }
  const correct = question.correct_options ?? [];
  if (question.type !== 'mcq_multi' && correct.length > 1) {
    problems.push({
      field: `${at}.correct_options`,
      code: 'invalid_value',
      message: `${question.type} takes exactly one correct option.`,
    });
  }
  const named = new Set<string>();
  correct.forEach((label, index) => {
    const field = `${at}.correct_options[${index}]`;
    if (named.has(label)) problems.push(duplicate(field, 'Named twice.'));
    named.add(label);
    if (question.options != null && !labels.has(label)) {
      problems.push({
        field,
        code: 'unknown_option_label',
        message: 'No option has this label.',
        failure: 'unknown_option_label',
      });
    }
  });
  return problems;
};

const checkAnswerKey = (
  type: 'numeric' | 'one_word',
  answer: NonNullable<QuestionInput['answer']>,
  field: string,
): Problem[] => {
  if (type === 'one_word') {
    if (typeof answer !== 'string') return [{ field, code: 'invalid_type', message: 'Expected string.' }];
    if (answer.trim() === '') return [{ field, code: 'required', message: 'Cannot be empty.' }];
    if (/[<>]/.test(answer))
      return [{ field, code: 'invalid_characters', message: 'Cannot contain < or >.' }];
    return [];
  }
  const accepted = Array.isArray(answer) ? answer : [answer];
  return accepted.flatMap((value, index) =>
    typeof value === 'number' || /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$/.test(value)
      ? []
      : [
          {
            field: Array.isArray(answer) ? `${field}[${index}]` : field,
            code: 'invalid_value',
            message: 'Expected a number.',
          },
        ],
  );
};

const hasOddCriterion = (question: QuestionInput): boolean =>
  question.rubric?.criteria.some(({ marks }) => !Number.isInteger(marks * 2)) ?? false;

const isBlank = (value: string | null | undefined): boolean => value == null || value.trim() === '';

const duplicate = (field: string, message: string): Problem => ({ field, code: 'duplicate', message });
