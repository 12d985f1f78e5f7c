import { isWhite } from './raster.ts';
import type { GreyRaster } from './raster.ts';

/** Half the raster's size; 1 is ink. */
export interface InkMap {
  ink: Uint8Array;
  width: number;
  height: number;
}

/** Grey levels by which ink is darker than the surrounding paper: above JPEG noise and most bleed-through. */
const INK_CONTRAST = 28;
const BLOCK_SIDE = 16;

/**
 * Finds pixels darker than the local paper, so that shadows and yellow paper do not count as ink. Halving keeps the
 * darkest of four pixels, because averaging loses thin pencil lines.
 * @param contrast grey levels by which ink is darker than the paper
 */
export const findInk = (grey: GreyRaster, contrast = INK_CONTRAST): InkMap => {
  const { values, width, height } = darkestOfFour(grey);
  const paper = paperBrightness(values, width, height);
  const blocksAcross = Math.ceil(width / BLOCK_SIDE);
  const ink = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    if (isWhite(values, y * width, (y + 1) * width)) continue;
    const blockRow = ((y / BLOCK_SIDE) | 0) * blocksAcross;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (paper[blockRow + ((x / BLOCK_SIDE) | 0)]! - values[at]! > contrast) ink[at] = 1;
    }
  }
  return { ink, width, height };
};

const darkestOfFour = ({ data, width: fullWidth, height: fullHeight }: GreyRaster) => {
  const width = fullWidth >> 1;
  const height = fullHeight >> 1;
  const values = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < height; y++) {
    const top = y * 2 * fullWidth;
    if (isWhite(data, top, top + fullWidth * 2)) continue;
    for (let x = 0; x < width; x++) {
      const at = top + x * 2;
      const below = at + fullWidth;
      values[y * width + x] = Math.min(data[at]!, data[at + 1]!, data[below]!, data[below + 1]!);
    }
  }
  return { values, width, height };
};

/** The upper quartile of each block or its brightest neighbour; a block full of writing shows no paper. */
const paperBrightness = (values: Uint8Array, width: number, height: number): Uint8Array => {
  const across = Math.ceil(width / BLOCK_SIDE);
  const down = Math.ceil(height / BLOCK_SIDE);
  const own = new Uint8Array(across * down).fill(255);
  const histogram = new Uint16Array(256);
  for (let by = 0; by < down; by++) {
    const top = by * BLOCK_SIDE;
    const bottom = Math.min(height, top + BLOCK_SIDE);
    if (isWhite(values, top * width, bottom * width)) continue;
    for (let bx = 0; bx < across; bx++) {
      histogram.fill(0);
      let count = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = bx * BLOCK_SIDE; x < Math.min(width, (bx + 1) * BLOCK_SIDE); x++) {
          const value = values[y * width + x]!;
          histogram[value] = histogram[value]! + 1;
          count++;
        }
      }
      let level = 255;
      for (let above = histogram[255]!; above < count / 4 && level > 0; above += histogram[level]!) level--;
      own[by * across + bx] = level;
    }
  }
  const paper = new Uint8Array(across * down);
  for (let by = 0; by < down; by++) {
    for (let bx = 0; bx < across; bx++) {
      let brightest = 0;
      for (let y = Math.max(0, by - 1); y <= Math.min(down - 1, by + 1); y++) {
        for (let x = Math.max(0, bx - 1); x <= Math.min(across - 1, bx + 1); x++) {
          brightest = Math.max(brightest, own[y * across + x]!);
        }
      }
      paper[by * across + bx] = brightest;
    }
  }
  return paper;
};
