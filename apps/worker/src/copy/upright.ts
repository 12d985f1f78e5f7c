import { turnedBox } from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import type { RecordedPage, Turn } from '@evaluation/rules/grading-model';

interface TurnedPage {
  page: number;
  turn: Turn;
}

/**
 * A page with its boxes on the upright page. From its reading on, a page that was scanned sideways or upside down is
 * turned: for the marks, for the marking screen, and for the checked copy.
 */
export const upright = <Page extends RecordedPage>(page: Page): Page => ({
  ...page,
  blocks: page.blocks.map((block) => ({ ...block, box: turnedBox(block.box, page.turn) })),
  printed: page.printed.map((box) => turnedBox(box, page.turn)),
  unread: page.unread.map((box) => turnedBox(box, page.turn)),
});

/** The pages that were turned. */
export const turnedPages = (pages: readonly TurnedPage[]): TurnedPage[] =>
  pages.flatMap(({ page, turn }) => (turn === 0 ? [] : [{ page, turn }]));

/**
 * The measures of the images turned as the pages were read. No file is written: the picture for the checked copy has a
 * rotation, and the file of the image is not needed after the reading.
 */
export const uprightImages = (images: readonly PageImage[], turned: readonly TurnedPage[]): PageImage[] => {
  const turns = new Map(turned.map(({ page, turn }) => [page, turn]));
  return images.map((image) => turnedImage(image, turns.get(image.page) ?? 0));
};

const turnedImage = (image: PageImage, turn: Turn): PageImage => {
  const rotation = TURNS[((image.picture.rotation + turn) / 90) % 4] ?? 0;
  const turned = { ...image, picture: { ...image.picture, rotation } };
  if (turn % 180 === 0) return turned;
  const { width, height, pageWidth, pageHeight, points } = image;
  return {
    ...turned,
    width: height,
    height: width,
    pageWidth: pageHeight,
    pageHeight: pageWidth,
    points: { width: points.height, height: points.width },
  };
};

const TURNS: readonly Turn[] = [0, 90, 180, 270];
