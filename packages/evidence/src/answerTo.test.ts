import { expect, test } from 'vitest';
import { answerTo, type ReadPage } from './answerTo.ts';
import { gradedQuestion } from './questionOutcome.ts';
import type { MarkedQuestion } from './requests.ts';

const box = { x: 0, y: 0, width: 1, height: 1 };
const page = (number: number, texts: string[]): ReadPage => ({
  page: number,
  legibility: 0.9,
  language: 'en',
  blocks: texts.map((text) => ({ label: null, continues: false, text, crossedOut: false, box })),
});
const allOf = (pages: ReadPage[]) => ({
  pages,
  alignment: [
    {
      number: 1,
      blocks: pages.flatMap(({ page: number, blocks }) =>
        blocks.map((_, block) => ({ page: number, block })),
      ),
    },
  ],
});
const question: MarkedQuestion = {
  id: '00000000-0000-4000-8000-000000000000',
  label: '1',
  section: 'A',
  type: 'long_answer',
  text: 'Why?',
  max_marks: 2,
  negative_marks: 0,
  options: [],
  correct_options: [],
  answer: null,
  model_answer: 'Because.',
  rubric: null,
};
const judgement = {
  awarded: 1,
  criteria: [],
  feedback: '',
  confidence: 0.9,
  reviewReasons: [],
  annotations: [],
};

test('an answer over several pages is whole, and nothing is said of it', () => {
  const answer = answerTo(1, allOf([page(1, ['Plants', 'make']), page(2, ['glucose.'])]));
  expect(answer).toMatchObject({ text: 'Plants\nmake\nglucose.', legibility: 0.9 });
  expect(answer.blocks).toHaveLength(3);
  expect(gradedQuestion(question, answer, judgement)).toMatchObject({
    needs_review: false,
    review_reasons: [],
  });
});

test('an aligner that gives a whole copy to one question does not get a prompt of millions: cut, and told', () => {
  const pages = Array.from({ length: 80 }, (_, index) =>
    page(index + 1, ['a'.repeat(15_000), 'b'.repeat(15_000)]),
  );
  const answer = answerTo(1, allOf(pages));
  expect(answer.text.length).toBeLessThanOrEqual(60_000);
  expect(answer.text.length).toBeGreaterThan(40_000);
  expect(answer.text).toBe(answer.blocks.map(({ text }) => text).join('\n'));
  expect(gradedQuestion(question, answer, judgement)).toMatchObject({
    needs_review: true,
    review_reasons: ['answer_cut'],
  });
});
