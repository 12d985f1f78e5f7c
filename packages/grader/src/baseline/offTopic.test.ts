import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/v4';
import { judgeLexically } from './judge.ts';

const Row = z.object({
  question_id: z.string(),
  question: z.string().optional(),
  max_marks: z.number().optional(),
  model_answer: z.string().optional(),
  answer: z.string(),
});
const rows = readFileSync(join(import.meta.dirname, '../../../../tests/fixtures/answers/saf.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Row.parse(JSON.parse(line)));
const questions = rows.filter(({ question }) => question !== undefined);

const shareOf = (question: z.infer<typeof Row>, text: string): number => {
  const maxMarks = question.max_marks ?? 0;
  const { awarded } = judgeLexically({
    exam: { subject: null, level: 'school', board: null, class: null, instructions: null },
    question: {
      label: question.question_id,
      type: 'long_answer',
      text: question.question ?? '',
      maxMarks,
      options: [],
      correctOptions: [],
      answer: null,
      modelAnswer: question.model_answer ?? null,
      partialMarking: null,
      criteria: [],
    },
    answer: { text, legibility: null, blocks: [] },
  });
  return awarded / maxMarks;
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

test('an answer to another question of the same subject earns little', () => {
  const shares = questions.flatMap((question) =>
    rows
      .filter((row, index) => row.question_id !== question.question_id && index % 5 === 0)
      .map(({ answer }) => shareOf(question, answer)),
  );
  expect(shares.length).toBeGreaterThan(100);
  expect(meanOf(shares)).toBeLessThan(0.14);
});

test('an answer that repeats the question gets 0 marks', () => {
  expect(Math.max(...questions.map((question) => shareOf(question, question.question ?? '')))).toBe(0);
});
