import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draw } from './checkedCopy/draw.ts';
import { sheetWidth } from './checkedCopy/pageMarks.ts';
import type { Annotation, CheckedCopyPlan, PageImage } from './index.ts';
import { stretchContrast } from './pages/contrast.ts';
import { extract } from './pages/extract.ts';
import { toGrey, toRaster, toSharp } from './pages/raster.ts';
import type { Raster } from './pages/raster.ts';
import { render } from './pages/render.ts';
import { Pdfium } from './pdfium.ts';
import { hostilePdfs, revised, twoContents } from '../test/hostilePdfs.ts';
import { PAGE_LONG_SIDE } from './types.ts';
import type { Box } from './types.ts';

/*
 * A viewer shows of a checked copy exactly what the grader saw, and nothing in it is active. Runs in this process,
 * because none of these files needs much time or memory.
 */

let folder: string;
let pdfium: Pdfium;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  pdfium = await Pdfium.start();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tick: Box = { x: 0.1, y: 0.9, width: 0.3, height: 0.03 };
/** The area that our marks cover: the tick at the end of its answer. */
const marked: Box = { x: 0.36, y: 0.84, width: 0.14, height: 0.16 };
/**
 * Cells of the short and the long side in which the pictures are compared, so that JPEG noise and shifts by one pixel
 * average out.
 */
const [ofShort, ofLong] = [70, 100];
/** Grey levels of 255 by which one cell, and all cells on average, may differ. */
const [mostOfOne, mostOnAverage] = [48, 3.5];

const planOf = (pages: number): CheckedCopyPlan => {
  const annotations = Array.from({ length: pages }, (_, index): Annotation => {
    return { page: index + 1, kind: 'tick', box: tick, text: '' };
  });
  return {
    examTitle: 'Biology',
    candidate: { externalId: 'STU-417', name: null, rollNumber: null },
    totals: { awarded: 1, max: 5, percentage: 20 },
    questions: [],
    annotations,
    ink: [],
  };
};

const cells = (image: Sharp, across: number, down: number) =>
  image
    .resize({ width: across, height: down, fit: 'fill', kernel: 'linear' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();

const isMarked = (x: number, y: number) =>
  x >= marked.x && x < marked.x + marked.width && y >= marked.y && y < marked.y + marked.height;

const difference = async (graded: Sharp, checked: Sharp): Promise<{ most: number; average: number }> => {
  const { width, height } = await graded.metadata();
  const [across, down] = width > height ? [ofLong, ofShort] : [ofShort, ofLong];
  const [before, after] = await Promise.all([graded, checked].map((each) => cells(each, across, down)));
  let [most, sum, count] = [0, 0, 0];
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      if (isMarked(column / across, row / down)) continue;
      const at = row * across + column;
      const levels = Math.abs((before?.[at] ?? 0) - (after?.[at] ?? 0));
      most = Math.max(most, levels);
      sum += levels;
      count++;
    }
  }
  return { most, average: sum / count };
};

interface Checked {
  graded: PageImage[];
  shown: Raster[];
  pages: number;
  bytes: Buffer;
}

/** Grades and draws an upload as the worker does, then renders the checked copy. */
const check = async (name: string, upload: Buffer): Promise<Checked> => {
  const out = join(folder, name.replaceAll(/\W/g, '-'));
  await mkdir(out);
  const [file, target] = [join(out, 'copy.pdf'), join(out, 'checked.pdf')];
  await writeFile(file, upload);
  const graded: PageImage[] = [];
  await extract(
    { kind: 'extract', file, outDir: out, firstPage: 1, lastPage: null, longSide: PAGE_LONG_SIDE },
    {
      page: (image) => Promise.resolve(void graded.push(image)),
      beforeNativeDecoding: () => Promise.resolve(),
    },
  );
  const plan = planOf(graded.length);
  const { pages } = await draw({ kind: 'draw', target, plan, pages: graded });
  const bytes = await readFile(target);
  const document = pdfium.open(bytes);
  if (typeof document === 'string') throw new Error(document);
  expect(document.hasValidCrossReferences).toBe(true);
  const shown: Raster[] = [];
  for (const { page, width, height, picture } of graded) {
    const sheet = await document.withPage(page, (loaded) =>
      render(loaded, Math.round(sheetWidth(width)), height),
    );
    if (sheet === null) throw new Error('the page does not load');
    const raster = await toRaster(toSharp(sheet).extract({ left: 0, top: 0, width, height }));
    // Of a scan only the grader's picture is stretched; a rendered page is one picture for both.
    if (picture.file.endsWith('.scan.jpg')) stretchContrast(raster, toGrey(raster));
    shown.push(raster);
  }
  document.close();
  return { graded, shown, pages, bytes };
};

const apart = (graded: PageImage | undefined, shown: Raster | undefined) => {
  if (graded === undefined || shown === undefined) throw new Error('no page to compare');
  return difference(sharp(graded.file), toSharp(shown));
};

test.each(Object.entries(hostilePdfs))(
  'the checked copy shows the graded pages and has no active content: %s',
  async (name, make) => {
    const { graded, shown, pages, bytes } = await check(name, await make());
    expect(pages).toBe(graded.length + 1);
    for (const [index, image] of graded.entries()) {
      const { most, average } = await apart(image, shown[index]);
      expect(most).toBeLessThanOrEqual(mostOfOne);
      expect(average).toBeLessThanOrEqual(mostOnAverage);
    }
    const text = bytes.toString('latin1');
    expect(text).not.toContain('EVIL');
    expect(text.replaceAll(/\bstream\r?\n[^]*?\nendstream/g, '')).not.toMatch(
      /\/(JavaScript|JS|OpenAction|AA?|Launch|URI|Names|EmbeddedFiles?|Filespec|Annots|AcroForm|XFA|OCProperties|Encrypt|ObjStm)\b/,
    );
  },
);

test('the comparison detects an answer of two other words', async () => {
  const one = await check('one answer', twoContents());
  const other = await check('another answer', revised(true));
  const { most } = await apart(one.graded[0], other.shown[0]);
  expect(most).toBeGreaterThan(mostOfOne);
});
