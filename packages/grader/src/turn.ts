import sharp from 'sharp';
import type { Box } from './grader.ts';

// One page at a time is turned, beside much else that runs in this process.
sharp.concurrency(1);
sharp.cache(false);

/** Degrees clockwise. */
export type Turn = 0 | 90 | 180 | 270;

/** Where a box of an image stands once the image is turned. */
export function turnedBox({ x, y, width, height }: Box, turn: Turn): Box {
  switch (turn) {
    case 0:
      return { x, y, width, height };
    case 90:
      return { x: 1 - y - height, y: x, width: height, height: width };
    case 180:
      return { x: 1 - x - width, y: 1 - y - height, width, height };
    case 270:
      return { x: y, y: 1 - x - width, width: height, height: width };
  }
}

const BACK: Record<Turn, Turn> = { 0: 0, 90: 270, 180: 180, 270: 90 };

/** Where a box of a turned image stands on the image as it was. */
export function boxBeforeTurn(box: Box, turn: Turn): Box {
  return turnedBox(box, BACK[turn]);
}

/** High enough that a second encoding costs no stroke. */
const QUALITY = 92;

/** An image turned; the very bytes where there is nothing to turn. Rejects when they are no image. */
export async function turnedJpeg(jpeg: Buffer, turn: Turn): Promise<Buffer> {
  return turn === 0 ? jpeg : await sharp(jpeg).rotate(turn).jpeg({ quality: QUALITY }).toBuffer();
}
