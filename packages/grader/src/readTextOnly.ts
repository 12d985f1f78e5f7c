import { openOcr } from './baseline/ocr.ts';
import { readPageOffline } from './baseline/readPage.ts';
import type { Answered, CallOptions, PageImage, PageReading } from './grader.ts';

/**
 * The simpler text-only read of the pages after the 40th, with any provider (spec 4.7 rule 4): the text layer, else
 * OCR, by the process's one engine; no model call. Rejects as a Grader does.
 */
export async function readTextOnly(
  pages: PageImage[],
  options: CallOptions,
): Promise<Answered<PageReading[]>> {
  const started = performance.now();
  const ocr = openOcr();
  try {
    const value: PageReading[] = [];
    for (const page of pages) {
      options.signal.throwIfAborted();
      value.push(await readPageOffline(page, ocr, options));
    }
    const durationMs = Math.round(performance.now() - started);
    return { value, usage: { calls: 0, inputTokens: 0, outputTokens: 0, durationMs } };
  } finally {
    await ocr.close();
  }
}
