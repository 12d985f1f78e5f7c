import { runChild } from './child/runChild.ts';
import type { PageImage } from './types.ts';
import { PAGE_LONG_SIDE, PdfUnreadable } from './types.ts';

export interface ExtractOptions {
  /** From 1; the first page of the file when left out. */
  firstPage?: number;
  /** Inclusive; the last page of the file when left out or beyond it. */
  lastPage?: number;
  /** Pixels of an image's longer side, PAGE_LONG_SIDE when left out; a smaller scan is not enlarged. */
  longSide?: number;
  timeoutSeconds: number;
  signal?: AbortSignal;
  /** Called in page order as the images are ready, before the call as a whole ends. */
  onPage?: (page: PageImage) => void;
}

/**
 * Writes one JPEG a page into `outDir` (an existing folder), ready for a model: the scanner's own JPEG where the page
 * is nothing else, a rendering where it is more.
 * @throws PdfUnreadable; the signal's reason when aborted; what `onPage` throws, after the child was ended
 */
export async function extractPages(
  file: string,
  outDir: string,
  options: ExtractOptions,
): Promise<PageImage[]> {
  const pages: PageImage[] = [];
  const last = await runChild(
    {
      kind: 'extract',
      file,
      outDir,
      firstPage: options.firstPage ?? 1,
      lastPage: options.lastPage ?? null,
      longSide: options.longSide ?? PAGE_LONG_SIDE,
    },
    options,
    (page) => {
      pages.push(page);
      options.onPage?.(page);
    },
  );
  if (last.kind !== 'extracted') throw new PdfUnreadable('unreadable', `unexpected answer ${last.kind}`);
  return pages;
}
