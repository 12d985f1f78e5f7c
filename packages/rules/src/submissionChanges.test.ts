import { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import {
  finalizeVerdict,
  verdictOn,
  type FinalizeVerdict,
  type SubmissionChange,
  type Verdict,
} from './submissionChanges.ts';

const CHANGES = [
  'cancel',
  'replace',
  'delete',
  're_evaluate',
  'override',
  'approve',
  'unfinalize',
] as const satisfies SubmissionChange[];
const STATUSES = SubmissionStatus.options;

/** Order: cancel, replace, delete, re-evaluate, override and approve (always equal), unfinalize. */
const ROWS: Record<SubmissionStatus, [Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict]> = {
  queued: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress', 'conflict', 'conflict', 'conflict'],
  processing: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress', 'conflict', 'conflict', 'conflict'],
  reading: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress', 'conflict', 'conflict', 'conflict'],
  grading: ['allowed', 'allowed', 'allowed', 'evaluation_in_progress', 'conflict', 'conflict', 'conflict'],
  graded: ['already_completed', 'allowed', 'allowed', 'allowed', 'allowed', 'allowed', 'conflict'],
  partially_graded: ['already_completed', 'allowed', 'allowed', 'allowed', 'allowed', 'allowed', 'conflict'],
  failed: ['already_completed', 'allowed', 'allowed', 'allowed', 'conflict', 'conflict', 'conflict'],
  cancelled: ['done', 'allowed', 'allowed', 'allowed', 'conflict', 'conflict', 'conflict'],
};

describe.each(STATUSES)('changes of a submission that is %s', (status) => {
  test.each(CHANGES.map((change, index) => [change, ROWS[status][index]] as const))(
    '%s: %s',
    (change, verdict) => {
      expect(verdictOn({ state: 'live', status, finalized: false }, change)).toBe(verdict);
    },
  );

  test.each(CHANGES)('%s of a replaced or deleted submission is a conflict, finalized or not', (change) => {
    for (const state of ['replaced', 'deleted'] as const) {
      expect(verdictOn({ state, status, finalized: false }, change)).toBe('conflict');
      expect(verdictOn({ state, status, finalized: true }, change)).toBe('conflict');
    }
  });
});

test.each(['graded', 'partially_graded', 'failed'] as const)(
  'a finalized submission (%s) allows only unfinalize',
  (status) => {
    const finalized = { state: 'live', status, finalized: true } as const;
    expect(CHANGES.map((change) => verdictOn(finalized, change))).toEqual([
      'already_completed',
      'submission_finalized',
      'submission_finalized',
      'submission_finalized',
      'submission_finalized',
      'submission_finalized',
      'allowed',
    ]);
  },
);

/** Verdict of `finalize` without `allow_partial`, and with it. */
const FINALIZED: Record<SubmissionStatus, [FinalizeVerdict, FinalizeVerdict]> = {
  queued: ['not_graded', 'not_graded'],
  processing: ['not_graded', 'not_graded'],
  reading: ['not_graded', 'not_graded'],
  grading: ['not_graded', 'not_graded'],
  graded: ['finalize', 'finalize'],
  partially_graded: ['not_graded', 'finalize'],
  failed: ['not_graded', 'finalize'],
  cancelled: ['not_graded', 'not_graded'],
};

describe.each(STATUSES)('finalizing a submission that is %s', (status) => {
  const [alone, withPartial] = FINALIZED[status];

  test(`${alone}; with allow_partial ${withPartial}`, () => {
    expect(finalizeVerdict({ state: 'live', status, finalized: false }, false)).toBe(alone);
    expect(finalizeVerdict({ state: 'live', status, finalized: false }, true)).toBe(withPartial);
  });

  test.each([false, true])(
    'a submission that is finalized or not live is skipped (allow_partial %s)',
    (allowPartial) => {
      expect(finalizeVerdict({ state: 'live', status, finalized: true }, allowPartial)).toBe(
        'already_finalized',
      );
      for (const state of ['replaced', 'deleted'] as const) {
        expect(finalizeVerdict({ state, status, finalized: false }, allowPartial)).toBe('not_live');
      }
    },
  );
});
