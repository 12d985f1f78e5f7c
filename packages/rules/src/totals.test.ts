import fc from 'fast-check';
import { expect, test } from 'vitest';
import { totalsOf } from './totals.ts';

const question = (awarded: number | null, max: number, status = 'graded', counted = true) => ({
  status,
  counted,
  awarded,
  max,
});

test('totals add exactly: ten questions of 0.1 are 1, not 0.9999999999999999', () => {
  expect(totalsOf(Array.from({ length: 10 }, () => question(0.1, 0.5)))).toMatchObject({
    awarded: 1,
    max: 5,
    percentage: 20,
  });
});

test('negative marks count in full: the total may be below 0', () => {
  expect(totalsOf([question(-2, 4), question(1, 4)])).toMatchObject({
    awarded: -1,
    max: 8,
    percentage: -12.5,
  });
});

test('percentage is null when nothing can be earned, and has two decimals otherwise', () => {
  expect(totalsOf([]).percentage).toBeNull();
  expect(totalsOf([question(1, 3)]).percentage).toBe(33.33);
});

test('an answer that does not count is in neither sum', () => {
  expect(totalsOf([question(2, 5), question(4, 5, 'graded', false)])).toMatchObject({ awarded: 2, max: 5 });
});

test('questions_graded and questions_failed count by status; not answered is neither', () => {
  const totals = totalsOf([
    question(1, 1),
    question(null, 1, 'failed'),
    question(0, 1, 'not_answered'),
    question(null, 1, 'pending'),
  ]);
  expect(totals).toMatchObject({ awarded: 1, max: 4, questions_graded: 1, questions_failed: 1 });
});

test('the order of questions never changes a total', () => {
  const half = fc.integer({ min: -20, max: 40 }).map((steps) => steps / 2);
  fc.assert(
    fc.property(fc.array(fc.tuple(half, fc.integer({ min: 1, max: 40 })), { maxLength: 50 }), (marks) => {
      const questions = marks.map(([awarded, max]) => question(awarded, max));
      expect(totalsOf(questions.toReversed())).toEqual(totalsOf(questions));
    }),
  );
});
