import type { InkMap } from './ink.ts';

/** Pixels of the ink map in a cell's side. A cell has four pixels of the image in its side. */
const CELL = 2;
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
  const counts = new Uint8Array(width * height);
  for (let y = 0; y < map.height; y++) {
    const row = Math.floor(y / CELL) * width;
    for (let x = 0; x < map.width; x++) {
      const at = row + Math.floor(x / CELL);
      counts[at] = (counts[at] ?? 0) + (ink[y * map.width + x] ?? 0);
    }
  }
  return { shares: counts.map((count) => Math.round((255 * count) / CELL ** 2)), width, height };
};

/** Removes runs of ink along a row or column that are long and thin; small gaps of a faint line are part of it. */
const withoutLines = ({ ink, width, height }: InkMap): Uint8Array => {
  const left = Uint8Array.from(ink);
  const remove = (long: number, wide: number, at: (along: number, across: number) => number): void => {
    const isInk = (along: number, across: number) =>
      across >= 0 && across < wide && ink[at(along, across)] === 1;
    for (let across = 0; across < wide; across++) {
      let [from, end] = [-1, -1];
      for (let along = 0; along <= long; along++) {
        if (along < long && isInk(along, across)) {
          if (from === -1) from = along;
          end = along;
        } else if (from !== -1 && (along === long || along - end > GAP)) {
          if (end - from >= LINE)
            for (let place = from; place <= end; place++)
              if (isThin(isInk, place, across)) left[at(place, across)] = 0;
          from = -1;
        }
      }
    }
  };
  remove(width, height, (x, y) => y * width + x);
  remove(height, width, (y, x) => y * width + x);
  return left;
};

/** Whether a stroke of writing does not cross the line here. */
const isThin = (
  isInk: (along: number, across: number) => boolean,
  along: number,
  across: number,
): boolean => {
  let before = 0;
  while (before <= THIN && isInk(along, across - before - 1)) before++;
  let after = 0;
  while (before + after <= THIN && isInk(along, across + after + 1)) after++;
  return before + after + 1 <= THIN;
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
