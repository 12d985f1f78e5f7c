import { expect, test } from 'vitest';
import { inkCells } from './inkCells.ts';

const [width, height] = [560, 784];
type Mark = [left: number, top: number, wide: number, high: number];
/** A letter of strokes two pixels wide, as high as print of 12 points. */
const letter = (x: number, y: number): Mark[] => [
  [x, y, 2, 14],
  [x + 8, y, 2, 14],
  [x, y + 6, 10, 2],
];
const rowsOfLetters = Array.from({ length: 6 }, (_, row) =>
  Array.from({ length: 12 }, (_, at) => letter(120 + at * 16, 200 + row * 40)).flat(),
).flat();

const inkOf = (marks: readonly Mark[]): number => {
  const ink = new Uint8Array(width * height);
  for (const [left, top, wide, high] of marks)
    for (let y = top; y < top + high; y++) ink.fill(1, y * width + left, y * width + left + wide);
  const cells = inkCells({ ink, width, height });
  expect([cells.width, cells.height]).toEqual([width / 2, height / 2]);
  return cells.shares.reduce((sum, share) => sum + share, 0);
};
/** A line takes a pixel of each stroke that it crosses. */
const near = (actual: number, expected: number) => Math.abs(actual / expected - 1) < 0.12;

const ruling = Array.from({ length: 18 }, (_, row): Mark => [0, 40 + row * 40, width, 1]);
test.each<[string, Mark[]]>([
  ['ruled lines and a margin line', [...ruling, [90, 0, 2, height]]],
  ['a faint ruled line with gaps', Array.from({ length: 90 }, (_, at): Mark => [20 + at * 6, 500, 4, 1])],
  [
    'a frame of thin lines',
    [
      [60, 60, 200, 2],
      [60, 100, 200, 2],
      [60, 60, 2, 40],
      [258, 60, 2, 40],
    ],
  ],
  [
    'the shadow of an edge',
    [
      [0, 0, 12, height],
      [12, 300, 20, 60],
    ],
  ],
])('%s is no ink, also where letters stand on it', (_, marks) => {
  // The points at which lines cross stay.
  expect(inkOf(marks)).toBeLessThan(inkOf(rowsOfLetters) * 0.03);
  expect(near(inkOf([...rowsOfLetters, ...marks]), inkOf(rowsOfLetters))).toBe(true);
});

test('letters, and a thick stroke that is as long as a line, are ink', () => {
  expect(inkOf(letter(300, 300))).toBeGreaterThan(0);
  expect(inkOf([[200, 300, 60, 5]])).toBeGreaterThan(0);
});
