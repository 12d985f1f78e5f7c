import { writeFile } from 'node:fs/promises';
import type { PagePart } from '../types.ts';
import { findInk } from './ink.ts';
import { toGrey, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';

/*
 * Pages longer than two widths, such as notes on an endless sheet. Shrunk like other pages, their writing could not be
 * read; so their picture is as wide as that of other pages, and is cut into parts that are read one after the other.
 */

interface Size {
  width: number;
  height: number;
}

const LONGER_THAN = 2;
/** Height of a page by its width, as of A4. */
const PAGE_SHAPE = Math.SQRT2;
/** Most parts. The parts of a longer page are longer and its writing is smaller. */
const MOST_PARTS = 12;

/** Number of parts in which a page is read. */
export const partsOf = ({ width, height }: Size): number =>
  height <= LONGER_THAN * width
    ? 1
    : Math.min(MOST_PARTS, Math.max(2, Math.round(height / (width * PAGE_SHAPE))));

/** Pixels of the longer side of a page's picture. @param longSide of an ordinary page */
export const longSideOf = (page: Size, longSide: number): number => {
  const parts = partsOf(page);
  return parts === 1
    ? longSide
    : Math.round(Math.min(parts, page.height / (page.width * PAGE_SHAPE)) * longSide);
};

/** Share of a part's height by which a cut moves from its even place to rows without ink. */
const REACH = 0.15;
/** Rows without ink that make a good cut, as a share of a part's height. */
const BAND = 0.012;

/**
 * Cuts the picture of a long page between lines of writing and writes each part as a JPEG.
 * @param fileOf the file of a part, by its number from 1
 * @returns [] for a page that is read as a whole
 */
export const cutIntoParts = async (
  picture: Raster,
  quality: number,
  fileOf: (part: number) => string,
): Promise<PagePart[]> => {
  const count = partsOf(picture);
  if (count === 1) return [];
  const cuts = [0, ...cutsOf(picture, count), picture.height];
  const parts = cuts.slice(1).map((bottom, index) => {
    const top = cuts[index] ?? 0;
    return { file: fileOf(index + 1), top, height: bottom - top };
  });
  for (const { file, top, height } of parts) {
    const part = toSharp(picture).extract({ left: 0, top, width: picture.width, height });
    await writeFile(file, await part.jpeg({ quality, optimizeCoding: false }).toBuffer());
  }
  return parts;
};

/** Rows at which the picture is cut: those with the least ink around them, near the even places. */
const cutsOf = (picture: Raster, count: number): number[] => {
  const { ink, width, height } = findInk(toGrey(picture));
  // Sums of ink above each row of the map, which has half the picture's resolution.
  const above = new Uint32Array(height + 1);
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) row += ink[y * width + x] ?? 0;
    above[y + 1] = (above[y] ?? 0) + row;
  }
  const part = height / count;
  const band = Math.max(1, Math.round(part * BAND));
  return Array.from({ length: count - 1 }, (_, index) => {
    const even = Math.round(part * (index + 1));
    let best = { row: even, cost: Infinity };
    for (let row = Math.round(even - part * REACH); row <= even + part * REACH; row++) {
      const around = (above[Math.min(height, row + band)] ?? 0) - (above[Math.max(0, row - band)] ?? 0);
      // Among equal rows the nearest to the even place.
      const cost = around + Math.abs(row - even) / part;
      if (cost < best.cost) best = { row, cost };
    }
    return best.row * 2;
  });
};
