import { open } from 'node:fs/promises';
import { runChild } from './child/runChild.ts';
import { refuse } from './refuse.ts';
import type { Inspection } from './types.ts';
import { PdfUnreadable } from './types.ts';

/**
 * Counts the pages and rejects a file that cannot be marked. A bad file is a result, not an error. The caller checks
 * the number of pages.
 * @throws the signal's reason when aborted; a file system error when `file` cannot be read
 */
export const inspectPdf = async (
  file: string,
  options: { timeoutSeconds: number; signal?: AbortSignal },
): Promise<Inspection> => {
  if (!(await looksLikePdf(file))) return refuse('not_pdf');
  try {
    const { last } = await runChild({ kind: 'inspect', file }, options);
    if (last.kind !== 'inspected') throw new PdfUnreadable('unreadable', `unexpected report ${last.kind}`);
    return last.inspection;
  } catch (error) {
    if (!(error instanceof PdfUnreadable)) throw error;
    return refuse(error.code === 'unreadable' ? 'corrupt' : 'too_complex');
  }
};

/** Readers accept `%PDF-` anywhere in the first 1024 bytes. The check needs no parser and no child. */
const looksLikePdf = async (file: string): Promise<boolean> => {
  await using handle = await open(file, 'r');
  const head = Buffer.alloc(1024);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  return head.subarray(0, bytesRead).includes('%PDF-');
};
