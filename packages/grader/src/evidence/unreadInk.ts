import type { Box } from '@evaluation/rules/grading-model';

/*
 * Ink that a reader left out. A question would get 0 marks for it, and no teacher would look. The limits were chosen on
 * the pages of the fixtures, with their blocks and without each one of them (tests/fixtures/unreadInk.test.ts), and on
 * generated copies (tools/truth).
 */

/** Share of ink in each cell of a page, row by row, 0 for none and 255 for a full cell (pdf/src/pages/inkCells.ts). */
export interface InkMap {
  shares: Uint8Array;
  width: number;
  height: number;
}

/** Cells of a tile's side; 3 mm on A4, so that the letters of a word lie in tiles that touch. */
const TILE = 4;
/** Sum of the shares of an inked tile: a full cell and a quarter. Grain and rests of ruled lines have less. */
const TILE_INK = 1.25 * 255;
/** Sum of the shares of the smallest region: a letter has more. */
const REGION_INK = 5 * 255;
/** By how much a place is taken to be larger than reported on each side, as shares of the page's short side. */
const MARGIN = { x: 0.02, y: 0.028 };
/** Depth of the edges in which there are holes, shadows and torn paper, as shares of the page's short side. */
const EDGE = { x: 0.075, y: 0.07 };
/** A region one tile thin and at least as many long is a ruled line or a frame, if it is hardly thicker anywhere. */
const LINE_TILES = 8;
/** Inked cells across a line, which may lie on the border of two and lean. Letters of 3 mm have more. */
const LINE_CELLS = 2;
/** Share of a cell that is inked. */
const CELL_INK = 64;
/** Share of the cells along a line across which there may be more, for grain and letters that touch it. */
const MOST_THICK = 0.1;
/** Most regions of a page that are kept. */
const MOST_REGIONS = 50;

/**
 * Regions of ink outside all places that a reader has accounted for.
 * @param ink of the viewed page
 * @param places of blocks and of print, in fractions of the viewed page
 * @returns boxes in fractions of the viewed page, the largest amount of ink first
 */
export const unreadInk = (ink: InkMap, places: readonly Box[]): Box[] => {
  const left = withoutPlaces(ink, places);
  const found: { box: Box; ink: number }[] = [];
  for (const region of regionsOf(tilesOf(left))) {
    const [across, down] = [region.right - region.left + 1, region.bottom - region.top + 1];
    const isLong = Math.min(across, down) === 1 && Math.max(across, down) >= LINE_TILES;
    if (region.ink < REGION_INK || (isLong && isThin(left, region))) continue;
    const box = {
      x: (region.left * TILE) / ink.width,
      y: (region.top * TILE) / ink.height,
      width: Math.min(1, (across * TILE) / ink.width),
      height: Math.min(1, (down * TILE) / ink.height),
    };
    if (isAtEdge(box, ink)) continue;
    found.push({ box, ink: region.ink });
  }
  return found
    .toSorted((a, b) => b.ink - a.ink)
    .slice(0, MOST_REGIONS)
    .map(({ box }) => box);
};

/** Whether a long region is hardly thicker than a line anywhere along it. Small writing is as thin in tiles. */
const isThin = ({ shares, width, height }: InkMap, { left, right, top, bottom }: Region): boolean => {
  const [x0, x1] = [left * TILE, Math.min(width, (right + 1) * TILE)];
  const [y0, y1] = [top * TILE, Math.min(height, (bottom + 1) * TILE)];
  const inked = (x: number, y: number) => ((shares[y * width + x] ?? 0) >= CELL_INK ? 1 : 0);
  const lies = right - left > bottom - top;
  const [from, to, first, last] = lies ? [x0, x1, y0, y1] : [y0, y1, x0, x1];
  let thick = 0;
  for (let along = from; along < to; along++) {
    let cells = 0;
    for (let over = first; over < last; over++) cells += lies ? inked(along, over) : inked(over, along);
    if (cells > LINE_CELLS) thick++;
  }
  return thick <= MOST_THICK * (to - from);
};

interface Tiles {
  ink: Uint32Array;
  across: number;
  down: number;
}

/** The map without the ink of the places, each with its margin. */
const withoutPlaces = ({ shares, width, height }: InkMap, places: readonly Box[]): InkMap => {
  const left = new Uint8Array(shares);
  const side = Math.min(width, height);
  for (const { x, y, width: wide, height: high } of places) {
    const from = Math.max(0, Math.floor(x * width - MARGIN.x * side));
    const to = Math.min(width, Math.ceil((x + wide) * width + MARGIN.x * side));
    const top = Math.max(0, Math.floor(y * height - MARGIN.y * side));
    const bottom = Math.min(height, Math.ceil((y + high) * height + MARGIN.y * side));
    for (let row = top; row < bottom; row++) left.fill(0, row * width + from, row * width + to);
  }
  return { shares: left, width, height };
};

const tilesOf = ({ shares, width, height }: InkMap): Tiles => {
  const across = Math.ceil(width / TILE);
  const down = Math.ceil(height / TILE);
  const ink = new Uint32Array(across * down);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / TILE) * across;
    for (let x = 0; x < width; x++) {
      const share = shares[y * width + x] ?? 0;
      if (share > 0) ink[row + Math.floor(x / TILE)] = (ink[row + Math.floor(x / TILE)] ?? 0) + share;
    }
  }
  return { ink: ink.map((sum) => (sum < TILE_INK ? 0 : sum)), across, down };
};

interface Region {
  left: number;
  top: number;
  right: number;
  bottom: number;
  ink: number;
}

/** Inked tiles that touch, with diagonals. */
function* regionsOf({ ink, across, down }: Tiles): Generator<Region> {
  const open: number[] = [];
  for (let start = 0; start < ink.length; start++) {
    if (ink[start] === 0) continue;
    const region = { left: across, top: down, right: 0, bottom: 0, ink: 0 };
    open.push(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const sum = ink[at] ?? 0;
      if (sum === 0) continue;
      ink[at] = 0;
      const [x, y] = [at % across, Math.floor(at / across)];
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x);
      region.top = Math.min(region.top, y);
      region.bottom = Math.max(region.bottom, y);
      region.ink += sum;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(down - 1, y + 1); ny++)
        for (let nx = Math.max(0, x - 1); nx <= Math.min(across - 1, x + 1); nx++)
          if (ink[ny * across + nx] !== 0) open.push(ny * across + nx);
    }
    yield region;
  }
}

const isAtEdge = (box: Box, page: { width: number; height: number }): boolean => {
  const side = Math.min(page.width, page.height);
  const [x, y] = [(EDGE.x * side) / page.width, (EDGE.y * side) / page.height];
  return box.x + box.width < x || box.x > 1 - x || box.y + box.height < y || box.y > 1 - y;
};
