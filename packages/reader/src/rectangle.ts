import type { Rectangle } from './types.ts';

export interface Point {
  x: number;
  y: number;
}

const cross = (o: Point, a: Point, b: Point): number => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);

/** Convex hull by Andrew's monotone chain. `points` are sorted by x, then y. */
const hullOf = (points: readonly Point[]): Point[] => {
  const half = (ordered: Iterable<Point>): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length >= 2 && cross(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return points.length < 3 ? [...points] : [...half(points), ...half(points.toReversed())];
};

/** The rectangle of least area around the points, which lies along an edge of their hull. */
export const leastRectangle = (points: readonly Point[]): Rectangle => {
  const hull = hullOf(points.toSorted((a, b) => a.x - b.x || a.y - b.y));
  let best = alongAxis(hull, 0);
  for (let at = 0; at < hull.length; at++) {
    const [from, to] = [hull[at]!, hull[(at + 1) % hull.length]!];
    const found = alongAxis(hull, Math.atan2(to.y - from.y, to.x - from.x));
    if (found.width * found.height < best.width * best.height) best = found;
  }
  return best;
};

const QUARTER = Math.PI / 2;

const alongAxis = (hull: readonly Point[], direction: number): Rectangle => {
  // The direction nearest to the horizontal of the two that the edge allows.
  const angle = direction - Math.round(direction / QUARTER) * QUARTER;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of hull) {
    const [along, across] = [x * cos + y * sin, y * cos - x * sin];
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  const [along, across] = [(left + right) / 2, (top + bottom) / 2];
  return {
    x: along * cos - across * sin,
    y: along * sin + across * cos,
    width: right - left + 1,
    height: bottom - top + 1,
    angle,
  };
};

/** The upright box around a part of a rectangle; `from` and `to` are fractions of its width. */
export const boundsOf = ({ x, y, width, height, angle }: Rectangle, from = 0, to = 1) => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [from, to].flatMap((part) =>
    [-0.5, 0.5].map((down) => {
      const [along, across] = [(part - 0.5) * width, down * height];
      return { x: x + along * cos - across * sin, y: y + along * sin + across * cos };
    }),
  );
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, right: Math.max(...xs), bottom: Math.max(...ys) };
};
