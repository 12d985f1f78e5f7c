import { isRead } from '@evaluation/grader';
import { MAX_VISION_PAGES } from '@evaluation/rules';

export interface Batch<Page> {
  pages: Page[];
  /** Last written page before the batch, which belongs to another batch; null if there is none. */
  context: Page | null;
}

/**
 * Returns the unread pages in batches of neighbours. Batches are read concurrently, so each gets the page before it as
 * context: an answer may continue across the border. Vision pages and text-only pages do not share a batch
 * (docs/api/submissions.md#handwritten-copies).
 * @param known numbers of the pages that an earlier delivery of the run recorded, in batches of any size
 * @param size maximum number of pages of a batch
 */
export const batchesOf = <Page extends Parameters<typeof isRead>[0] & { page: number }>(
  images: readonly Page[],
  known: ReadonlySet<number>,
  size: number,
): Batch<Page>[] => {
  const batches: Batch<Page>[] = [];
  let written: Page | null = null;
  let open: Batch<Page> | null = null;
  for (const image of images) {
    if (known.has(image.page)) {
      open = null;
    } else {
      if (open === null || open.pages.length >= size || image.page === MAX_VISION_PAGES + 1) {
        open = { pages: [], context: written };
        batches.push(open);
      }
      open.pages.push(image);
    }
    if (isRead(image)) written = image;
  }
  return batches;
};
