import { rm } from 'node:fs/promises';
import { runChild } from './child/runChild.ts';
import type { CheckedCopy, CheckedCopyPlan, PageImage } from './types.ts';
import { DrawnPage, PdfUnreadable } from './types.ts';

export interface DrawOptions {
  timeoutSeconds: number;
  signal?: AbortSignal;
}

/**
 * Writes the checked copy to `target`: a new PDF with one picture per page, the ticks and crosses over it, marks and
 * comments in a column beside it, and a summary. A scan keeps the scanner's coded data; nothing else of the upload is
 * copied. The summary stands at the end, so that page numbers are the same in the checked copy, the answer copy and the
 * API. The total also stands on page 1.
 *
 * `target` is complete, or absent after an error.
 * @param images all pages of the copy, as `extractPages` returned them; their files must still exist
 * @throws PdfUnreadable; the signal's reason when aborted
 */
export const drawCheckedCopy = async (
  images: readonly PageImage[],
  target: string,
  plan: CheckedCopyPlan,
  options: DrawOptions,
): Promise<CheckedCopy> => {
  try {
    const pages = images.map((image) => DrawnPage.parse(image));
    const { last } = await runChild({ kind: 'draw', target, plan, pages }, options);
    if (last.kind !== 'drawn') throw new PdfUnreadable('unreadable', `unexpected report ${last.kind}`);
    return last.copy;
  } catch (error) {
    // A child may complete the file at the moment in which its time ends.
    await rm(target, { force: true });
    throw error;
  } finally {
    // The child renames this file to `target` when it is complete. A child that was killed leaves it behind.
    await rm(`${target}.partial`, { force: true });
  }
};
