import type { Model } from './model.ts';
import { leastRectangle } from './rectangle.ts';
import type { Point } from './rectangle.ts';
import type { Pixels, Rectangle } from './types.ts';

/*
 * Where writing is: PP-OCRv6 small, detection (differentiable binarization). The constants are PaddleOCR's defaults
 * (`DBPostProcess`, `NormalizeImage`) unless a comment names another source.
 */

/** Pixels of the longer side that the network sees; measured on handwriting, a smaller one loses rows. */
export const LONGEST_SIDE = 1600;
/** The network halves its picture five times. */
export const SIDE_STEP = 32;
/** ImageNet statistics in the order of the planes (blue, green, red), as PaddleOCR applies them. */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;
/** Probability from which a pixel is writing. PaddleOCR's 0.3 loses pale handwriting. */
const PIXEL_THRESHOLD = 0.2;
/** Mean probability inside a rectangle. PaddleOCR's 0.6 loses cursive rows. */
const BOX_THRESHOLD = 0.4;
/** The network finds the core of a line; its rectangle grows by area × ratio / perimeter on each side. */
const GROWTH = 1.6;
/** Pixels of the shorter side below which a rectangle is a speck. */
const SMALLEST_SIDE = 3;
/** Lines of one page. A page of noise gives more, which are dropped from the smallest on. */
const MOST_LINES = 1000;

/** @param pixels scaled to sides of multiples of `SIDE_STEP`, the longer at most `LONGEST_SIDE` */
export const detect = async (model: Model, pixels: Pixels): Promise<Rectangle[]> => {
  const { width, height } = pixels;
  const probabilities = await model.run(planesOf(pixels), [1, 3, height, width]);
  const found = components(dilated(probabilities, width, height), width, height)
    .map(leastRectangle)
    .filter(
      (rectangle) =>
        Math.min(rectangle.width, rectangle.height) >= SMALLEST_SIDE &&
        meanInside(probabilities, width, height, rectangle) >= BOX_THRESHOLD,
    )
    .map(grown);
  return found.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, MOST_LINES);
};

const planesOf = ({ data, width, height }: Pixels): Float32Array => {
  const size = width * height;
  const planes = new Float32Array(size * 3);
  for (let plane = 0; plane < 3; plane++) {
    const scale = 1 / (255 * DEVIATION[plane]!);
    const shift = MEAN[plane]! / DEVIATION[plane]!;
    for (let pixel = 0, at = 2 - plane; pixel < size; pixel++, at += 3) {
      planes[plane * size + pixel] = data[at]! * scale - shift;
    }
  }
  return planes;
};

/** Pixels above the threshold, each grown by one to the left and upwards (a dilation of 2 × 2). */
const dilated = (probabilities: Float32Array, width: number, height: number): Uint8Array => {
  const mask = new Uint8Array(width * height);
  for (let at = 0; at < mask.length; at++) {
    if (probabilities[at]! <= PIXEL_THRESHOLD) continue;
    mask[at] = 1;
    const [hasLeft, hasTop] = [at % width > 0, at >= width];
    if (hasLeft) mask[at - 1] = 1;
    if (hasTop) mask[at - width] = 1;
    if (hasLeft && hasTop) mask[at - width - 1] = 1;
  }
  return mask;
};

/** The ends of each row of each group of touching pixels (with diagonals), which have the same hull as the group. */
const components = (mask: Uint8Array, width: number, height: number): Point[][] => {
  const found: Point[][] = [];
  const open: number[] = [];
  for (let start = mask.indexOf(1); start !== -1; start = mask.indexOf(1, start + 1)) {
    const rows = new Map<number, { first: number; last: number }>();
    mask[start] = 0;
    open.push(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      const row = rows.get(y);
      if (row === undefined) rows.set(y, { first: x, last: x });
      else {
        row.first = Math.min(row.first, x);
        row.last = Math.max(row.last, x);
      }
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
          const next = ny * width + nx;
          if (mask[next] === 0) continue;
          mask[next] = 0;
          open.push(next);
        }
      }
    }
    found.push(
      [...rows].flatMap(([y, { first, last }]) => [
        { x: first, y },
        { x: last, y },
      ]),
    );
  }
  return found;
};

const meanInside = (
  probabilities: Float32Array,
  width: number,
  height: number,
  { x, y, width: along, height: across, angle }: Rectangle,
): number => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [sum, count] = [0, 0];
  for (let v = 0.5; v < across; v++) {
    for (let u = 0.5; u < along; u++) {
      const [right, down] = [u - along / 2, v - across / 2];
      const px = Math.round(x + right * cos - down * sin);
      const py = Math.round(y + right * sin + down * cos);
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
      sum += probabilities[py * width + px]!;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
};

const grown = (rectangle: Rectangle): Rectangle => {
  const { width, height } = rectangle;
  const distance = (width * height * GROWTH) / (2 * (width + height));
  return { ...rectangle, width: width + 2 * distance, height: height + 2 * distance };
};
