import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from '#pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawCheckedCopy } from './index.ts';
import type { Annotation, CheckedCopyPlan, PageImage } from './index.ts';
import { extract } from './pages/extract.ts';
import { addScan, lockedPdf, rawPdf, scan, scannedPdf, textPdf } from '../test/pdfs.ts';
import { boundsOf, isGreen, isRed, lostInk, pageOfSheet } from '../test/pictures.ts';
import { textLinesOf } from '../test/textLines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'draw-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const question: CheckedCopyPlan['questions'][number] = {
  label: 'Q1',
  section: null,
  awarded: 4.5,
  max: 6,
  status: 'graded',
  comment: null,
  feedback: 'Both stages are named.',
  criteria: [{ name: 'Equation', awarded: 0.5, max: 2, reason: 'Not balanced' }],
};

const basePlan: CheckedCopyPlan = {
  examTitle: 'Biology, Class X',
  candidate: { externalId: 'STU-417', name: null, rollNumber: null },
  totals: { awarded: 34.5, max: 50, percentage: 69 },
  questions: [question],
  annotations: [],
  ink: [],
};

let runs = 0;
interface Drawing {
  images?: PageImage[];
  timeoutSeconds?: number;
}
const draw = async (source: Buffer, plan: Partial<CheckedCopyPlan>, options: Drawing = {}) => {
  const images = options.images ?? (await extracted(source, 400)).pages;
  const out = join(folder, String(runs++));
  await mkdir(out);
  const target = join(out, 'checked.pdf');
  const { timeoutSeconds = 60 } = options;
  const copy = await drawCheckedCopy(images, target, { ...basePlan, ...plan }, { timeoutSeconds });
  return { copy, target, out };
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Renders the drawn pages as a viewer shows them. Runs in this process, because the tests made the file themselves. */
const show = async (file: string, out: string, longSide = 1568) => {
  const pages: PageImage[] = [];
  await extract(
    { kind: 'extract', file, outDir: out, firstPage: 1, lastPage: null, longSide },
    {
      page: (page) => Promise.resolve(void pages.push(page)),
      beforeNativeDecoding: () => Promise.resolve(),
    },
  );
  const lines = await textLinesOf(file);
  return {
    pages: pages.map((page, at) => ({ ...page, textLines: lines[at] ?? [] })),
    text: lines.map((page) => page.map(({ text }) => text).join('\n')),
  };
};

const extracted = async (source: Buffer, longSide?: number) => {
  const out = join(folder, String(runs++));
  await mkdir(out);
  const file = join(out, 'copy.pdf');
  await writeFile(file, source);
  return { file, ...(await show(file, out, longSide)) };
};

const textOnly = 64;
const near = (actual: number | undefined, expected: number, tolerance: number) =>
  expect(Math.abs((actual ?? NaN) - expected)).toBeLessThanOrEqual(tolerance);

const strip = (from: number, to: number) => ({ x: 0, y: from, width: 1, height: to - from });

const turns = [0, 90, 180, 270];
const turnedPages = once(async () => {
  const page = await scan({ width: 620, height: 877, lines: 0 });
  const document = await PDFDocument.create();
  for (const rotate of [90, ...turns]) await addScan(document, page, { rotate, crop: [35, 80] });
  const annotations = turns.flatMap((_, index): Annotation[] => [
    { page: index + 2, kind: 'tick', box: { x: 0.1, y: 0.2, width: 0.3, height: 0.04 }, text: '' },
    { page: index + 2, kind: 'cross', box: { x: 0.1, y: 0.4, width: 0.5, height: 0.04 }, text: '' },
    { page: index + 2, kind: 'mark', box: { x: 0.1, y: 0.6, width: 0.5, height: 0.1 }, text: 'Q3  4.5/6' },
    {
      page: index + 2,
      kind: 'comment',
      box: { x: 0.1, y: 0.85, width: 0.2, height: 0.04 },
      text: 'Say why it falls.',
    },
  ]);
  const { copy, target, out } = await draw(Buffer.from(await document.save()), { annotations });
  expect(copy.pages).toBe(6);
  return show(target, out, 800);
});

test.each(turns)(
  'on a page turned by %i and cropped off the origin every mark stands at its place',
  async (rotate) => {
    const { pages, text } = await turnedPages();
    const at = 1 + turns.indexOf(rotate);
    const file = pages[at]?.file ?? '';
    const tick = await boundsOf(file, isRed, strip(0, 0.32));
    near(tick?.x, 0.4 * 0.8, 0.02);
    near((tick?.y ?? 0) + (tick?.height ?? 0) / 2, 0.22, 0.015);
    const cross = await boundsOf(file, isRed, strip(0.32, 0.5));
    near(cross?.x, 0.6 * 0.8, 0.02);
    near((cross?.y ?? 0) + (cross?.height ?? 0) / 2, 0.42, 0.015);
    const mark = await boundsOf(file, isRed, { x: 0.82, y: 0.55, width: 0.18, height: 0.2 });
    near(mark?.y, 0.61, 0.02);
    // Text turned by 90° would be higher than wide.
    expect((mark?.width ?? 0) * (pages[at]?.width ?? 0)).toBeGreaterThan(
      (mark?.height ?? 0) * (pages[at]?.height ?? 0),
    );
    const comment = pages[at]?.textLines.find((line) => line.text.includes('Say why it falls.'));
    expect(comment?.box.x).toBeGreaterThan(0.8);
    near((comment?.box.y ?? 0) + (comment?.box.height ?? 0) / 2, 0.87, 0.06);
    expect(text[at]).toContain('4.5/6');
  },
);

test('the total stands at the top of the column of the first page', async () => {
  const total = await boundsOf((await turnedPages()).pages[0]?.file ?? '', isRed);
  expect(total?.x).toBeGreaterThan(0.8);
  near((total?.x ?? 0) + (total?.width ?? 0) / 2, 0.9, 0.02);
  expect((total?.y ?? 1) + (total?.height ?? 1)).toBeLessThan(0.16);
});

/** Pages with growing numbers of lines and marks; the last one leans and has a green spot. */
const crowdedCopy = once(async () => {
  const spot = '<rect x="300" y="1500" width="120" height="60" fill="#108030"/>';
  const jpegs = await Promise.all([
    ...[14, 24, 34, 60].map((lines) => scan({ lines })),
    scan({ leanDegrees: 4.5, mark: spot }),
  ]);
  const source = await scannedPdf(jpegs);
  const { pages: before } = await extracted(source);
  const kinds = ['mark', 'tick', 'comment', 'tick', 'cross', 'mark', 'comment'] as const;
  const remark = 'Missing: the pulmonary artery, and what the blood takes up there. ';
  const annotations = [1, 2, 3, 4].flatMap((page) =>
    Array.from({ length: 12 + page * 4 }, (_, index): Annotation => {
      const kind = kinds[(index + page) % kinds.length] ?? 'tick';
      const box = { x: 0.08, y: 0.12 + (index / (12 + page * 4)) * 0.75, width: 0.84, height: 0.03 };
      const text = kind === 'mark' ? `Q${index}(b)  2.5/5` : remark.repeat(1 + (index % 3));
      return { page, kind, box, text };
    }),
  );
  const box = await boundsOf(before[4]?.file ?? '', isGreen);
  if (box === null) throw new Error('the spot is gone');
  const { target, out: shownIn } = await draw(
    source,
    { annotations: [...annotations, { page: 5, kind: 'tick', box, text: '' }] },
    { images: before },
  );
  const { pages } = await show(target, shownIn);
  return { jpegs, before, target, pages };
});

test('the student’s writing stays legible under many marks', async () => {
  const { before, pages } = await crowdedCopy();
  for (const [index, page] of before.slice(0, 4).entries()) {
    const after = pages[index];
    expect(await lostInk(page.file, await pageOfSheet(after?.file ?? ''))).toBeLessThan(0.01);
    expect(after?.textLines.length).toBeGreaterThan(3);
  }
});

test('a box on a straightened image lands beside the writing it was taken from', async () => {
  const { before, pages } = await crowdedCopy();
  expect(before[4]?.skewDegrees).toBeCloseTo(4.5, 0);
  // The page image is replaced by the drawn page, so that it is not deskewed twice.
  const shown = await pageOfSheet(pages[4]?.file ?? '');
  const green = await boundsOf(shown, isGreen);
  const tick = await boundsOf(shown, isRed, strip(0.3, 1));
  near(tick?.x, (green?.x ?? 0) + (green?.width ?? 0), 0.02);
  near((tick?.y ?? 0) + (tick?.height ?? 0) / 2, (green?.y ?? 0) + (green?.height ?? 0) / 2, 0.01);
});

/** The coded data of a JPEG: all bytes from its first scan on. */
const codedData = (jpeg: Buffer) => jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])));

