import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOcr } from '@evaluation/grader';
import { extractPages } from '@evaluation/pdf';
import { numbersOfHeading } from './numbersOfHeading.ts';

/**
 * Longest time to draw the page. Shorter than that of an inspection, because drawing is not counted against the
 * institute's time of the day.
 */
const DRAW_SECONDS = 10;
/** A page takes 1 to 5 s; a proposal that comes later than this is not missed. */
const PATIENCE_MS = 30_000;

/** Reads the first page of a PDF and returns the numbers at its top that name a candidate. */
export const readHeading = async (file: string, folder: string, signal: AbortSignal): Promise<string[]> => {
  const pages = join(folder, 'pages');
  await mkdir(pages);
  const [page] = await extractPages(file, pages, {
    firstPage: 1,
    lastPage: 1,
    timeoutSeconds: DRAW_SECONDS,
    signal,
  });
  if (page === undefined) return [];
  const ocr = openOcr();
  try {
    const { width, height } = page;
    const picture = { jpeg: await readFile(page.file), width, height };
    return numbersOfHeading(
      await ocr.read(picture, { signal, deadline: new Date(Date.now() + PATIENCE_MS) }),
    );
  } finally {
    await ocr.close();
  }
};
