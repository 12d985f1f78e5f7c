import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { prepareZXingModule } from 'zxing-wasm/reader';
import { cutCopies } from '../paper/cut.ts';
import { drawPages } from '../paper/drawPages.ts';
import { lookAt } from '../paper/lookAt.ts';
import { makeStack, STACK_KINDS, type MadeStack, type StackKind } from './makeStack.ts';
import { isImpossible, keptPages, planOf, type Rule, type StackPage } from './plan.ts';

/* `STACK_COPIES=30 STACK_SEED=7` makes larger stacks from another seed. */
const COPIES = Number(process.env['STACK_COPIES'] ?? 3);
const SEED = Number(process.env['STACK_SEED'] ?? 1);

const require = createRequire(import.meta.url);
const binary = await readFile(require.resolve('zxing-wasm/reader/zxing_reader.wasm'));
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(binary).buffer } });
const library = await PDFiumLibrary.init();

const lookAtStack = async ({ files }: MadeStack): Promise<StackPage[]> => {
  const pages: StackPage[] = [];
  for (const { name, content } of files) {
    const isPhoto = name.endsWith('.jpg');
    const file = { key: name, name, isPhoto };
    if (isPhoto) {
      const { data, info } = await sharp(content)
        .resize(1000)
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const look = await lookAt({
        data: new Uint8ClampedArray(data),
        width: info.width,
        height: info.height,
      });
      pages.push({ ...look, key: name, file, index: 0 });
    } else
      for await (const { index, ...pixels } of drawPages(library, content))
        pages.push({ ...(await lookAt(pixels)), key: `${name} ${index}`, file, index });
  }
  return pages;
};

const ruleFor = (kind: StackKind): Rule => {
  if (kind.startsWith('no covers')) return { kind: 'count', pages: 4 };
  return { kind: kind === 'blank separators' ? 'blank' : 'covers' };
};
const nothing = { pages: new Map(), candidates: new Map(), handedOver: new Set<string>() };

test.each(STACK_KINDS)(
  '%s: each page is in the right copy or in one that a person is asked about, and none is lost',
  async (kind) => {
    // A photo takes ten times as long to make.
    const stack = await makeStack(kind, kind.endsWith('photographed') ? Math.ceil(COPIES / 2) : COPIES, SEED);
    const pages = await lookAtStack(stack);
    expect(pages).toHaveLength(stack.truth.length);
    const copies = planOf(
      pages,
      ruleFor(kind),
      { examId: stack.examId, candidates: new Set(stack.candidates) },
      nothing,
    );
    const truthOf = new Map(pages.map(({ key }, index) => [key, stack.truth[index]]));
    expect(copies.flatMap((copy) => copy.pages.map(({ key }) => key))).toEqual(pages.map(({ key }) => key));
    for (const copy of copies) {
      const owners = new Set(keptPages(copy).map(({ key }) => truthOf.get(key)?.candidate));
      const isRight = owners.size === 1 && owners.has(copy.candidate ?? '');
      expect(isRight || copy.candidate === null || copy.doubts.length > 0, JSON.stringify(copy.doubts)).toBe(
        true,
      );
      for (const { key, isLeftOut } of copy.pages)
        if (isLeftOut) expect(typeof truthOf.get(key)?.number).toBe('string');
    }
    // What is right is not doubted for nothing.
    const isPlain = [
      'covers',
      'covers, backs blank',
      'covers, two copies swapped',
      'covers, coloured paper',
      'covers, photographed',
    ];
    if (isPlain.includes(kind))
      expect(copies.map(({ candidate, doubts }) => [candidate, doubts])).toEqual(
        copies.map(({ pages: [first] }) => [truthOf.get(first?.key ?? '')?.candidate, []]),
      );
    expect(copies.some(isImpossible)).toBe(false);
  },
);

test('copies are cut with their turns, and photos become pages', async () => {
  const [paper, photos] = [
    await makeStack('covers', 2, SEED),
    await makeStack('covers, photographed', 1, SEED),
  ];
  const sources = new Map(
    [...paper.files, ...photos.files].map(({ name, content }) => [
      name,
      { kind: name.endsWith('.jpg') ? 'jpeg' : 'pdf', bytes: () => Promise.resolve(content) } as const,
    ]),
  );
  const cut: Uint8Array[] = [];
  for await (const copy of cutCopies(
    [
      [
        { file: 'class.pdf', index: 1, turn: 0 },
        { file: 'class.pdf', index: 2, turn: 90 },
      ],
      [{ file: 'IMG_1001.jpg', index: 0, turn: 180 }],
    ],
    sources,
  ))
    cut.push(copy);
  const read = await Promise.all(cut.map((copy) => PDFDocument.load(copy)));
  expect(read.map((copy) => copy.getPages().map((page) => page.getRotation().angle))).toEqual([
    [0, 90],
    [180],
  ]);
  const [width = 0, height = 0] = Object.values(read[1]?.getPage(0).getSize() ?? {});
  expect(Math.max(width, height)).toBeLessThan(843);
});

test('a cover without a candidate begins a copy and stays in it, for its boxes to be read', () => {
  const file = { key: 'f', name: 'class.pdf', isPhoto: false };
  const page = (index: number, cover: StackPage['cover']): StackPage => ({
    key: `f ${index}`,
    file,
    index,
    cover,
    turn: 0,
    isBlank: false,
  });
  const blank = { exam_id: 'e', candidate_id: null };
  const pages = [page(0, blank), page(1, null), page(2, blank), page(3, null)];
  const copies = planOf(pages, { kind: 'covers' }, { examId: 'e', candidates: new Set() }, nothing);
  expect(copies.map((copy) => [copy.candidate, keptPages(copy).length, copy.doubts])).toEqual([
    [null, 2, []],
    [null, 2, []],
  ]);
});
