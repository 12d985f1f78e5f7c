import { expect, test } from 'vitest';
import { turnAtExam } from './lockExam.ts';

const EXAM = '0b1c5b0e-6a53-4c0e-9d3f-3f4d9a0c1e2f';

test('an institute that names the exam of another one takes no turn from it', () => {
  expect(turnAtExam('ours', EXAM)).not.toBe(turnAtExam('theirs', EXAM));
});

test('an exam has one turn however its id is spelled', () => {
  expect(turnAtExam('ours', EXAM.toUpperCase())).toBe(turnAtExam('ours', EXAM));
});
