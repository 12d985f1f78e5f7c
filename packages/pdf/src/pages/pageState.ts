import type { PageState } from '../types.ts';
import { findInk } from './ink.ts';
import type { InkMap } from './ink.ts';
import type { GreyRaster, Raster } from './raster.ts';

/*
 * Whether a page is read. The limits were chosen on the pages of the fixtures, on the collection of hostile files and
 * on pages of pencil, pale pens, single letters, speckled, shadowed and empty scans (extractPages.test.ts). A page
 * between `written` and `clean` is `doubtful`: it is read, and a teacher looks at it if an answer is missing.
 */

/** Share of ink pixels of a written page, measured on scans: specks lie below it, a single page number above. */
const WRITTEN_SHARE = 0.000_08;
/** Pixels of the ink map (half the page's resolution) of the smallest stroke; smaller ones are specks. */
const SPECK_PIXELS = 6;
/** Share of a side in which scanners leave shadows and torn edges, which do not make a page `written`. */
const EDGE_SHARE = 0.02;
/** Grey levels by which a colour channel of a faint stroke is darker than the paper; above JPEG noise. */
const FAINT_CONTRAST = 9;
/** Pixels of the smallest faint stroke: a letter of pencil has more, noise of a scanner fewer. */
const FAINT_PIXELS = 12;

/**
 * @param ink of the stretched picture
 * @param raster the page before the stretch, with its colours
 */
export const stateOf = (ink: InkMap, raster: Raster): Exclude<PageState, 'not_drawn'> => {
  const { width, height } = ink;
  const enough = width * height * WRITTEN_SHARE;
  let total = 0;
  let some = false;
  for (const stroke of strokesOf(ink)) {
    if (stroke.size < SPECK_PIXELS) continue;
    some ||= !stroke.touchesBorder;
    if (stroke.isInside) total += stroke.size;
    if (total >= enough) return 'written';
  }
  if (some) return 'doubtful';
  for (const { size, touchesBorder } of strokesOf(findInk(darkestChannel(raster), FAINT_CONTRAST))) {
    if (size >= FAINT_PIXELS && !touchesBorder) return 'doubtful';
  }
  return 'clean';
};

interface Stroke {
  /** Pixels of the ink map. */
  size: number;
  /** A pixel lies outside the part of the page where shadows are. */
  isInside: boolean;
  /** Continues to the border, as the shadow of a sheet's edge does. */
  touchesBorder: boolean;
}

/** Connected pixels of ink, with diagonals. */
function* strokesOf({ ink, width, height }: InkMap): Generator<Stroke> {
  const [edgeX, edgeY] = [width * EDGE_SHARE, height * EDGE_SHARE];
  const seen = new Uint8Array(ink.length);
  const open: number[] = [];
  for (let start = ink.indexOf(1); start !== -1; start = ink.indexOf(1, start + 1)) {
    if (seen[start] === 1) continue;
    const stroke: Stroke = {
      size: 0,
      isInside: false,
      touchesBorder: false,
    };
    seen[start] = 1;
    open.push(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      stroke.size++;
      stroke.isInside ||= x >= edgeX && x < width - edgeX && y >= edgeY && y < height - edgeY;
      stroke.touchesBorder ||= x < 2 || y < 2 || x >= width - 2 || y >= height - 2;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
          const next = ny * width + nx;
          if (ink[next] === 0 || seen[next] === 1) continue;
          seen[next] = 1;
          open.push(next);
        }
      }
    }
    yield stroke;
  }
}

/** A pale yellow pen is darker than the paper in blue alone. */
const darkestChannel = ({ data, width, height, channels }: Raster): GreyRaster => {
  if (channels === 1) return { data, width, height, channels };
  const darkest = Buffer.allocUnsafeSlow(width * height);
  for (let pixel = 0, at = 0; pixel < darkest.length; pixel++, at += 3) {
    darkest[pixel] = Math.min(data[at]!, data[at + 1]!, data[at + 2]!);
  }
  return { data: darkest, width, height, channels: 1 };
};
