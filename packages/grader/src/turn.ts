import sharp from 'sharp';
import type { Box, Turn } from './grader.ts';

// One thread: the process has much other work.
sharp.concurrency(1);
sharp.cache(false);

export const turnedBox = ({ x, y, width, height }: Box, turn: Turn): Box => {
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
};

const BACK: Record<Turn, Turn> = { 0: 0, 90: 270, 180: 180, 270: 90 };

export const boxBeforeTurn = (box: Box, turn: Turn): Box => turnedBox(box, BACK[turn]);

/** JPEG quality at which a second encoding loses no strokes. */
const QUALITY = 92;

/** Turns an image; without a turn returns the same bytes. Rejects if the bytes are not an image. */
export const turnedJpeg = async (jpeg: Buffer, turn: Turn): Promise<Buffer> =>
  turn === 0 ? jpeg : await sharp(jpeg).rotate(turn).jpeg({ quality: QUALITY }).toBuffer();
