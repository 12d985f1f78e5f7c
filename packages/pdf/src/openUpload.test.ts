import { PDFDocument } from '#pdf-lib';
import { expect, test } from 'vitest';
import { openUpload } from './openUpload.ts';
import { addScan, lockedPdf, passwordPdf, scan } from '../test/pdfs.ts';

/** A PDF of three pages, with a text table or with object streams and a cross-reference stream. */
const threePages = async (useObjectStreams: boolean): Promise<Buffer> => {
  const document = await PDFDocument.create();
  for (const lines of [3, 4, 5]) {
    await addScan(document, await scan({ width: 300, height: 424, lines }));
  }
  return Buffer.from(await document.save({ useObjectStreams }));
};

const latin = (file: Buffer) => file.toString('latin1');
const bytes = (text: string) => Buffer.from(text, 'latin1');
const tableOf = (file: Buffer) => Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(latin(file))?.[1]);
const withoutTable = (file: Buffer) => file.subarray(0, tableOf(file));
const inTable = (file: Buffer, change: (table: string) => string) =>
  bytes(latin(withoutTable(file)) + change(latin(file.subarray(tableOf(file)))));

/** Number of objects on each page; a page whose content was not found has 0. */
const pagesOf = async (
  file: Buffer,
): Promise<{ objects: (number | null)[]; isRepaired: boolean } | string> => {
  const opened = await openUpload(file);
  if (typeof opened === 'string') return opened;
  const { document, isRepaired } = opened;
  const objects = [];
  for (let page = 1; page <= document.pageCount; page++) {
    objects.push(
      await document.withPage(page, ({ handle }) => document.pdfium.native._FPDFPage_CountObjects(handle)),
    );
  }
  document.close();
  return { objects, isRepaired };
};

const damages: Record<string, (file: Buffer) => Buffer> = {
  'the way to the table is wrong': (file) =>
    inTable(file, (table) => table.replace(/startxref\n\d+/, 'startxref\n17')),
  'the table is noise': (file) =>
    Buffer.concat([
      withoutTable(file),
      Buffer.from(Array.from({ length: 900 }, (_, index) => (index * 7919) % 251)),
      Buffer.from('\n%%EOF\n'),
    ]),
  'the table is gone': (file) => Buffer.concat([withoutTable(file), Buffer.from('%%EOF\n')]),
  'bytes were put in': (file) =>
    Buffer.concat([file.subarray(0, 9), Buffer.from('%%%%%%%%\n'), file.subarray(9)]),
  'something else follows the end': (file) => Buffer.concat([file, Buffer.alloc(6000, 0)]),
};

test.each(
  Object.entries(damages).flatMap(([name, damage]) =>
    [false, true].map((isPacked) => ({ name, objects: isPacked ? 'packed' : 'plain', isPacked, damage })),
  ),
)('all pages of a scan are found where $name, objects $objects', async ({ isPacked, damage }) => {
  expect(await pagesOf(damage(await threePages(isPacked)))).toEqual({ objects: [1, 1, 1], isRepaired: true });
});

test.each<[string, (table: string) => string]>([
  [
    'all offsets are wrong',
    (table) => table.replaceAll(/\d{10}(?= 00000 n)/g, (at) => String(Number(at) + 3).padStart(10, '0')),
  ],
  [
    'offsets are swapped',
    (table) => {
      const offsets = [...table.matchAll(/(\d{10}) 00000 n/g)].map(([, at]) => at);
      return table.replaceAll(/\d{10}(?= 00000 n)/g, () => offsets.pop() ?? '');
    },
  ],
  ['it counts from 1', (table) => table.replace('xref\n0 ', 'xref\n1 ')],
  ['the trailer names no catalog', (table) => table.replace(/\/Root \d+ 0 R/, '')],
  ['the trailer names another object as catalog', (table) => table.replace(/\/Root \d+ 0 R/, '/Root 1 0 R')],
  ['it says nothing of a trailer', (table) => table.replace('trailer', 'tr')],
])('all pages of a scan are found despite a wrong table: %s', async (_, change) => {
  expect(await pagesOf(inTable(await threePages(false), change))).toEqual({
    objects: [1, 1, 1],
    isRepaired: true,
  });
});

test('one wrong offset loses no page, which PDFium alone would show empty', async () => {
  const whole = await threePages(false);
  const offsets = [...latin(whole.subarray(tableOf(whole))).matchAll(/(\d{10}) 00000 n/g)].map(
    ([, at]) => at ?? '',
  );
  for (const at of offsets) {
    const opened = await pagesOf(
      inTable(whole, (table) => table.replace(`${at} 00000 n`, '0000000500 00000 n')),
    );
    expect(opened).toEqual({ objects: [1, 1, 1], isRepaired: true });
  }
});

test('an intact file is not repaired, also with bytes in front of it', async () => {
  for (const isPacked of [false, true]) {
    const whole = await threePages(isPacked);
    for (const front of ['', '%junk\n', '\n'.repeat(900)]) {
      const opened = await openUpload(Buffer.concat([Buffer.from(front), whole]));
      expect(opened).toMatchObject({ isRepaired: false });
    }
  }
});

test('a locked file without its table is opened, one with a password is not', async () => {
  const lost = (file: Buffer) => inTable(file, (table) => table.replace(/startxref\n\d+/, 'startxref\n5'));
  expect(await openUpload(lost(lockedPdf))).toMatchObject({ isRepaired: true });
  expect(await openUpload(passwordPdf)).toBe('password');
  expect(await openUpload(lost(passwordPdf))).toBe('password');
});

test('a file without its end is incomplete, even if its first pages are found', async () => {
  for (const isPacked of [false, true]) {
    const whole = await threePages(isPacked);
    for (const length of [whole.length * 0.5, whole.length * 0.9, tableOf(whole) + 12]) {
      expect(await openUpload(whole.subarray(0, Math.floor(length)))).toBe('incomplete');
    }
  }
  expect(await pagesOf((await threePages(false)).subarray(0, -4))).toMatchObject({ objects: [1, 1, 1] });
});

test('a file without a catalog is corrupt', async () => {
  for (const text of [
    '%PDF-1.7\n%%EOF\n',
    '%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF',
    `%PDF-1.7\n${'1 0 obj '.repeat(50_000)}\n%%EOF`,
  ]) {
    expect(await openUpload(bytes(text))).toBe('corrupt');
  }
});
