import type { PdfUnreadable } from '@evaluation/pdf';
import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';

const REASONS = {
  unreadable: 'pages_broken',
  timeout: 'pages_too_slow',
  out_of_memory: 'pages_too_large',
} as const satisfies Record<PdfUnreadable['code'], GradingFailure>;

/**
 * Why the pages of a copy could not be got out of its PDF. A file that took too much time or memory may be too much for any
 * worker, or may have met one with too much else to do: nothing is said of the scan then.
 */
export const unreadableCopy = ({ code }: PdfUnreadable): GradingFailure => REASONS[code];
