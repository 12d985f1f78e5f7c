import { expect, test } from 'vitest';
import type { AlignRequest } from '../grader.ts';
import { settleAlignment } from './parse.ts';

const box = { x: 0, y: 0, width: 1, height: 1 };
const QUESTIONS = 200;

const allClaim = (text: string) => {
  const request: AlignRequest = {
    questions: Array.from({ length: QUESTIONS }, (_, index) => ({
      number: index + 1,
      label: String(index + 1),
      section: null,
      type: 'long_answer',
      text: 'Which?',
    })),
    pages: [
      {
        page: 1,
        legibility: 1,
        language: 'en',
        blocks: [{ label: null, continues: false, text, crossedOut: false, box }],
      },
    ],
  };
  const answers = request.questions.map(({ number }) => ({ number, blocks: [{ page: 1, block: 0 }] }));
  const { value, problems } = settleAlignment(request, { answers });
  return { served: value.filter(({ blocks }) => blocks.length > 0).map(({ number }) => number), problems };
};

test('a long block goes to a few questions, and further claims are reported', () => {
  expect(allClaim('word '.repeat(300))).toEqual({
    served: [1, 2, 3, 4, 5, 6, 7, 8],
    problems: ['block_claimed_twice', 'block_claimed_by_many'],
  });
});

test('a list of short answers goes to every question that claims it', () => {
  const { served, problems } = allClaim('1 B, 2 C, 3 A, 4 D');
  expect(served).toHaveLength(QUESTIONS);
  expect(problems).toEqual(['block_claimed_twice']);
});
