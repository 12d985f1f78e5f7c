import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { drawCheckedCopy, extractPages, type CheckedCopyPlan, type PageImage } from '@evaluation/pdf';

/** Cells of a thumbnail, about 4 mm on A4: smaller than a word and larger than what scaling and JPEG change. */
const THUMBNAIL = { width: 48, height: 64 };
/** Of the pictures that are compared. */
const LONGEST_SIDE = 1000;
const UNPACKED = { compressionLevel: 0 };
/** Of the checked copy, the page beside its margin column. */
const PAGE_SHARE = 0.8;

/** Another page, a crop of 2 % or a turned page correlates less; scaling, straightening and JPEG leave more. */
export const LEAST_LIKENESS = 0.9;

const PLAN: CheckedCopyPlan = {
  examTitle: '',
  candidate: { externalId: 'C', name: null, rollNumber: null },
  totals: { awarded: 0, max: 1, percentage: 0 },
  questions: [],
  annotations: [],
  ink: [],
};

export interface Likeness {
  page: number;
  /** Correlation with the picture that the desk shows, up to 1: of the reader's picture, and of the checked copy. */
  reader: number;
  checked: number;
}

/**
 * Compares what the reader, the desk and the holder of the checked copy see of each page, by the pictures of the files.
 * @param images of `extractPages`
 * @param folder for the checked copy and its pages
 */
export const likenessOf = async (images: readonly PageImage[], folder: string): Promise<Likeness[]> => {
  const target = path.join(folder, 'checked.pdf');
  await drawCheckedCopy(images, target, PLAN, { timeoutSeconds: 60 });
  return await likenessTo(images, target, upright, folder);
};

/**
 * Compares each page with the picture that the marking screen shows of it.
 * @param checkedCopy file of the checked copy, without marks on the pages
 * @param shown the picture of a page on the marking screen
 * @param folder for the pages of the checked copy
 */
export const likenessTo = async (
  images: readonly PageImage[],
  checkedCopy: string,
  shown: (image: PageImage) => Promise<Buffer>,
  folder: string,
): Promise<Likeness[]> => {
  const drawn = await extractPages(checkedCopy, await mkdtemp(path.join(folder, 'checked-')), {
    timeoutSeconds: 60,
  });
  const found: Likeness[] = [];
  for (const [at, image] of images.entries()) {
    const checked = drawn[at];
    if (checked === undefined) throw new Error(`the checked copy has no page ${image.page}`);
    const desk = await shown(image);
    found.push({
      page: image.page,
      reader: likeness(await thumbnail(image.file), await thumbnail(await turned(desk, -image.skewDegrees))),
      // A page that is not drawn is crossed out on the checked copy.
      checked:
        image.state === 'not_drawn'
          ? 1
          : likeness(await thumbnail(await pageOf(await upright(checked))), await thumbnail(desk)),
    });
  }
  return found;
};

const upright = async ({ picture }: PageImage): Promise<Buffer> => {
  const small = await sharp(picture.file)
    .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
    .png(UNPACKED)
    .toBuffer();
  return turned(small, picture.rotation);
};

const turned = (picture: Buffer, degrees: number): Promise<Buffer> =>
  sharp(picture).rotate(degrees, { background: 'white' }).png(UNPACKED).toBuffer();

const pageOf = async (sheet: Buffer): Promise<Buffer> => {
  const { width, height } = await sharp(sheet).metadata();
  return sharp(sheet)
    .extract({ left: 0, top: 0, width: Math.round(width * PAGE_SHARE), height })
    .png(UNPACKED)
    .toBuffer();
};

const thumbnail = (picture: string | Buffer): Promise<Buffer> =>
  sharp(picture)
    .flatten({ background: 'white' })
    .greyscale()
    .resize({ ...THUMBNAIL, fit: 'fill' })
    .raw()
    .toBuffer();

/**
 * Correlation of two thumbnails; of thumbnails of one colour 1 if both are so, else 0. Contrast does not matter: the
 * reader's is stretched.
 */
const likeness = (a: Buffer, b: Buffer): number => {
  const [ofA, ofB] = [deviations(a), deviations(b)];
  const product = (one: number[], other: number[]) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const [spreadOfA, spreadOfB] = [product(ofA, ofA), product(ofB, ofB)];
  if (spreadOfA === 0 || spreadOfB === 0) return spreadOfA === spreadOfB ? 1 : 0;
  return product(ofA, ofB) / Math.sqrt(spreadOfA * spreadOfB);
};

const deviations = (pixels: Buffer): number[] => {
  const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
  return [...pixels].map((value) => value - mean);
};
