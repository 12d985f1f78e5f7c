import type { Exam, Question, QuestionInput } from '@evaluation/rest-contract/schemas';
import { newKey } from '../../app/newKey.ts';
import { emptyQuestion, examTexts, type DraftQuestion, type ExamDraft } from './draft.ts';
import { textOfKeywords } from './keywords.ts';

/* The form of an exam that exists, or of one that was read from a file. */

type Sent = Omit<QuestionInput, 'type'> & { type: QuestionInput['type'] };

export const draftQuestion = (question: Sent, id: string | null = null): DraftQuestion => {
  const {
    label,
    section,
    type,
    text,
    max_marks,
    negative_marks,
    options,
    correct_options,
    answer,
    model_answer,
    rubric,
    ...rest
  } = question;
  const correct = new Set(correct_options ?? []);
  const standard = emptyQuestion(label);
  return {
    ...standard,
    id,
    section: section ?? '',
    type,
    text,
    maxMarks: max_marks,
    negativeMarks: negative_marks ?? '',
    options:
      options == null
        ? standard.options
        : options.map((option) => ({
            key: newKey(),
            label: option.label,
            text: option.text,
            isCorrect: correct.has(option.label),
          })),
    answer: answer == null ? '' : [answer].flat().join('\n'),
    modelAnswer: model_answer ?? '',
    hasRubric: rubric != null,
    partialMarking: rubric?.partial_marking ?? true,
    criteria: (rubric?.criteria ?? []).map(({ name, marks, keywords, guidance }) => ({
      key: newKey(),
      name,
      marks,
      keywords: textOfKeywords(keywords ?? []),
      guidance: guidance ?? '',
    })),
    rest,
  };
};

/** @param form.sections_declared without it, the sections are those that the questions name */
export const draftOfStored = ({
  exam,
  questions,
  sections_declared: isDeclared,
}: {
  exam: Exam;
  questions: readonly Question[];
  sections_declared: boolean;
}): ExamDraft => ({
  ...examTexts((name) => exam[name] ?? ''),
  title: exam.title,
  mode: exam.mode,
  level: LEVELS.find((level) => level === exam.level) ?? 'school',
  blind: exam.blind,
  sections: isDeclared ? exam.sections.map(({ name }) => ({ key: newKey(), name })) : [],
  choiceGroups: [],
  questions: questions.map(({ id, created_at: _made, updated_at: _changed, options, ...question }) =>
    draftQuestion(
      {
        ...question,
        ...(options === undefined ? {} : { options: options.map(({ label, text }) => ({ label, text })) }),
      },
      id,
    ),
  ),
});

export const LEVELS = ['school', 'ug', 'pg', 'upsc'] as const;
