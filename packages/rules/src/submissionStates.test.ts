import { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { advances, finalStatus, isOver } from './submissionStates.ts';

describe('a run moves forward only', () => {
  test.each([
    ['queued', 'processing', true],
    ['processing', 'reading', true],
    ['processing', 'grading', true],
    ['reading', 'grading', true],
    ['reading', 'processing', false],
    ['grading', 'reading', false],
    ['grading', 'grading', false],
    ['graded', 'grading', false],
    ['failed', 'processing', false],
    ['cancelled', 'processing', false],
  ] as const)('%s → %s: %s', (from, to, expected) => {
    expect(advances(from, to)).toBe(expected);
  });
});

test('graded, partially graded, failed and cancelled are over', () => {
  expect(SubmissionStatus.options.filter(isOver)).toEqual([
    'graded',
    'partially_graded',
    'failed',
    'cancelled',
  ]);
});

describe('the final status follows from the questions', () => {
  test.each([
    [['graded', 'graded'], 'graded'],
    [['graded', 'not_answered'], 'graded'],
    [['not_answered', 'not_answered'], 'graded'],
    [['graded', 'failed'], 'partially_graded'],
    [['failed', 'failed'], 'failed'],
    [['failed', 'not_answered'], 'failed'],
  ])('%j → %s', (statuses, expected) => {
    expect(
      finalStatus(statuses.map((status) => ({ status, source: status === 'graded' ? 'ai' : null }))),
    ).toBe(expected);
  });
});

test('a typed paper without a question marked by the AI has failed, whatever the keys marked', () => {
  const auto = { status: 'graded', source: 'auto' } as const;
  expect(finalStatus([auto, { status: 'failed', source: null }])).toBe('failed');
  expect(finalStatus([auto, { status: 'graded', source: 'ai' }])).toBe('graded');
});
