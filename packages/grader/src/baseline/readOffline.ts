import type { Answered, CallOptions, ReadPagesRequest, SeenPage } from '../grader.ts';
import type { Ocr } from './ocr.ts';
import { readPageOffline } from './readPage.ts';
import { worked } from './worked.ts';

/** Reads pages without a model, one after the other. Rejects like a Grader. */
export const readOffline = async (
  { pages, paper = [] }: Pick<ReadPagesRequest, 'pages' | 'paper'>,
  ocr: Ocr,
  options: CallOptions,
): Promise<Answered<SeenPage[]>> =>
  await worked('read_pages', async () => {
    const readings: SeenPage[] = [];
    for (const page of pages) {
      options.signal.throwIfAborted();
      readings.push(await readPageOffline({ ...page, paper }, ocr, options));
    }
    return readings;
  });
