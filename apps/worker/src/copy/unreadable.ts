import type { PdfUnreadable } from '@evaluation/pdf';
import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';

const REASONS = {
  unreadable: 'pages_broken',
  timeout: 'pages_too_slow',
  out_of_memory: 'pages_too_large',
} as const satisfies Record<PdfUnreadable['code'], GradingFailure>;

/**
 * Returns the failure for a PDF that could not be opened. If time or memory ran out, the cause may be the file or the
 * load of the worker, so the message does not blame the scan.
 */
export const unreadableCopy = ({ code }: PdfUnreadable): GradingFailure => REASONS[code];
