import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import type { PageImage, SeenPage } from '../grader.ts';
import { turnedBox, turnedJpeg } from '../turn.ts';
import { labelCore } from './labels.ts';
import { openOcr, type Ocr } from './ocr.ts';
import { readPageOffline } from './readPage.ts';

/** Seven lines of print: a heading and the answers to Q1 to Q4. */
const file = fileURLToPath(new URL('../../test/page.jpg', import.meta.url));
const scan: PageImage = { page: 1, file, width: 1100, height: 800, state: 'written' as const };

const folder = await folderForTests('grader-turned-');
const engine = closedAfterTests(openOcr());
let reads = 0;
const ocr: Ocr = {
  ...engine,
  read: (picture, options) => {
    reads += 1;
    return engine.read(picture, options);
  },
};
let upright: SeenPage;
beforeAll(async () => {
  upright = await read(scan);
});
beforeEach(() => {
  reads = 0;
});

const options = () => ({
  signal: new AbortController().signal,
  deadline: new Date(Date.now() + 60_000),
});
const read = (page: PageImage): Promise<SeenPage> => readPageOffline(page, ocr, options());
const cores = (reading: SeenPage) => reading.blocks.map(({ label }) => labelCore(label ?? ''));

test('an upright page that reads well costs one reading', async () => {
  const reading = await read(scan);
  expect(cores(reading)).toEqual(['sectiona', '1', '2', '3a', '4']);
  expect(reading.turn).toBe(0);
  expect(reads).toBe(1);
});

test('a page of single letters, which are taller than wide, is not turned', async () => {
  const lines = ['B', '1', 'I', 'C'].map((text, row) => {
    const box = { x: 0.2, y: 0.2 * row, width: 0.01, height: 0.05 };
    return { text, box, confidence: 0.95, words: [{ text, box, confidence: 0.95 }] };
  });
  const letters: Ocr = { ...engine, read: () => Promise.resolve(++reads > 1 ? [] : lines) };
  const { blocks, turn } = await readPageOffline(scan, letters, options());
  expect({ turn, reads }).toEqual({ turn: 0, reads: 1 });
  expect(blocks.map(({ text }) => text).join('\n')).toBe('B\n1\nI\nC');
});

test.each([
  // A page scanned at 90 degrees must be turned by 270, which is tried second for vertical lines.
  { turn: 90 as const, most: 4 },
  { turn: 180 as const, most: 3 },
  // Its lines run from the bottom to the top, as the reader takes standing lines.
  { turn: 270 as const, most: 4 },
])('a page scanned at $turn degrees is read upright, with the boxes of the scan', async (each) => {
  const turned = path.join(folder, `${each.turn}.jpg`);
  await writeFile(turned, await turnedJpeg(await readFile(file), each.turn));
  const size = each.turn !== 180 ? { width: 800, height: 1100 } : {};
  const reading = await read({ ...scan, ...size, file: turned });
  expect(reads).toBeLessThanOrEqual(each.most);
  expect(reading.legibility).toBeGreaterThan(0.7);
  expect(reading.turn).toBe(360 - each.turn);
  expect(cores(reading)).toEqual(cores(upright));
  for (const [index, { box, text }] of reading.blocks.entries()) {
    const was = upright.blocks[index];
    expect(text).toBe(was?.text);
    const there = turnedBox(was?.box ?? box, each.turn);
    for (const side of ['x', 'y', 'width', 'height'] as const) expect(box[side]).toBeCloseTo(there[side], 1);
  }
});
