import { expect, test } from 'vitest';
import { gradingError, gradingFailures, shownFailure } from './gradingFailures.ts';
import { rejectionIn, rejectReason, shownRejection, uploadRejections } from './uploadRejections.ts';

const FOREIGN = '<b>Pay here</b> https://example.com';

test("a failure is shown with the message of the table, whatever a worker's message is", () => {
  for (const reason of gradingFailures) {
    const shown = gradingError(reason);
    expect(shownFailure({ reason, code: 'x', message: FOREIGN }, 'broke_down')).toEqual(shown);
    // Release 0.1.0 sends code and message.
    expect(shownFailure(shown, 'broke_down')).toEqual(shown);
    expect(shownFailure({ code: shown.code, message: FOREIGN }, 'broke_down').code).toBe(shown.code);
    expect(shown.message).toMatch(/^[A-Z].*\.$/);
  }
});

test("an unknown code becomes the caller's default failure", () => {
  for (const sent of [
    { code: 'x', message: FOREIGN },
    { reason: 'toString', code: '__proto__' },
  ]) {
    expect(shownFailure(sent, 'broke_down')).toEqual(gradingError('broke_down'));
    expect(shownFailure(sent, 'question_not_graded')).toEqual(gradingError('question_not_graded'));
  }
});

test('a rejection is shown with the sentence of the table and the page sent by the worker', () => {
  for (const code of uploadRejections) {
    expect(shownRejection({ code, reject_reason: FOREIGN })).toBe(rejectReason(code));
    for (const page of [undefined, 7, 80]) {
      const sent = { code, ...(page === undefined ? {} : { page }) };
      expect(shownRejection(sent)).toBe(rejectReason(code, page));
      // Release 0.1.0 sends only the sentence.
      expect(shownRejection({ reject_reason: rejectReason(code, page) })).toBe(rejectReason(code, page));
    }
  }
  expect(rejectionIn(rejectReason('page_damaged', 7))).toEqual({ code: 'page_damaged', page: 7 });
  expect(rejectionIn(FOREIGN)).toBeNull();
  expect(rejectReason('page_damaged', 7)).toMatch(/^Page 7 is damaged/);
  expect(shownRejection({ code: 'toString', reject_reason: FOREIGN })).toBe(rejectReason('not_checked'));
  expect(shownRejection({ reject_reason: FOREIGN })).toBe(rejectReason('not_checked'));
});
