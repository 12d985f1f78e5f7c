import type { Box } from './grader.ts';

/** Moves a box inside the page. The result is never empty, so that an annotation can be drawn at it. */
export const clampBox = (box: Box): Box => {
  const x = within(box.x, 0, 0.99);
  const y = within(box.y, 0, 0.99);
  return { x, y, width: within(box.width, 0.01, 1 - x), height: within(box.height, 0.01, 1 - y) };
};

/** How far a box may exceed the edge of the page, as a fraction; readers overshoot a little. */
const TOLERANCE = 0.05;

/** Whether a box lies on the page within `TOLERANCE`. If not, the model has invented it. */
export const isOnPage = ({ x, y, width, height }: Box): boolean => {
  const isWithin = (value: number) => value >= -TOLERANCE && value <= 1 + TOLERANCE;
  return width >= 0 && height >= 0 && [x, y, x + width, y + height].every(isWithin);
};

export const unionBox = (boxes: readonly Box[]): Box => {
  const first = boxes[0];
  if (first === undefined) return { x: 0, y: 0, width: 1, height: 1 };
  let { x, y } = first;
  let right = x + first.width;
  let bottom = y + first.height;
  for (const box of boxes) {
    x = Math.min(x, box.x);
    y = Math.min(y, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return { x, y, width: right - x, height: bottom - y };
};

const within = (value: number, low: number, high: number): number => {
  if (Number.isNaN(value)) return low;
  return Math.round(Math.min(Math.max(value, low), high) * 10_000) / 10_000;
};
