import { expect, test } from 'vitest';
import { gradingError, gradingFailures, shownFailure } from './gradingFailures.ts';
import { rejectionIn, rejectReason, shownRejection, uploadRejections } from './uploadRejections.ts';

const FOREIGN = '<b>Pay here</b> https://example.com';

test('a failure is shown with the message of the table', () => {
  for (const reason of gradingFailures) {
    expect(shownFailure(reason, 'broke_down')).toEqual(gradingError(reason));
    expect(gradingError(reason).message).toMatch(/^[A-Z].*\.$/);
  }
});

test("an unknown reason becomes the caller's default failure", () => {
  for (const reason of [FOREIGN, 'toString', '__proto__']) {
    expect(shownFailure(reason, 'broke_down')).toEqual(gradingError('broke_down'));
    expect(shownFailure(reason, 'question_not_graded')).toEqual(gradingError('question_not_graded'));
  }
});

test('a rejection is shown with the sentence of the table and the page sent by the worker', () => {
  for (const code of uploadRejections) {
    for (const page of [undefined, 7, 80])
      expect(shownRejection({ code, page })).toBe(rejectReason(code, page));
  }
  expect(rejectionIn(rejectReason('page_damaged', 7))).toEqual({ code: 'page_damaged', page: 7 });
  expect(rejectionIn(FOREIGN)).toBeNull();
  expect(rejectReason('page_damaged', 7)).toMatch(/^Page 7 is damaged/);
  for (const code of ['toString', FOREIGN])
    expect(shownRejection({ code })).toBe(rejectReason('not_checked'));
});