test('a scanned page keeps the coded data of its picture', async () => {
  const { jpegs, target } = await crowdedCopy();
  const file = await readFile(target);
  for (const jpeg of jpegs) expect(file.includes(codedData(jpeg))).toBe(true);
  const scanned = jpegs.reduce((sum, { length }) => sum + length, 0);
  expect(file.length).toBeLessThan(scanned * 1.1 + 100_000);
});

test.each([
  ['a scan that lies on its side', async () => scannedPdf([await scan()], { rotate: 90 }), 90],
  ['a rendered page', () => textPdf([['An answer.']]), 0],
] as const)(
  'the picture of %s lies where the copy says, is what was graded, and a page that is not drawn says so',
  async (_, make, rotation) => {
    const [image] = (await extracted(await make(), 900)).pages;
    if (image === undefined) throw new Error('no page');
    const missing = { ...image, page: 2, state: 'not_drawn' as const };
    const { copy, target, out } = await draw(Buffer.alloc(0), {}, { images: [image, missing] });
    const { text } = await show(target, out);
    expect(text.map((page) => page.includes('drawn'))).toEqual([false, true, false]);
    const file = await readFile(target);
    expect(copy.pictures.map(({ drawn }) => drawn)).toEqual([true, false]);
    for (const { offset, length, ...place } of copy.pictures) {
      const jpeg = file.subarray(offset, offset + length);
      expect(codedData(jpeg).equals(codedData(await readFile(image.picture.file)))).toBe(true);
      const { width, height } = await sharp(jpeg).metadata();
      expect(place).toMatchObject({ width, height, rotation });
    }
  },
);

