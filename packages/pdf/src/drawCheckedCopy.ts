import { rm } from 'node:fs/promises';
import { runChild } from './child/runChild.ts';
import type { CheckedCopy, CheckedCopyPlan, PageImage } from './types.ts';
import { PdfUnreadable } from './types.ts';

export interface DrawOptions {
  /** The images the annotations' boxes refer to; a page without one takes boxes as fractions of the viewed page. */
  pageImages: PageImage[];
  timeoutSeconds: number;
  signal?: AbortSignal;
}

/**
 * Writes the checked copy: a new PDF of one picture a page, the one that was graded, with ticks, crosses, marks in the
 * margin and comments over it, and a summary. A scan keeps the scanner's coded data. Nothing else of the upload gets into
 * it. The summary stands at the end, so that page 3 of the checked copy is page 3 of the answer copy and of the API's
 * annotations; the total also stands on page 1.
 *
 * `target` appears whole or not at all.
 * @throws PdfUnreadable; the signal's reason when aborted
 */
export async function drawCheckedCopy(
  source: string,
  target: string,
  plan: CheckedCopyPlan,
  options: DrawOptions,
): Promise<CheckedCopy> {
  try {
    const last = await runChild(
      { kind: 'draw', source, target, plan, pageImages: options.pageImages },
      options,
      ignorePage,
    );
    if (last.kind !== 'drawn') throw new PdfUnreadable('unreadable', `unexpected answer ${last.kind}`);
    return last.copy;
  } finally {
    // The child renames it to `target` when it is complete; a child that was ended leaves it behind.
    await rm(`${target}.partial`, { force: true });
  }
}

function ignorePage(): void {}
