import type { Rectangle } from './types.ts';

/** What ordering needs of a piece of writing. */
interface Placed {
  rectangle: Rectangle;
}

/** Pieces join a row if their middles differ by less than this share of the lower height. */
const SAME_ROW = 0.4;
/** Share of the smaller width by which neighbours of a row may overlap. */
const OVERLAP = 0.1;
/** Heights of a line beyond which a gap separates writing that does not continue. */
const WIDEST_GAP = 2.5;
/** Part of the page in which a gap between two columns is looked for. */
const GUTTER = { from: 0.3, to: 0.7, step: 0.02 };
/** Rows that each column must have. */
const LEAST_ROWS = 6;
/** Share of the pieces that may cross the gap: a heading over both columns. */
const MOST_CROSSING = 0.06;

/**
 * Pieces of writing in reading order: columns from left to right, in them rows from top to bottom, in them pieces that
 * continue one another. Rows follow the angle at which most writing leans.
 * @param width of the page
 */
export const inReadingOrder = <Piece extends Placed>(pieces: readonly Piece[], width: number): Piece[][] => {
  const angle = medianAngle(pieces);
  const turned = pieces.map((piece) => ({ piece, ...levelled(piece.rectangle, angle) }));
  return columnsOf(turned, width).flatMap((column) =>
    rowsOf(column).map((row) => row.map(({ piece }) => piece)),
  );
};

interface Levelled {
  left: number;
  right: number;
  middle: number;
  height: number;
}

/** The place of a rectangle on the page turned back by `angle`. */
const levelled = ({ x, y, width, height, angle: own }: Rectangle, angle: number): Levelled => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [along, middle] = [x * cos + y * sin, y * cos - x * sin];
  const lean = own - angle;
  const half = (Math.abs(width * Math.cos(lean)) + Math.abs(height * Math.sin(lean))) / 2;
  return { left: along - half, right: along + half, middle, height };
};

const medianAngle = (pieces: readonly Placed[]): number => {
  const sorted = pieces
    .map(({ rectangle: { angle, width } }) => ({ angle, width }))
    .filter(({ angle }) => Math.abs(angle) <= Math.PI / 4)
    .toSorted((a, b) => a.angle - b.angle);
  let left = sorted.reduce((sum, { width }) => sum + width, 0) / 2;
  for (const { angle, width } of sorted) {
    left -= width;
    if (left <= 0) return angle;
  }
  return 0;
};

const columnsOf = <P extends Levelled>(pieces: readonly P[], width: number): P[][] => {
  let best: { crossing: P[]; left: P[]; right: P[] } | null = null;
  for (let part = GUTTER.from; part <= GUTTER.to; part += GUTTER.step) {
    const gap = part * width;
    const crossing = pieces.filter(({ left, right }) => left < gap && right > gap);
    const most = best?.crossing.length ?? pieces.length * MOST_CROSSING;
    if (crossing.length > most || (best !== null && crossing.length === most)) continue;
    const left = pieces.filter(({ right }) => right <= gap);
    const right = pieces.filter((piece) => piece.left >= gap);
    const isLong = rowsOf(left).length >= LEAST_ROWS && rowsOf(right).length >= LEAST_ROWS;
    if (isLong && areBeside(left, right)) best = { crossing, left, right };
  }
  if (best === null) return [[...pieces]];
  const { crossing, left, right } = best;
  const top = Math.min(...left.map(({ middle }) => middle), ...right.map(({ middle }) => middle));
  const columns = [crossing.filter(({ middle }) => middle <= top), left, right];
  columns.push(crossing.filter(({ middle }) => middle > top));
  return columns.filter(({ length }) => length > 0);
};

/** True if both columns are about as wide and stand side by side for most of their height. */
const areBeside = (left: readonly Levelled[], right: readonly Levelled[]): boolean => {
  const span = (pieces: readonly Levelled[]) => ({
    top: Math.min(...pieces.map(({ middle }) => middle)),
    bottom: Math.max(...pieces.map(({ middle }) => middle)),
    width: median(pieces.map((piece) => piece.right - piece.left)),
  });
  const [a, b] = [span(left), span(right)];
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const isLong = shared > 0.6 * Math.max(a.bottom - a.top, b.bottom - b.top);
  return isLong && Math.min(a.width, b.width) > 0.4 * Math.max(a.width, b.width);
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const rowsOf = <P extends Levelled>(pieces: readonly P[]): P[][] => {
  const rows: P[][] = [];
  for (const piece of pieces.toSorted((a, b) => a.left - b.left)) {
    const row = rows
      .filter((candidate) => continues(candidate.at(-1)!, piece))
      .toSorted(
        (a, b) => Math.abs(a.at(-1)!.middle - piece.middle) - Math.abs(b.at(-1)!.middle - piece.middle),
      )[0];
    if (row === undefined) rows.push([piece]);
    else row.push(piece);
  }
  const middleOf = (row: readonly P[]) => row.reduce((sum, { middle }) => sum + middle, 0) / row.length;
  return rows.toSorted((a, b) => middleOf(a) - middleOf(b));
};

const continues = (before: Levelled, after: Levelled): boolean => {
  const height = Math.min(before.height, after.height);
  const overlap = before.right - after.left;
  const narrower = Math.min(before.right - before.left, after.right - after.left);
  return (
    Math.abs(before.middle - after.middle) < SAME_ROW * height &&
    overlap < OVERLAP * narrower + height / 2 &&
    -overlap < WIDEST_GAP * Math.max(before.height, after.height)
  );
};
