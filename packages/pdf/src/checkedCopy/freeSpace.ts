import { blockSide, paperBrightness } from '../pages/ink.ts';
import type { PageImage } from '../types.ts';
import { toImageBox } from '../viewedBox.ts';
import type { Area } from './canvas.ts';

/** Pixels. The JPEG decoder itself can scale to a quarter, at which a pen stroke is still one cell wide. */
const longSide = 392;
/** Grey levels below the surrounding paper: up to `ruling` counts as paper, from `pen` on as full ink. */
const [ruling, pen] = [55, 105];

interface Size {
  width: number;
  height: number;
}

/** Share of writing in an area of the viewed page: 0 for paper, about 0.1–0.3 for written lines. */
export type InkShare = (area: Area) => number;

export const noInk: InkShare = () => 0;

/**
 * Reads the page image into a map of writing in the coordinates of the viewed page. Prefix sums make each area query
 * constant in time. Shadows and ruled lines count little or nothing. Returns null when the image cannot be read.
 */
export async function readInk(image: PageImage, viewed: Size): Promise<InkShare | null> {
  let picture;
  try {
    // Imported here so that drawings without page images do not load sharp.
    const { readGrey } = await import('../pages/raster.ts');
    picture = await readGrey(image.file, longSide);
  } catch {
    return null;
  }
  const { data, width, height } = picture;
  const shares = writingShares(data, width, height);
  return sumsOf(image.skewDegrees === 0 ? shares : turnBack(shares, { width, height }, image), viewed, {
    width,
    height,
  });
}

/** For a page without an image: the annotated boxes count as written on, everything else as paper. */
export function inkOfBoxes(boxes: readonly Area[]): InkShare {
  return ({ x, y, width, height }) => {
    let most = 0;
    for (const box of boxes) {
      const w = Math.min(x + width, box.x + box.width) - Math.max(x, box.x);
      const h = Math.min(y + height, box.y + box.height) - Math.max(y, box.y);
      if (w > 0 && h > 0) most = Math.max(most, (w * h) / (width * height));
    }
    return most;
  };
}

function writingShares(values: Uint8Array, width: number, height: number): Float32Array {
  const paper = paperBrightness(values, width, height);
  const across = Math.ceil(width / blockSide);
  const shares = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const blockRow = ((y / blockSide) | 0) * across;
    for (let x = 0; x < width; x++) {
      const darker = paper[blockRow + ((x / blockSide) | 0)]! - values[y * width + x]!;
      if (darker > ruling) shares[y * width + x] = Math.min(1, (darker - ruling) / (pen - ruling));
    }
  }
  return shares;
}

/** Undoes the deskewing cell by cell. A lean of 5° over the width of a comment is the height of one line. */
function turnBack(shares: Float32Array, { width, height }: Size, image: PageImage): Float32Array {
  const turned = new Float32Array(shares.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = toImageBox({ x: (x + 0.5) / width, y: (y + 0.5) / height, width: 0, height: 0 }, image);
      const [column, row] = [Math.floor(at.x * width), Math.floor(at.y * height)];
      if (column >= 0 && column < width && row >= 0 && row < height) {
        turned[y * width + x] = shares[row * width + column]!;
      }
    }
  }
  return turned;
}

function sumsOf(shares: Float32Array, viewed: Size, { width, height }: Size): InkShare {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += shares[y * width + x]!;
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
}
