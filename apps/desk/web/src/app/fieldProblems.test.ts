import i18next from 'i18next';
import { expect, test } from 'vitest';
import { ExamCreate } from '@evaluation/rest-contract/schemas';
import { problemsOf } from '@evaluation/rest-contract/field-errors';
import { problemsIn } from './fieldProblems.ts';
import en from './texts.en.json' with { type: 'json' };

const question = { label: '1', type: 'mcq_single', text: 'Why?', max_marks: 1, correct_options: ['A'] };
const option = { label: 'A', text: 'One' };

test('problems of a form are sentences, and no texts of the schema library', async () => {
  await i18next.init({ lng: 'en', resources: { en: { translation: en } }, keySeparator: false });
  const body = {
    title: 'x'.repeat(256),
    mode: 'spoken',
    level: 'school',
    open: false,
    conducted_on: 'today',
    questions: [
      { ...question, max_marks: 0, options: [option] },
      { ...question, max_marks: 1001, options: Array.from({ length: 27 }, () => option) },
      { ...question, max_marks: 'two', negative_marks: -1, options: [option, { label: '', text: 5 }] },
      { ...question, type: 'numeric', answer: {} },
      { ...question, type: 'long_answer', rubric: { criteria: [] } },
    ],
  };
  const { error } = ExamCreate.safeParse(body);
  if (error === undefined) throw new Error('the exam is valid');
  const errors = problemsOf(error, body);
  const texts = [...problemsIn({ errors })];
  expect(texts.map(([field]) => field)).toEqual([...new Set(errors.map(({ field }) => field))]);
  expect(texts.length).toBeGreaterThan(10);
  for (const [, text] of texts) {
    expect(text).not.toMatch(/expected|invalid|too (small|big)|regex|pattern|zod|[<>=]/i);
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
  expect(Object.fromEntries(texts)).toMatchObject({
    'questions[0].max_marks': 'The number must be more than 0.',
    'questions[1].max_marks': 'The number must be at most 1000.',
  });
});
