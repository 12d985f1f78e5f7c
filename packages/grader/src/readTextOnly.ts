import { openOcr } from './baseline/ocr.ts';
import { readPageOffline } from './baseline/readPage.ts';
import { worked } from './baseline/worked.ts';
import type { Answered, CallOptions, PageImage, PageReading } from './grader.ts';

/**
 * The simpler text-only read of the pages after the 40th, with any provider (docs/api/submissions.md#handwritten-copies): the text layer, else
 * OCR, by the process's one engine; no model call. Rejects as a Grader does.
 */
export async function readTextOnly(
  pages: PageImage[],
  options: CallOptions,
): Promise<Answered<PageReading[]>> {
  const ocr = openOcr();
  try {
    return await worked('read_pages', async () => {
      const readings: PageReading[] = [];
      for (const page of pages) {
        options.signal.throwIfAborted();
        readings.push(await readPageOffline(page, ocr, options));
      }
      return readings;
    });
  } finally {
    await ocr.close();
  }
}
