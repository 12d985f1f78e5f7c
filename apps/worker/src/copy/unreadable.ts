import type { PdfUnreadable } from '@evaluation/pdf';

/**
 * What a client is told of a copy whose pages could not be got out of its PDF. A file that took too much time or memory may be
 * too much for anybody, and as well have met a worker with too much else to do: nothing is said of the scan then.
 */
export const unreadableCopy = ({ code }: PdfUnreadable): { code: string; message: string } => ({
  code: 'copy_unreadable',
  message: code === 'unreadable' ? BROKEN : code === 'timeout' ? TOO_SLOW : TOO_LARGE,
});

const BROKEN = 'The copy could not be opened for reading. Scan it again and submit the new file.';
const ELSE =
  'Save the copy as a smaller file and submit the new file; the same file is not tried again for a day.';
const TOO_SLOW = `The pages of the copy could not be prepared in the time that we allow. ${ELSE}`;
const TOO_LARGE = `The pages of the copy could not be prepared in the memory that we have for it. ${ELSE}`;
