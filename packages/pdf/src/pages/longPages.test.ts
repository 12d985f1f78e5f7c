import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { folderForTests } from '@evaluation/test-services';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { cutIntoParts, longSideOf, partsOf } from './longPages.ts';
import type { Raster } from './raster.ts';

test.each([
  ['A4', 595, 842, 1, 1568],
  ['A4 on its side', 842, 595, 1, 1568],
  ['two widths', 500, 1000, 1, 1568],
  ['two sheets of A4', 595, 1684, 2, 3138],
  ['four sheets of A4', 595, 3368, 4, 6272],
  ['twenty widths', 595, 11_900, 12, 18_816],
])('a page of %s is read in its parts, as wide as other pages', (_, width, height, parts, longSide) => {
  expect(partsOf({ width, height })).toBe(parts);
  expect(Math.abs(longSideOf({ width, height }, 1568) - longSide)).toBeLessThan(3);
});

const folder = await folderForTests('long-pages-');

/** White paper with black lines of 30 rows, each with 25 rows of paper below it. */
const linesOfInk = (height: number): Raster => {
  const width = 600;
  const data = Buffer.alloc(width * height, 255);
  for (let y = 40; y < height - 40; y++) if (y % 55 < 30) data.fill(0, y * width + 60, y * width + 540);
  return { data, width, height, channels: 1 };
};

test('a long page is cut between lines of writing, into parts that follow each other without a gap', async () => {
  const page = linesOfInk(3400);
  const parts = await cutIntoParts(page, 80, (part) => path.join(folder, `${part}.jpg`));
  expect(parts).toHaveLength(4);
  let end = 0;
  for (const { file, top, height } of parts) {
    expect(top).toBe(end);
    end = top + height;
    if (top > 0) expect(top % 55, 'the cut is in the paper below a line').toBeGreaterThanOrEqual(30);
    expect(Math.abs(height - 850)).toBeLessThan(300);
    const { width, height: rows } = await sharp(await readFile(file)).metadata();
    expect([width, rows]).toEqual([600, height]);
  }
  expect(end).toBe(3400);
  expect(await cutIntoParts(linesOfInk(840), 80, () => '')).toEqual([]);
});
