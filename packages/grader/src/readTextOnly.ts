import { openOcr } from './baseline/ocr.ts';
import { readPageOffline } from './baseline/readPage.ts';
import { worked } from './baseline/worked.ts';
import type { Answered, CallOptions, PageImage, PageReading } from './grader.ts';

/** Reads a page after the 40th without a model (docs/api/submissions.md#handwritten-copies). Rejects like a Grader. */
export const readTextOnly = async (
  pages: PageImage[],
  options: CallOptions,
): Promise<Answered<PageReading[]>> => {
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
};
