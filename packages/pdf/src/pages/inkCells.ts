import type { InkMap } from './ink.ts';

/** Pixels of the ink map in a cell's side. A cell has four pixels of the image in its side. */
const CELL = 2;
/** What one pixel adds to the share of its cell. */
const PIXEL = Math.ceil(255 / CELL ** 2);
/** Pixels of the ink map of the shortest ruled line, 6 mm on A4; strokes of letters are shorter, thicker or bent. */
const LINE = 16;
/** Most pixels without ink between two parts of a line. */
const GAP = 3;
/** Most pixels across a ruled line. */
const THIN = 3;

interface InkCells {
  /** Share of ink in each cell, row by row, 0 for none and 255 for a full cell. */
  shares: Uint8Array;
  width: number;
  height: number;
}

/** The ink of a page in cells, without ruled lines, margins and frames, and without the shadows of its edges. */
export const inkCells = (map: InkMap): InkCells => {
  const ink = withoutBorder(withoutLines(map), map.width, map.height);
  const width = Math.ceil(map.width / CELL);
  const height = Math.ceil(map.height / CELL);
  const shares = new Uint8ClampedArray(width * height);
  for (let at = ink.indexOf(1); at !== -1; at = ink.indexOf(1, at + 1)) {
    const [x, y] = [at % map.width, Math.floor(at / map.width)];
    const cell = Math.floor(y / CELL) * width + Math.floor(x / CELL);
    shares[cell] = (shares[cell] ?? 0) + PIXEL;
  }
  return { shares: new Uint8Array(shares.buffer), width, height };
};

/** Removes runs of ink along a row or column that are long and thin; small gaps of a faint line are part of it. */
const withoutLines = ({ ink, width, height }: InkMap): Uint8Array => {
  const left = new Uint8Array(ink);
  const [inRow, inColumn] = [new Uint16Array(height), new Uint16Array(width)];
  for (let at = ink.indexOf(1); at !== -1; at = ink.indexOf(1, at + 1)) {
    const [x, y] = [at % width, Math.floor(at / width)];
    inRow[y] = (inRow[y] ?? 0) + 1;
    inColumn[x] = (inColumn[x] ?? 0) + 1;
  }
  removeLines(ink, left, { long: width, wide: height, along: 1, across: width, inked: inRow });
  removeLines(ink, left, { long: height, wide: width, along: width, across: 1, inked: inColumn });
  return left;
};

/** Pixels in a direction, and the steps between neighbours along and across it. */
interface Direction {
  long: number;
  wide: number;
  along: number;
  across: number;
  /** Pixels of ink in each row across. */
  inked: Uint16Array;
}

const removeLines = (ink: Uint8Array, left: Uint8Array, direction: Direction): void => {
  const { long, wide, along, across, inked } = direction;
  for (let row = 0; row < wide; row++) {
    if ((inked[row] ?? 0) * (GAP + 1) < LINE) continue;
    const start = row * across;
    let [from, end] = [-1, -1];
    for (let place = 0; place <= long; place++) {
      if (place < long && ink[start + place * along] === 1) {
        if (from === -1) from = place;
        end = place;
      } else if (from !== -1 && (place === long || place - end > GAP)) {
        if (end - from >= LINE)
          for (let each = from; each <= end; each++)
            if (isThin(ink, direction, row, each)) left[start + each * along] = 0;
        from = -1;
      }
    }
  }
};

/** Whether a stroke of writing does not cross the line here. */
const isThin = (ink: Uint8Array, { wide, along, across }: Direction, row: number, place: number): boolean => {
  const at = place * along;
  let first = row;
  while (first > 0 && row - first <= THIN && ink[at + (first - 1) * across] === 1) first--;
  let last = row;
  while (last < wide - 1 && last - first < THIN && ink[at + (last + 1) * across] === 1) last++;
  return last - first < THIN;
};

/** Removes ink that is connected with the border of the picture, such as the shadow of the sheet's edge. */
const withoutBorder = (ink: Uint8Array, width: number, height: number): Uint8Array => {
  const open: number[] = [];
  const take = (x: number, y: number): void => {
    const at = y * width + x;
    if (ink[at] !== 1) return;
    ink[at] = 0;
    open.push(at);
  };
  for (let x = 0; x < width; x++) for (const y of [0, 1, height - 2, height - 1]) take(x, y);
  for (let y = 0; y < height; y++) for (const x of [0, 1, width - 2, width - 1]) take(x, y);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)];
    for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++)
      for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) take(nx, ny);
  }
  return ink;
};
