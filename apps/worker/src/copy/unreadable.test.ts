import { PdfUnreadable } from '@evaluation/pdf';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import { expect, test } from 'vitest';
import { unreadableCopy } from './unreadable.ts';

const summaryOf = (code: PdfUnreadable['code']) =>
  gradingError(unreadableCopy(new PdfUnreadable(code, 'what a child said')));

test('the message for a broken copy asks for a new scan', () => {
  expect(summaryOf('unreadable')).toEqual({
    code: 'copy_unreadable',
    message: 'The copy could not be opened for reading. Scan it again and submit the new file.',
  });
});

test.each(['timeout', 'out_of_memory'] as const)(
  'the message for %s does not blame the scan, because a busy machine may be the cause',
  (code) => {
    const { code: shown, message } = summaryOf(code);
    expect(shown).toBe('copy_unreadable');
    expect(message).not.toMatch(/scan|child/i);
    expect(message).toMatch(/^[A-Z].*\bsubmit the new file\.$/);
  },
);
