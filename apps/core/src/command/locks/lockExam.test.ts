import { expect, test } from 'vitest';
import { turnAtExam } from './lockExam.ts';

const EXAM = '0b1c5b0e-6a53-4c0e-9d3f-3f4d9a0c1e2f';

test('turns of different institutes are independent, also with the same exam id', () => {
  expect(turnAtExam('ours', EXAM)).not.toBe(turnAtExam('theirs', EXAM));
});

test('turnAtExam ignores the case of the exam id', () => {
  expect(turnAtExam('ours', EXAM.toUpperCase())).toBe(turnAtExam('ours', EXAM));
});
