import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { verdictOn, type SubmissionChange, type Verdict } from './submissionChanges.ts';

const CHANGES: SubmissionChange[] = ['cancel', 'replace', 'delete', 're_evaluate'];
const STATUSES: SubmissionStatus[] = [
  'queued',
  'processing',
  'reading',
  'grading',
  'graded',
  'partially_graded',
  'failed',
  'cancelled',
];

/** The rows of spec 3.2, written out: cancel, replace, delete, re-evaluate. */
const ROWS: Record<SubmissionStatus, [Verdict, Verdict, Verdict, Verdict]> = {
  queued: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress'],
  processing: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress'],
  reading: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress'],
  grading: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress'],
  graded: ['already_completed', 'allowed', 'allowed', 'allowed'],
  partially_graded: ['already_completed', 'allowed', 'allowed', 'allowed'],
  failed: ['already_completed', 'allowed', 'allowed', 'allowed'],
  cancelled: ['done', 'allowed', 'allowed', 'allowed'],
};

describe.each(STATUSES)('3.2 what may be asked of a submission that is %s', (status) => {
  test.each(CHANGES.map((change, index) => [change, ROWS[status][index]] as const))(
    '%s: %s',
    (change, verdict) => {
      expect(verdictOn({ state: 'live', status, finalized: false }, change)).toBe(verdict);
    },
  );

  test.each(CHANGES)('2.6 %s of a replaced or deleted one is a conflict', (change) => {
    expect(verdictOn({ state: 'replaced', status, finalized: false }, change)).toBe('conflict');
    expect(verdictOn({ state: 'deleted', status, finalized: false }, change)).toBe('conflict');
  });
});

test.each(['graded', 'partially_graded', 'failed'] as const)(
  '3.2 a finalized submission (%s) is not replaced, deleted or re-evaluated',
  (status) => {
    const finalized = { state: 'live', status, finalized: true } as const;
    expect(CHANGES.map((change) => verdictOn(finalized, change))).toEqual([
      'already_completed',
      'submission_finalized',
      'submission_finalized',
      'submission_finalized',
    ]);
  },
);
