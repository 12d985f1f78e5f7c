import { open } from 'node:fs/promises';
import { runChild } from './child/runChild.ts';
import type { Inspection } from './types.ts';
import { PdfUnreadable } from './types.ts';

/**
 * Counts the pages and refuses what cannot be marked (spec 3.3, 8.1). A bad file is an answer, never an error. How many
 * pages are too many is decided elsewhere.
 * @throws the signal's reason when aborted; a file system error when `file` cannot be read at all
 */
export async function inspectPdf(
  file: string,
  options: { timeoutSeconds: number; signal?: AbortSignal },
): Promise<Inspection> {
  if (!(await looksLikePdf(file))) {
    return {
      ok: false,
      code: 'not_pdf',
      reason: 'The file is not a PDF. Save or scan the copy as a PDF and upload it again.',
    };
  }
  try {
    const last = await runChild({ kind: 'inspect', file }, options, ignorePage);
    if (last.kind !== 'inspected') throw new PdfUnreadable('unreadable', `unexpected answer ${last.kind}`);
    return last.inspection;
  } catch (error) {
    if (!(error instanceof PdfUnreadable)) throw error;
    if (error.code === 'unreadable') {
      return {
        ok: false,
        code: 'corrupt',
        reason: 'The file is damaged and cannot be opened. Scan or export it again and upload the new file.',
      };
    }
    return {
      ok: false,
      code: 'too_complex',
      reason:
        'The file is too complex to be read in reasonable time. Print it to a new PDF or scan it again and upload the new file.',
    };
  }
}

/** Readers accept `%PDF-` anywhere in the first 1024 bytes. Done here, because it needs no parser. */
async function looksLikePdf(file: string): Promise<boolean> {
  await using handle = await open(file, 'r');
  const head = Buffer.alloc(1024);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  return head.subarray(0, bytesRead).includes('%PDF-');
}

function ignorePage(): void {}
