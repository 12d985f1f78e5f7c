import { readFile } from 'node:fs/promises';
import type { PageImage } from '../types.ts';
import type { Area } from './canvas.ts';

interface Size {
  width: number;
  height: number;
}

/** Share of writing in an area of the viewed page: 0 for paper, about 0.1–0.3 for written lines. */
export type InkShare = (area: Area) => number;

export const noInk: InkShare = () => 0;

/**
 * Reads the page's map of writing. Prefix sums make each area query constant in time.
 * @throws Error when the file has another size than the map
 */
export const readInk = async (ink: NonNullable<PageImage['ink']>, viewed: Size): Promise<InkShare> => {
  const shares = await readFile(ink.file);
  if (shares.length !== ink.width * ink.height) throw new Error('a map of writing has a wrong size');
  return sumsOf(shares, viewed, ink);
};

/** For a page without an image: the annotated boxes count as written on, everything else as paper. */
export const inkOfBoxes = (boxes: readonly Area[]): InkShare => {
  return ({ x, y, width, height }) => {
    let most = 0;
    for (const box of boxes) {
      const w = Math.min(x + width, box.x + box.width) - Math.max(x, box.x);
      const h = Math.min(y + height, box.y + box.height) - Math.max(y, box.y);
      if (w > 0 && h > 0) most = Math.max(most, (w * h) / (width * height));
    }
    return most;
  };
};

const sumsOf = (shares: Uint8Array, viewed: Size, { width, height }: Size): InkShare => {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += shares[y * width + x]! / 255;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row;
    }
  }
  const [perX, perY] = [width / viewed.width, height / viewed.height];
  const within = (cell: number, most: number) => (cell < 0 ? 0 : cell > most ? most : cell);
  return (area) => {
    const l = within(Math.floor(area.x * perX), width);
    const r = within(Math.ceil((area.x + area.width) * perX), width);
    const t = within(Math.floor(area.y * perY), height) * stride;
    const b = within(Math.ceil((area.y + area.height) * perY), height) * stride;
    const cells = (r - l) * ((b - t) / stride);
    return cells <= 0 ? 0 : (sums[b + r]! - sums[b + l]! - sums[t + r]! + sums[t + l]!) / cells;
  };
};
