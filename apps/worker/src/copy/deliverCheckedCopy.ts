import { join } from 'node:path';
import type { RecordedBatch } from '@evaluation/core-client';
import { PdfUnreadable, type PageImage } from '@evaluation/pdf';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { CopyResult } from './copyResult.ts';
import { StoreRefused, upload } from './download.ts';
import { drawCopy } from './drawCopy.ts';

type CheckedCopy = NonNullable<NonNullable<RecordedBatch['completion']>['checked_copy']>;

/**
 * Draws the checked copy and uploads it. On failure the run still completes with its marks, and the submission has no
 * checked copy.
 */
export const deliverCheckedCopy = async (
  tools: Tools,
  run: HeldRun,
  copy: { folder: string; images: PageImage[]; results: readonly CopyResult[] },
): Promise<CheckedCopy | null> => {
  const { exam, candidate, overrides, ink, run_id } = run.material;
  const target = join(copy.folder, 'checked.pdf');
  try {
    const drawn = await drawCopy({ ...copy, exam, candidate, overrides, ink }, target, {
      timeoutSeconds: tools.settings.pdfSeconds,
      signal: run.signal,
    });
    const address = () =>
      run.write((grading, held) => grading.presignCheckedCopy.mutate({ held, size_bytes: drawn.sizeBytes }));
    await upload(address, target, run);
    return { size_bytes: drawn.sizeBytes, pictures: drawn.pictures };
  } catch (error) {
    if (!(error instanceof PdfUnreadable) && !(error instanceof StoreRefused)) throw error;
    tools.log.warn({ err: error, run_id }, 'checked copy failed: the submission has none');
    return null;
  }
};
