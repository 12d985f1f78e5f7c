import { readFile } from 'node:fs/promises';
import { isRead } from '@evaluation/grader';
import { unreadInk } from '@evaluation/grader/evidence';
import { toViewedBox, type PageImage } from '@evaluation/pdf';
import type { RecordedPage, SeenPage } from '@evaluation/rules/grading-model';

/** Adds the ink of the page that its reader left out. A page that was not read has none. */
export const withUnread = async <P extends SeenPage>(
  seen: P,
  images: readonly PageImage[],
): Promise<P & RecordedPage> => {
  const image = images.find(({ page }) => page === seen.page);
  if (image === undefined || image.ink === null || !isRead(image)) return { ...seen, unread: [] };
  const { file, width, height } = image.ink;
  const places = [...seen.blocks.map(({ box }) => box), ...seen.printed];
  const unread = unreadInk(
    { shares: await readFile(file), width, height },
    places.map((box) => toViewedBox(box, image)),
  );
  return { ...seen, unread };
};
