import type { ExamCreate, QuestionInput } from '@evaluation/rest-contract/schemas';

/** Valid questions for papers. A test overrides the fields that it tests. */

export const mcq = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'mcq_single',
  text: `Choose for ${label}.`,
  max_marks: 1,
  options: [
    { label: 'A', text: 'One' },
    { label: 'B', text: 'Two' },
    { label: 'C', text: 'Three' },
  ],
  correct_options: ['B'],
  ...change,
});

export const longAnswer = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'long_answer',
  text: `Explain ${label}.`,
  max_marks: 2,
  model_answer: 'Because of this, and because of that.',
  ...change,
});

export const trueFalse = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'true_false',
  text: `Is ${label} so?`,
  max_marks: 1,
  options: [
    { label: 'T', text: 'True' },
    { label: 'F', text: 'False' },
  ],
  correct_options: ['T'],
  ...change,
});

export const numeric = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'numeric',
  text: `How many is ${label}?`,
  max_marks: 1,
  answer: 24,
  ...change,
});

export const oneWord = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'one_word',
  text: `Which word is ${label}?`,
  max_marks: 1,
  answer: 'Insulin',
  ...change,
});

export const typedExam = (questions: QuestionInput[], change: Partial<ExamCreate> = {}): ExamCreate => ({
  title: 'Unit test',
  mode: 'typed',
  questions,
  ...change,
});

/** A question of each type: 1 to 5 objective, some with negative marks, then two long answers; 10 marks. */
export const everyTypeExam = (): ExamCreate =>
  typedExam([
    mcq('1', { negative_marks: 0.25 }),
    mcq('2', { type: 'mcq_multi', max_marks: 2, correct_options: ['A', 'C'], negative_marks: 0.5 }),
    trueFalse('3'),
    numeric('4', { answer: [24, '1e3'], negative_marks: 0.33 }),
    oneWord('5'),
    longAnswer('6'),
    longAnswer('7(a)'),
  ]);

export const handwrittenExam = (change: Partial<ExamCreate> = {}): ExamCreate => ({
  title: 'Unit test on paper',
  mode: 'handwritten',
  questions: [longAnswer('1'), mcq('2')],
  ...change,
});
