import sharp from 'sharp';
import type { PageImage } from '../types.ts';
import { toImageBox } from '../viewedBox.ts';
import type { Area } from './canvas.ts';

/** Small enough to cost a few milliseconds, fine enough to see a line of writing. */
const longSide = 256;
/** Paper is rarely quite white. */
const paperShade = 24;

/** How much writing an area of the viewed page holds: 0 for paper, about 0.1–0.3 for written lines. */
export type InkShare = (area: Area) => number;

/** Unknown pages count as empty; then a comment stands in the first place that suits it. */
export const unknownInk: InkShare = () => 0;

/** Reads the page image as a map of darkness, summed up so that any rectangle is asked in constant time. */
export async function readInk(
  image: PageImage,
  viewed: { width: number; height: number },
): Promise<InkShare> {
  let picture;
  try {
    picture = await sharp(image.file, { failOn: 'none' })
      .resize({ width: longSide, height: longSide, fit: 'inside' })
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch {
    return unknownInk;
  }
  const { width, height, channels } = picture.info;
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      const darkness = 255 - picture.data[(y * width + x) * channels]!;
      row += darkness > paperShade ? darkness / 255 : 0;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  return (area) => {
    const box = toImageBox(
      {
        x: area.x / viewed.width,
        y: area.y / viewed.height,
        width: area.width / viewed.width,
        height: area.height / viewed.height,
      },
      image,
    );
    const column = (fraction: number) => Math.max(0, Math.min(width, Math.round(fraction * width)));
    const line = (fraction: number) => Math.max(0, Math.min(height, Math.round(fraction * height)));
    const [l, r] = [column(box.x), column(box.x + box.width)];
    const [t, b] = [line(box.y), line(box.y + box.height)];
    const at = (x: number, y: number) => sums[y * (width + 1) + x]!;
    const cells = (r - l) * (b - t);
    return cells <= 0 ? 0 : (at(r, b) - at(l, b) - at(r, t) + at(l, t)) / cells;
  };
}
