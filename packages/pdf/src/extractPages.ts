import { runChild } from './child/runChild.ts';
import type { PageImage } from './types.ts';
import { PAGE_LONG_SIDE, PdfUnreadable } from './types.ts';

export interface ExtractOptions {
  /** From 1; default: the first page of the file. */
  firstPage?: number;
  /** Inclusive; default, and limit: the last page of the file. */
  lastPage?: number;
  /** Pixels of an image's longer side; default PAGE_LONG_SIDE. A smaller scan is not enlarged. */
  longSide?: number;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

/**
 * Writes one JPEG per page into `outDir` (an existing folder). A page that is one scanned JPEG is decoded from that
 * JPEG; any other page is rendered.
 * @throws PdfUnreadable; the signal's reason when aborted
 */
export const extractPages = async (
  file: string,
  outDir: string,
  options: ExtractOptions,
): Promise<PageImage[]> => {
  const { last, pages } = await runChild(
    {
      kind: 'extract',
      file,
      outDir,
      firstPage: options.firstPage ?? 1,
      lastPage: options.lastPage ?? null,
      longSide: options.longSide ?? PAGE_LONG_SIDE,
    },
    options,
  );
  if (last.kind !== 'extracted') throw new PdfUnreadable('unreadable', `unexpected report ${last.kind}`);
  return pages;
};
