import { MAX_VISION_PAGES } from '@evaluation/rules';

/** Pages that are read together. */
export interface Batch<Page> {
  pages: Page[];
  /** The last written page before them, which another batch reads; null where there is none. */
  context: Page | null;
}

/**
 * The pages that are still to be read, in batches of neighbours. Batches are read at the same time, so each is shown the
 * page before it: an answer that runs over the border is known to go on. Vision pages and text-only pages never share
 * a batch (docs/api/submissions.md#handwritten-copies).
 * @param known numbers of the pages that an earlier delivery of the run recorded, in whatever batches it read them
 * @param size the most pages of a batch
 */
export const batchesOf = <Page extends { page: number; blank: boolean }>(
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
    if (!image.blank) written = image;
  }
  return batches;
};
