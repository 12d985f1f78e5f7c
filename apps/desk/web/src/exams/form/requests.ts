import type { ExamCreate, ExamEdit, QuestionEdit, QuestionInput } from '@evaluation/rest-contract/schemas';
import { isChoice, type DraftQuestion, type ExamDraft } from './draft.ts';

/* Requests of the API from the form. Empty fields are left out of a new exam and are null in an edit. */

const sent = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** The accepted answers: one value, or a list if there are several lines. */
const answerOf = (question: DraftQuestion): QuestionInput['answer'] => {
  const lines = question.answer
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (question.type === 'one_word') return lines.join(' ');
  return lines.length > 1 ? lines : (lines[0] ?? '');
};

const rubricOf = ({ partialMarking, criteria }: DraftQuestion): QuestionInput['rubric'] => ({
  partial_marking: partialMarking,
  criteria: criteria.map(({ name, marks, keywords, guidance }) => {
    const words = keywords
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    return {
      name: name.trim(),
      marks: numberOf(marks),
      ...(words.length === 0 ? {} : { keywords: words }),
      ...(guidance.trim() === '' ? {} : { guidance: guidance.trim() }),
    };
  }),
});

/** An empty number becomes 0, which the API refuses at this field where a number is required. */
const numberOf = (amount: number | ''): number => (amount === '' ? 0 : amount);

/** Fields of one question that its type has. */
export const questionBody = (question: DraftQuestion): QuestionInput => {
  const section = sent(question.section);
  return {
    ...question.rest,
    label: question.label.trim(),
    ...(section === undefined ? {} : { section }),
    type: question.type,
    text: question.text.trim(),
    max_marks: numberOf(question.maxMarks),
    ...(question.type !== 'long_answer' && question.negativeMarks !== ''
      ? { negative_marks: question.negativeMarks }
      : {}),
    ...(isChoice(question.type)
      ? {
          options: question.options.map(({ label, text }) => ({ label: label.trim(), text: text.trim() })),
          correct_options: question.options
            .filter(({ isCorrect }) => isCorrect)
            .map(({ label }) => label.trim()),
        }
      : {}),
    ...(question.type === 'numeric' || question.type === 'one_word' ? { answer: answerOf(question) } : {}),
    ...(question.type === 'long_answer'
      ? {
          ...(question.modelAnswer.trim() === '' ? {} : { model_answer: question.modelAnswer.trim() }),
          ...(question.hasRubric ? { rubric: rubricOf(question) } : {}),
        }
      : {}),
  };
};

export const examBody = (draft: ExamDraft, { open }: { open: boolean }): ExamCreate => {
  const optional = {
    subject: sent(draft.subject),
    class: sent(draft.class),
    board: sent(draft.board),
    conducted_on: sent(draft.conductedOn),
    external_ref: sent(draft.externalRef),
    instructions: sent(draft.instructions),
  };
  return {
    title: draft.title.trim(),
    mode: draft.mode,
    level: draft.level,
    blind: draft.blind,
    open,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    questions: draft.questions.map(questionBody),
  };
};

const EXAM_FIELDS = [
  ['title', 'title'],
  ['mode', 'mode'],
  ['subject', 'subject'],
  ['class', 'class'],
  ['board', 'board'],
  ['level', 'level'],
  ['conductedOn', 'conducted_on'],
  ['externalRef', 'external_ref'],
  ['instructions', 'instructions'],
  ['blind', 'blind'],
] as const;

/** What has changed in the fields of the exam itself; null without a change. */
export const examEdit = (before: ExamDraft, after: ExamDraft): ExamEdit | null => {
  const changed = EXAM_FIELDS.filter(([field]) => before[field] !== after[field]).map(([field, name]) => {
    const value = after[field];
    return [name, typeof value === 'string' ? (sent(value) ?? null) : value];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
};

const EDITABLE = [
  'label',
  'section',
  'text',
  'max_marks',
  'negative_marks',
  'options',
  'correct_options',
  'answer',
  'model_answer',
  'rubric',
] as const;

/** What has changed in a stored question; null without a change. */
export const questionEdit = (before: DraftQuestion, after: DraftQuestion): QuestionEdit | null => {
  const [stored, wanted] = [questionBody(before), questionBody(after)];
  const changed = EDITABLE.filter(
    (field) => JSON.stringify(stored[field] ?? null) !== JSON.stringify(wanted[field] ?? null),
  ).map((field) => [field, wanted[field] ?? null]);
  return changed.length === 0 ? null : Object.fromEntries(changed);
};
