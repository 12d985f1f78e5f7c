import { readBarcodes } from 'zxing-wasm/reader';
import { readCover, type Cover } from './cover.ts';

export type Turn = 0 | 90 | 180 | 270;

/** What the picture of a page tells. */
export interface PageLook {
  cover: Cover | null;
  /** Clockwise turn that makes the code of the cover upright; 0 without one. */
  turn: Turn;
  /** True if hardly any ink was found. A page in pale pencil can look blank too, so a person decides. */
  isBlank: boolean;
}

/** Rows of pixels, four bytes each: red, green, blue, and one that is not used. */
export interface Pixels {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

/** @param pixels about 1,000 wide, so that the code of a cover has several pixels to a square */
export const lookAt = async (pixels: Pixels): Promise<PageLook> => {
  const { data, width, height } = pixels;
  // The library reads these three only, and Node has no ImageData.
  const codes = await readBarcodes({ data, width, height } as ImageData, {
    formats: ['QRCode'],
    tryHarder: true,
    maxNumberOfSymbols: 4,
  });
  for (const { text, orientation } of codes) {
    const cover = readCover(text);
    if (cover !== null) return { cover, turn: turnBack(orientation), isBlank: false };
  }
  return { cover: null, turn: 0, isBlank: isBlank(pixels) };
};

const TURNS = [0, 90, 180, 270] as const;
const turnBack = (orientation: number): Turn =>
  TURNS[(((-Math.round(orientation / 90) % 4) + 4) % 4) as 0] ?? 0;

/** Side of a square whose mean brightness is compared with the squares around it. */
const SQUARE = 8;
/** Share of width and height at each edge that is not looked at: shadows of the scanner. */
const EDGE = 0.03;
/** Levels of 255 by which a square with ink is darker than the paper beside it: pale pencil is about 8. */
const DARKER = 6;
/** Squares with ink on a page that is not blank. A letter of 5 mm has about 10. */
const FEWEST = 4;

const isBlank = ({ data, width, height }: Pixels): boolean => {
  const columns = Math.floor(width / SQUARE);
  const rows = Math.floor(height / SQUARE);
  const means = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      let sum = 0;
      for (let y = row * SQUARE; y < (row + 1) * SQUARE; y += 1)
        for (let x = column * SQUARE; x < (column + 1) * SQUARE; x += 1) {
          const at = 4 * (y * width + x);
          sum += (data[at] ?? 0) + 2 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0);
        }
      means[row * columns + column] = sum / (4 * SQUARE * SQUARE);
    }
  const mean = (row: number, column: number): number =>
    means[Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column))] ?? 0;
  let inked = 0;
  const [top, left] = [Math.ceil(rows * EDGE), Math.ceil(columns * EDGE)];
  for (let row = top; row < rows - top; row += 1)
    for (let column = left; column < columns - left; column += 1) {
      // Paper is on at least one side of a stroke, two squares away.
      const paper = Math.max(
        mean(row - 2, column),
        mean(row + 2, column),
        mean(row, column - 2),
        mean(row, column + 2),
      );
      if (paper - mean(row, column) > DARKER) inked += 1;
    }
  return inked < FEWEST;
};
