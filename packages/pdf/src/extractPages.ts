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
  /** Called in page order as soon as each image is written, before `extractPages` resolves. */
  onPage?: (page: PageImage) => void;
}

/**
 * Writes one JPEG per page into `outDir` (an existing folder). A page that is one scanned JPEG is decoded from that
 * JPEG; any other page is rendered.
 * @throws PdfUnreadable; the signal's reason when aborted; an error thrown by `onPage`, after the child has ended
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
  if (last.kind !== 'extracted') throw new PdfUnreadable('unreadable', `unexpected report ${last.kind}`);
  return pages;
}
