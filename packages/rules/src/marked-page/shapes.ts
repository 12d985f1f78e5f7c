import { getStroke } from 'perfect-freehand';
import type { Area, Point } from './geometry.ts';
import type { DrawnInk } from './ink.ts';
import type { Letters } from './typesetter.ts';

/** Two control points and the end of a cubic Bézier curve. */
type Segment = readonly [Point, Point, Point];

export type Shape =
  /** A line along Bézier segments. */
  | { kind: 'curve'; start: Point; segments: readonly Segment[]; width: number }
  /** A filled outline. */
  | { kind: 'area'; outline: readonly Point[] }
  /** One line of text; `at` is the left end of its baseline. */
  | { kind: 'text'; text: string; at: Point; size: number; bold: boolean };

/** Unit of sizes on a page: a point on A4. Pages that are stored in a huge or tiny size look the same. */
export const unitOf = ({ width, height }: { width: number; height: number }): number =>
  Math.min(width, height) / 595;

/** Side of a tick or cross, in units. */
export const STROKE_SIDE = 13;

export const tickIn = (area: Area, pen: number): Shape[] => {
  const at = within(area);
  const segments: Segment[] = [
    [at(0.14, 0.64), at(0.24, 0.8), at(0.31, 0.94)],
    [at(0.42, 0.62), at(0.66, 0.24), at(0.98, 0.04)],
  ];
  return [{ kind: 'curve', start: at(0.04, 0.56), segments, width: pen }];
};

export const crossIn = (area: Area, pen: number): Shape[] => {
  const at = within(area);
  const line = (start: Point, segment: Segment): Shape => ({
    kind: 'curve',
    start,
    segments: [segment],
    width: pen,
  });
  return [
    line(at(0.12, 0.14), [at(0.36, 0.36), at(0.62, 0.62), at(0.88, 0.9)]),
    line(at(0.9, 0.1), [at(0.64, 0.34), at(0.36, 0.64), at(0.1, 0.88)]),
  ];
};

const within =
  (area: Area) =>
  (x: number, y: number): Point => [area.x + x * area.width, area.y + y * area.height];

/** An ellipse in the area. */
export const ringIn = ({ x, y, width, height }: Area, pen: number): Shape[] => {
  const [rx, ry] = [width / 2, height / 2];
  const [cx, cy] = [x + rx, y + ry];
  const [kx, ky] = [rx * 0.5523, ry * 0.5523];
  const segments: Segment[] = [
    [
      [cx + rx, cy + ky],
      [cx + kx, cy + ry],
      [cx, cy + ry],
    ],
    [
      [cx - kx, cy + ry],
      [cx - rx, cy + ky],
      [cx - rx, cy],
    ],
    [
      [cx - rx, cy - ky],
      [cx - kx, cy - ry],
      [cx, cy - ry],
    ],
    [
      [cx + kx, cy - ry],
      [cx + rx, cy - ky],
      [cx + rx, cy],
    ],
  ];
  return [{ kind: 'curve', start: [cx + rx, cy], segments, width: pen }];
};

export const straight = (start: Point, end: Point, pen: number): Shape => ({
  kind: 'curve',
  start,
  segments: [[start, end, end]],
  width: pen,
});

/** Line of a stroke, in units. */
export const PEN = 2;
/** Letters of a teacher, in units. */
const LETTER_SIZE = 11;
const LEADING = 1.28;
/** As a share of the page's width. */
const LEAST_TEXT_WIDTH = 0.2;

/** The shapes of one stroke on a page of this size. */
export const shapesOf = (
  ink: DrawnInk,
  page: { width: number; height: number },
  letters: Letters,
): Shape[] => {
  const unit = unitOf(page);
  const pen = PEN * unit;
  const place = ([x, y]: readonly [number, number, ...number[]]): Point => [x * page.width, y * page.height];
  switch (ink.kind) {
    case 'tick':
    case 'cross': {
      const side = STROKE_SIDE * unit;
      const [x, y] = place(ink.at);
      const area = { x: x - side / 2, y: y - side / 2, width: side, height: side };
      return ink.kind === 'tick' ? tickIn(area, pen) : crossIn(area, pen);
    }
    case 'text': {
      const [x, y] = place(ink.at);
      const size = LETTER_SIZE * unit;
      // A text near the right edge moves to the left, so that its words stay on the page.
      const width = Math.max(page.width - x, page.width * LEAST_TEXT_WIDTH);
      return letters.regular.wrap(ink.text, size, width).map((text, line) => ({
        kind: 'text',
        text,
        at: [Math.min(x, page.width - width), y + size * (0.36 + line * LEADING)],
        size,
        bold: false,
      }));
    }
    case 'pen': {
      const points = ink.points.map((point) => [...place(point), point[2]]);
      const outline = getStroke(points, {
        size: 3 * unit,
        thinning: 0.5,
        simulatePressure: false,
        last: true,
      });
      return [{ kind: 'area', outline: outline.map(([x, y]): Point => [x, y]) }];
    }
    case 'underline':
      return [straight(place(ink.from), place(ink.to), pen)];
    case 'ring': {
      const [[ax, ay], [bx, by]] = [place(ink.from), place(ink.to)];
      const area = {
        x: Math.min(ax, bx),
        y: Math.min(ay, by),
        width: Math.abs(ax - bx),
        height: Math.abs(ay - by),
      };
      return ringIn(area, pen);
    }
    case 'cancel':
      return [straight(place([0.92, 0.06]), place([0.08, 0.94]), pen)];
  }
};
