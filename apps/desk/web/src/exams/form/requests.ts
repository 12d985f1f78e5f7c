import type { inferRouterInputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import type { ExamCreate, Question, QuestionInput } from '@evaluation/rest-contract/schemas';
import { EXAM_TEXTS, isChoice, type DraftQuestion, type ExamDraft } from './draft.ts';
import { keywordsIn } from './keywords.ts';
import { isSameContent } from './sameContent.ts';

/* Requests of the API from the form. Empty fields are left out. */

type ExamSaveBody = inferRouterInputs<PublicRouter>['desk']['exams']['save']['body'];

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
    const words = keywordsIn(keywords);
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

/** The body of one question, with the fields of its type only. */
const questionBody = (question: DraftQuestion): QuestionInput => {
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

export const examBody = (draft: ExamDraft, { open }: { open: boolean }): ExamCreate => ({
  title: draft.title.trim(),
  mode: draft.mode,
  level: draft.level,
  blind: draft.blind,
  open,
  ...Object.fromEntries(
    EXAM_TEXTS.map((name) => [name, sent(draft[name])]).filter(([, value]) => value !== undefined),
  ),
  ...(draft.sections.length === 0
    ? {}
    : { sections: draft.sections.map(({ name }, index) => ({ name: name.trim(), order: index + 1 })) }),
  ...(draft.choiceGroups.length === 0 ? {} : { choice_groups: draft.choiceGroups }),
  questions: draft.questions.map(questionBody),
});

/**
 * The whole form of a stored exam. A question that the teacher has not changed is sent as it was read: the form trims
 * texts and fills in defaults, which would be changes. Fields of stored questions that the form does not show are left
 * to the service.
 *
 * @param stored the exam as it was read, and the form that was made from it
 */
export const savedBody = (
  draft: ExamDraft,
  stored: { draft: ExamDraft; questions: readonly Question[] },
): ExamSaveBody => {
  const { open: _, candidates: __, ...exam } = examBody(draft, { open: false });
  const readOf = new Map(stored.questions.map((question) => [question.id, question]));
  const draftOf = new Map(stored.draft.questions.map((question) => [question.id, question]));
  return {
    ...exam,
    questions: draft.questions.map((question) => {
      const { id } = question;
      if (id === null) return { ...questionBody(question), id };
      const read = readOf.get(id);
      return read !== undefined && isSameContent(draftOf.get(id), question)
        ? shownFields(read)
        : { ...questionBody({ ...question, rest: {} }), id };
    }),
  };
};

const shownFields = ({
  created_at: _created,
  updated_at: _updated,
  parent_label: _parent,
  word_limit: _limit,
  expects_diagram: _diagram,
  assess_language: _language,
  tags: _tags,
  external_id: _external,
  options,
  ...shown
}: Question) => ({
  ...shown,
  ...(options === undefined ? {} : { options: options.map(({ label, text }) => ({ label, text })) }),
});
