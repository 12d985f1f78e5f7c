import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageImage } from '../types.ts';
import type { InkMap } from './ink.ts';
import { inkCells } from './inkCells.ts';
import { cutIntoParts } from './longPages.ts';
import type { PlainJpeg } from './plainJpeg.ts';
import { toSharp } from './raster.ts';
import type { Raster } from './raster.ts';

/** Optimised Huffman tables would save 5 % of the bytes and take two thirds of the encoder's time. */
const JPEG_OPTIONS = { quality: 80, optimizeCoding: false };
/** Bytes. A larger rendering is encoded with `LEAST_QUALITY` for the checked copy; only noise needs so many. */
const MOST_PER_PIXEL = 0.6;
const LEAST_QUALITY = 45;

interface Stages {
  /** The viewed page. */
  raster: Raster;
  /** The viewed page, drawn sharper for people; null when `raster` is as sharp as its content. */
  sharper: Raster | null;
  /** The contrast of `raster` was stretched after decoding. */
  isStretched: boolean;
  /** After the deskew: the picture for the model. The same object as `raster` when nothing was turned. */
  upright: Raster;
  /** Ink of `raster`. */
  ink: InkMap;
  /** The coded data from which `raster` was decoded; `rotation` turns it upright. */
  scan: PlainJpeg | null;
  rotation: PageImage['picture']['rotation'];
}

/**
 * Writes the picture for the model, the picture for the checked copy and the cells of ink. For the checked copy a
 * scan keeps the scanner's coded data. A rendered page is the same file as for the model, unless it was turned or holds
 * a picture that has more pixels: then it is drawn with 200 dpi.
 */
export const writePageFiles = async (
  page: number,
  folder: string,
  stages: Stages,
): Promise<Pick<PageImage, 'file' | 'parts' | 'picture' | 'ink'>> => {
  const { raster, sharper, isStretched, upright, ink, scan, rotation } = stages;
  const name = (suffix: string) => join(folder, `page-${String(page).padStart(4, '0')}${suffix}`);
  const file = name('.jpg');
  const isTurned = upright !== raster;
  const isScan =
    scan !== null &&
    !isTurned &&
    !isStretched &&
    rotation === 0 &&
    scan.width === raster.width &&
    scan.height === raster.height;
  const graded = isScan ? scan.jpeg : await encode(upright, JPEG_OPTIONS.quality);
  await writeFile(file, graded);

  let picture: PageImage['picture'] = { file, rotation: 0 };
  if (scan !== null && !isScan) {
    picture = { file: name('.scan.jpg'), rotation };
    await writeFile(picture.file, scan.jpeg);
  } else if (sharper !== null || (scan === null && (isTurned || graded.length > mostBytes(raster)))) {
    picture = { file: name('.view.jpg'), rotation: 0 };
    await writeFile(picture.file, await encodeBounded(sharper ?? raster));
  }

  const parts = await cutIntoParts(upright, JPEG_OPTIONS.quality, (part) => name(`.part-${part}.jpg`));
  const { shares, width, height } = inkCells(ink);
  const cells = { file: name('.ink'), width, height };
  await writeFile(cells.file, shares);
  return { file, parts, picture, ink: cells };
};

const encodeBounded = async (raster: Raster): Promise<Buffer> => {
  const jpeg = await encode(raster, JPEG_OPTIONS.quality);
  return jpeg.length > mostBytes(raster) ? encode(raster, LEAST_QUALITY) : jpeg;
};

const mostBytes = ({ width, height }: Raster): number => width * height * MOST_PER_PIXEL;

const encode = (raster: Raster, quality: number): Promise<Buffer> =>
  toSharp(raster)
    .jpeg({ ...JPEG_OPTIONS, quality })
    .toBuffer();
