import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ink } from '@evaluation/rules/marked-page';
import { PDFDocument } from '#pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawCheckedCopy, extractPages } from './index.ts';
import { addScan, scan } from '../test/pdfs.ts';
import { boundsOf, isRed } from '../test/pictures.ts';
import { textLinesOf } from '../test/textLines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ink-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The page takes four fifths of the sheet. */
const ON_SHEET = 0.8;
const limits = { timeoutSeconds: 60 };

test('what a teacher drew stands at its place, also on a page that is stored lying', async () => {
  const document = await PDFDocument.create();
  await addScan(document, await scan({ width: 620, height: 877, lines: 0 }), { rotate: 90, crop: [35, 80] });
  const [source, target] = [join(folder, 'copy.pdf'), join(folder, 'checked.pdf')];
  await writeFile(source, await document.save());
  const ink: Ink[] = [
    { kind: 'tick', page: 1, at: [0.5, 0.25] },
    { kind: 'ring', page: 1, from: [0.7, 0.34], to: [0.3, 0.4] },
    { kind: 'pen', page: 1, points: [0.2, 0.4, 0.6, 0.8].map((x) => [x, 0.5, 0.5]) },
    { kind: 'underline', page: 1, from: [0.1, 0.6], to: [0.9, 0.6] },
    { kind: 'text', page: 1, at: [0.4, 0.75], text: 'Ω, not A' },
    { kind: 'cross', page: 9, at: [0.5, 0.9] },
  ];
  await drawCheckedCopy(
    await extractPages(source, folder, limits),
    target,
    {
      examTitle: 'Biology, Class X',
      candidate: { externalId: 'STU-417', name: null, rollNumber: null },
      totals: { awarded: 1, max: 2, percentage: 50 },
      questions: [],
      annotations: [],
      ink,
    },
    limits,
  );
  const [shown] = await extractPages(target, folder, { ...limits, longSide: 800 });
  const redIn = (from: number, to: number) =>
    boundsOf(shown?.file ?? '', isRed, { x: 0, y: from, width: ON_SHEET - 0.01, height: to - from });
  for (const { from, to, left, right, middle } of [
    { from: 0.2, to: 0.3, left: 0.489, right: 0.511, middle: 0.25 },
    { from: 0.3, to: 0.45, left: 0.3, right: 0.7, middle: 0.37 },
    { from: 0.45, to: 0.55, left: 0.2, right: 0.8, middle: 0.5 },
    { from: 0.55, to: 0.65, left: 0.1, right: 0.9, middle: 0.6 },
  ]) {
    const { x, y, width, height } = (await redIn(from, to)) ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(Math.abs(x - left * ON_SHEET)).toBeLessThan(0.015);
    expect(Math.abs(x + width - right * ON_SHEET)).toBeLessThan(0.015);
    expect(Math.abs(y + height / 2 - middle)).toBeLessThan(0.01);
  }
  expect(await redIn(0.8, 1)).toBeNull();
  const [lines = []] = await textLinesOf(target);
  const text = lines.find((line) => line.text.includes('Ω, not A'));
  expect(text?.box.x).toBeCloseTo(0.4 * ON_SHEET, 1);
  expect((text?.box.y ?? 0) + (text?.box.height ?? 0) / 2).toBeCloseTo(0.75, 1);
});
