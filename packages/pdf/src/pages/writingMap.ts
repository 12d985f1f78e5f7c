import { BLOCK_SIDE, paperBrightness } from './ink.ts';
import { partsOf } from './longPages.ts';
import { isWhite } from './raster.ts';
import type { GreyRaster } from './raster.ts';

/** Cells of the longer side of a page or of a part of it: enough for a pen stroke to be one cell wide. */
const LONG_SIDE = 392;
/** Grey levels below the surrounding paper: up to `ruling` counts as paper, from `pen` on as full ink. */
const [ruling, pen] = [55, 105];

/** Share of writing in each cell, 0 for paper and 255 for full ink. Shadows and ruled lines count little or nothing. */
interface WritingMap {
  shares: Uint8Array;
  width: number;
  height: number;
}

export const mapWriting = (grey: GreyRaster): WritingMap => {
  const { values, width, height } = averaged(grey);
  const paper = paperBrightness(values, width, height);
  const across = Math.ceil(width / BLOCK_SIDE);
  const shares = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    if (isWhite(values, y * width, (y + 1) * width)) continue;
    const blockRow = ((y / BLOCK_SIDE) | 0) * across;
    for (let x = 0; x < width; x++) {
      const darker = paper[blockRow + ((x / BLOCK_SIDE) | 0)]! - values[y * width + x]!;
      if (darker > ruling) {
        shares[y * width + x] = Math.min(255, Math.round((255 * (darker - ruling)) / (pen - ruling)));
      }
    }
  }
  return { shares, width, height };
};

/** Mean brightness of square cells. The last row and column may be cells of fewer pixels. */
const averaged = (grey: GreyRaster): { values: Uint8Array; width: number; height: number } => {
  const side = Math.max(1, Math.floor(Math.max(grey.width, grey.height) / (LONG_SIDE * partsOf(grey))));
  const width = Math.ceil(grey.width / side);
  const height = Math.ceil(grey.height / side);
  const values = new Uint8Array(width * height).fill(255);
  const sums = new Uint32Array(width);
  for (let row = 0; row < height; row++) {
    const top = row * side;
    const bottom = Math.min(grey.height, top + side);
    if (isWhite(grey.data, top * grey.width, bottom * grey.width)) continue;
    sums.fill(0);
    for (let y = top; y < bottom; y++) addRow(grey, y, side, sums);
    for (let column = 0; column < width; column++) {
      const pixels = (bottom - top) * Math.min(side, grey.width - column * side);
      values[row * width + column] = sums[column]! / pixels;
    }
  }
  return { values, width, height };
};

const addRow = ({ data, width }: GreyRaster, y: number, side: number, sums: Uint32Array): void => {
  const start = y * width;
  for (let column = 0, x = 0; x < width; column++) {
    const end = Math.min(width, x + side);
    let sum = 0;
    for (; x < end; x++) sum += data[start + x]!;
    sums[column] = sums[column]! + sum;
  }
};
