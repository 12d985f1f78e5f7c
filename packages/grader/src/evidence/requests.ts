import type { AlignRequest, JudgeRequest, MadeRubric, MarkedExample, MakeRubricRequest } from '../index.ts';
import type { Rubric } from '@evaluation/rest-contract/schemas';
import {
  ExamContext,
  type GivenAnswer,
  type MarkedQuestion,
  type PageReading,
} from '@evaluation/rules/grading-model';

export const alignRequest = (questions: readonly MarkedQuestion[], pages: PageReading[]): AlignRequest => ({
  questions: questions.map(({ label, section, type, text }, index) => ({
    number: index + 1,
    label,
    section,
    type,
    text,
  })),
  pages,
});

export const judgeRequest = (
  exam: ExamContext,
  question: MarkedQuestion,
  answer: GivenAnswer,
  examples: readonly MarkedExample[] = [],
): JudgeRequest => ({
  exam: ExamContext.parse(exam),
  question: {
    label: question.label,
    type: question.type,
    text: question.text,
    maxMarks: question.max_marks,
    options: question.options,
    correctOptions: question.correct_options,
    answer: question.answer,
    modelAnswer: question.model_answer,
    partialMarking: question.rubric?.partial_marking ?? null,
    criteria: criteriaOf(question.rubric),
  },
  answer,
  ...(examples.length === 0 ? {} : { examples: [...examples] }),
});

export const makeRubricRequest = (exam: ExamContext, question: MarkedQuestion): MakeRubricRequest => ({
  exam: ExamContext.parse(exam),
  question: { label: question.label, text: question.text, maxMarks: question.max_marks },
});

/** Texts of the exam whose words an offline reader may take for misread ones. */
export const paperTexts = (questions: readonly MarkedQuestion[]): string[] =>
  questions.flatMap(({ text, options, model_answer, rubric }) => [
    text,
    model_answer ?? '',
    ...options.map((option) => option.text),
    ...criteriaOf(rubric).flatMap(({ name, keywords, guidance }) => [name, guidance ?? '', ...keywords]),
  ]);

export const criteriaOf = (rubric: Rubric | null): MadeRubric =>
  (rubric?.criteria ?? []).map(({ name, marks, keywords, guidance }) => ({
    name,
    marks,
    keywords: keywords ?? [],
    guidance: guidance ?? null,
  }));
