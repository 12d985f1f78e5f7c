import type { RecordedPage } from '@evaluation/rules/grading-model';
import type { AlignedAnswer } from '@evaluation/grader';
import { expect, test } from 'vitest';
import { FoundAnswers, ReadPages } from '@evaluation/grader/evidence';
import { withProblems } from './withProblems.ts';

const readings: RecordedPage[] = [
  { page: 1, legibility: 1, language: 'en', turn: 0, blocks: [], printed: [], unread: [] },
  { page: 2, legibility: 0.5, language: 'other', turn: 0, blocks: [], printed: [], unread: [] },
];
const alignment: AlignedAnswer[] = [{ number: 1, blocks: [{ page: 1, block: 0 }] }];
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('corrected problems are known to later deliveries of a run', () => {
  expect(ReadPages.parse(stored(withProblems(readings, ['unknown_page'])))).toEqual([
    { ...readings[0], problems: ['unknown_page'] },
    readings[1],
  ]);
  expect(FoundAnswers.parse(stored(withProblems(alignment, ['unknown_block'])))).toEqual([
    { ...alignment[0], problems: ['unknown_block'] },
  ]);
});

test('readings and alignments without problems stay as they are', () => {
  expect(ReadPages.parse(stored(withProblems(readings, undefined)))).toEqual(readings);
  expect(FoundAnswers.parse(stored(withProblems(alignment, undefined)))).toEqual(alignment);
});
