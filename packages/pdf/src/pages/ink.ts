import { isWhite } from './raster.ts';
import type { Raster } from './raster.ts';

/** Half the raster's size; 1 is ink. */
export interface InkMap {
  ink: Uint8Array;
  width: number;
  height: number;
}

/** Grey levels by which ink is darker than the surrounding paper: above JPEG noise and most bleed-through. */
const INK_CONTRAST = 28;
export const BLOCK_SIDE = 16;

/**
 * Finds pixels darker than the local paper, so that shadows and yellow paper do not count as ink. Halving keeps the
 * darkest of four pixels, because averaging loses thin pencil lines.
 */
export const findInk = (raster: Raster): InkMap => {
  const { values, width, height } = darkestOfFour(raster);
  const paper = paperBrightness(values, width, height);
  const blocksAcross = Math.ceil(width / BLOCK_SIDE);
  const ink = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    if (isWhite(values, y * width, (y + 1) * width)) continue;
    const blockRow = ((y / BLOCK_SIDE) | 0) * blocksAcross;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (paper[blockRow + ((x / BLOCK_SIDE) | 0)]! - values[at]! > INK_CONTRAST) ink[at] = 1;
    }
  }
  return { ink, width, height };
};

/** Brightness 0..255 of one pixel, weighted for the eye (green most). */
export const brightness = (raster: Raster, pixel: number): number => {
  if (raster.channels === 1) return raster.data[pixel]!;
  const at = pixel * 3;
  return (raster.data[at]! * 2 + raster.data[at + 1]! * 5 + raster.data[at + 2]!) >> 3;
};

const darkestOfFour = ({ data, width: fullWidth, height: fullHeight, channels }: Raster) => {
  const width = fullWidth >> 1;
  const height = fullHeight >> 1;
  const values = new Uint8Array(width * height).fill(255);
  const row = fullWidth * channels;
  // Unrolled by hand: this runs 400,000 times per page, and a function call per pixel triples its time.
  for (let y = 0; y < height; y++) {
    let at = y * 2 * row;
    if (isWhite(data, at, at + row * 2)) continue;
    for (let x = 0; x < width; x++) {
      if (channels === 1) {
        values[y * width + x] = Math.min(data[at]!, data[at + 1]!, data[at + row]!, data[at + row + 1]!);
        at += 2;
      } else {
        const below = at + row;
        const a = data[at]! * 2 + data[at + 1]! * 5 + data[at + 2]!;
        const b = data[at + 3]! * 2 + data[at + 4]! * 5 + data[at + 5]!;
        const c = data[below]! * 2 + data[below + 1]! * 5 + data[below + 2]!;
        const d = data[below + 3]! * 2 + data[below + 4]! * 5 + data[below + 5]!;
        values[y * width + x] = Math.min(a, b, c, d) >> 3;
        at += 6;
      }
    }
  }
  return { values, width, height };
};

/** The upper quartile of each block or its brightest neighbour; a block full of writing shows no paper. */
export const paperBrightness = (values: Uint8Array, width: number, height: number): Uint8Array => {
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