test('a picture that many pages share is written once', async () => {
  const shared = await scan({ width: 620, height: 877 });
  const document = await PDFDocument.create();
  const image = await document.embedJpg(shared);
  for (let page = 0; page < 4; page++) {
    document.addPage([595, 842]).drawImage(image, { width: 595, height: 842 });
  }
  const source = Buffer.from(await document.save());
  const { copy, target } = await draw(source, {}, { images: (await extracted(source)).pages });
  expect(copy.pages).toBe(5);
  expect((await readFile(target)).toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(1);
});

test('a locked file and one with an invalid page tree are drawn in the size of their pages, and a column of a quarter', async () => {
  const content = '1 0 0 rg 100 600 100 50 re f';
  const untidy = rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Kids [3 0 R] /Count 1 >>',
    '<< /Parent 2 0 R /MediaBox [0 0 400 700] /Contents 4 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]);
  for (const [source, size] of [
    [lockedPdf, [595, 842]],
    [untidy, [400, 700]],
  ] as const) {
    const { copy, target } = await draw(source, {});
    expect(copy.pages).toBe(2);
    const { width, height } = (await PDFDocument.load(await readFile(target))).getPage(0).getSize();
    expect([width * 0.8, height]).toEqual(size);
  }
});

test('the summary holds candidate, total, marks and reasons, no remark twice, and no name on a blind exam', async () => {
  const plan: Partial<CheckedCopyPlan> = {
    candidate: { externalId: 'STU-417', name: null, rollNumber: '17' },
    questions: [
      {
        ...question,
        feedback: `${question.feedback} Not balanced.`,
        criteria: [...question.criteria, { name: 'Names', awarded: 1, max: 2, reason: 'One is missing' }],
      },
      { ...question, label: 'Q2', awarded: null, status: 'failed', feedback: null, criteria: [] },
    ],
  };
  const { target, out } = await draw(await textPdf([['Answer']]), plan);
  const summary = (await show(target, out, textOnly)).text[1];
  for (const part of [
    'Biology, Class X',
    'Candidate STU-417',
    'Roll number 17',
    '34.5 / 50',
    '69 %',
    '4.5 / 6',
    'Both stages are named.',
    'Not balanced',
    'Names 1 / 2: One is missing',
    'Could not be marked',
  ]) {
    expect(summary?.replace(/ +/g, ' ')).toContain(part);
  }
  expect(summary?.match(/Not balanced/g)).toHaveLength(1);
});

test('a criterion whose marks do not count is named with its reason and without figures', async () => {
  const summary = (await oddCopy()).text[2];
  expect(summary).toContain('Equation: Not balanced');
  expect(summary).not.toContain('—');
});

test('the summary shows the candidate’s name if it is given', async () => {
  expect((await oddCopy()).text[2]).toContain('Asha Rao');
});

test('a name and a title in a script that the font does not have are left out, never replaced by question marks', async () => {
  const plan = {
    examTitle: 'विज्ञान, कक्षा १०',
    candidate: { externalId: 'STU-417', name: 'आशा राव', rollNumber: '17' },
  };
  const { target, out } = await draw(await textPdf([['Answer']]), plan);
  const summary = (await show(target, out, textOnly)).text[1] ?? '';
  expect(summary).toMatch(/Candidate STU-417\s+·\s+Roll number 17/);
  expect(summary).not.toMatch(/[?…\u0900-\u097f]/);
});

test('the summary of 200 questions with long feedback shows every question', async () => {
  const questions = Array.from({ length: 200 }, (_, index) => ({
    ...question,
    label: `Question ${index + 1}`,
    section: index < 100 ? 'Part one' : 'Part two',
    // Only every eighth feedback is long, because four long ones fill a page.
    feedback: index % 8 === 0 ? `${'long feedback '.repeat(400)}the end` : 'Well put.',
  }));
  const { copy, target, out } = await draw(await textPdf([['Answer']]), { questions });
  expect(copy.pages).toBeGreaterThan(15);
  const text = (await show(target, out, textOnly)).text.join('\n').replaceAll('\n', ' ');
  for (const { label } of questions) expect(text).toMatch(new RegExp(`${label}\\b`));
  expect(text).not.toContain('the end');
  expect(text).toContain('…');
});

/** Page 1 with odd texts, criteria and boxes, page 2 with many marks at its foot, and no map of the writing. */
const oddCopy = once(async () => {
  const text = 'x² → ½ ₹5 ✓ आकाश 😀 e\u0301 \u0007 \ud800 ×';
  const annotations: Annotation[] = [
    { page: 1, kind: 'comment', box: { x: -4, y: 9, width: 80, height: -2 }, text },
    { page: 1, kind: 'mark', box: { x: 2, y: 2, width: 0, height: 0 }, text },
    { page: 1, kind: 'comment', box: { x: 0.5, y: 0.5, width: 0.1, height: 0.1 }, text: 'W'.repeat(5000) },
    { page: 1, kind: 'comment', box: { x: 0.5, y: 0.5, width: 0.1, height: 0.1 }, text: ' \n ' },
    { page: 99, kind: 'tick', box: { x: 0, y: 0, width: 1, height: 1 }, text: '' },
    ...Array.from({ length: 30 }, (_, index): Annotation => {
      const box = { x: 0.1, y: 0.9 + index * 0.002, width: 0.5, height: 0.01 };
      return { page: 2, kind: 'mark', box, text: `M${index}  1/2` };
    }),
  ];
  const { copy, target, out } = await draw(await textPdf([['Answer'], ['Answer']]), {
    candidate: { externalId: 'e', name: 'Asha Rao', rollNumber: null },
    annotations,
    questions: [
      { ...question, label: text, feedback: text },
      { ...question, criteria: [{ name: 'Equation', awarded: null, max: null, reason: 'Not balanced' }] },
    ],
  });
  expect(copy.pages).toBe(3);
  return show(target, out, textOnly);
});

test('words that the font cannot write become an ellipsis, and odd boxes stay on the page', async () => {
  const { text: shown, pages } = await oddCopy();
  expect(shown[2]).toContain('x² → ½ ₹5 ✓ …');
  expect(shown[2]).not.toMatch(/आ|\?/);
  for (const { box } of pages[0]?.textLines ?? []) {
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(1);
  }
});

test('marks of adjacent questions do not overlap', async () => {
  const { pages } = await oddCopy();
  const boxes = (pages[1]?.textLines ?? []).filter(({ text }) => /^M\d+/.test(text)).map(({ box }) => box);
  expect(boxes.length).toBe(30);
  for (const [index, box] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const apart =
        box.x + box.width <= other.x ||
        other.x + other.width <= box.x ||
        box.y + box.height <= other.y ||
        other.y + other.height <= box.y;
      expect(apart).toBe(true);
    }
  }
});

test('an aborted drawing leaves neither the target nor a partial file', async () => {
  await expect(draw(await scannedPdf([await scan()]), {}, { timeoutSeconds: 0.001 })).rejects.toMatchObject({
    code: 'timeout',
  });
  expect(await readdir(join(folder, String(runs - 1)))).toEqual([]);
});

test('a page picture that is more than a plain JPEG does not get into a checked copy', async () => {
  const { pages } = await extracted(await textPdf([['Answer']]), textOnly);
  const [page] = pages;
  if (page === undefined) throw new Error('no page');
  const jpeg = await readFile(page.picture.file);
  for (const odd of [Buffer.from('%PDF-1.7 nothing'), jpeg.subarray(0, -2)]) {
    await writeFile(page.picture.file, odd);
    await expect(draw(jpeg, {}, { images: pages })).rejects.toMatchObject({ code: 'unreadable' });
  }
  await writeFile(page.picture.file, Buffer.concat([jpeg, Buffer.from('TRAILING')]));
  const { target } = await draw(jpeg, {}, { images: pages });
  expect((await readFile(target)).includes('TRAILING')).toBe(false);
});
