import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from '#pdf-lib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inspectPdf } from './index.ts';
import { claimSize, lockedPdf, passwordPdf, rawPdf, scan, scannedPdf } from '../test/pdfs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspect-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
const inspect = async (bytes: Buffer, timeoutSeconds = 20) => {
  const file = join(folder, `${files++}.pdf`);
  await writeFile(file, bytes);
  return inspectPdf(file, { timeoutSeconds });
};

const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const onePage = (mediaBox: string) =>
  rawPdf([
    catalog,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox ${mediaBox} >>`,
  ]);

test('a scanned copy is ok with its page count and the hash of its bytes', async () => {
  const bytes = await scannedPdf([
    await scan({ width: 300, height: 424 }),
    await scan({ width: 300, height: 424 }),
  ]);
  expect(await inspect(bytes)).toEqual({
    ok: true,
    pages: 2,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isRepaired: false,
  });
});

test('an 81-page file is ok and counted', async () => {
  const document = await PDFDocument.create();
  for (let page = 0; page < 81; page++) document.addPage([595, 842]);
  expect(await inspect(Buffer.from(await document.save()))).toMatchObject({ ok: true, pages: 81 });
});

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['a picture', Buffer.from('\u0089PNG\r\n\u001a\n'.repeat(500), 'latin1')],
  ['a text that names PDF after the first kilobyte', Buffer.from(`${' '.repeat(1030)}%PDF-1.7`)],
])('%s is not_pdf', async (_, bytes) => {
  expect(await inspect(bytes)).toMatchObject({ ok: false, code: 'not_pdf' });
});

test('a file with a password for opening is encrypted, with advice', async () => {
  expect(await inspect(passwordPdf)).toEqual({
    ok: false,
    code: 'encrypted',
    reason: 'The file is protected by a password. Save it without a password and upload it again.',
  });
});

test('a file locked against changes only is ok', async () => {
  expect(await inspect(lockedPdf)).toMatchObject({ ok: true, pages: 1 });
});

test('a file without its end is incomplete, for any cut', async () => {
  const page = await scan({ width: 300, height: 424 });
  const bytes = await scannedPdf([page, page, page]);
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    expect(await inspect(bytes.subarray(0, Math.floor(bytes.length * share)))).toMatchObject({
      ok: false,
      code: 'incomplete',
    });
  }
});

test('a header followed by noise is incomplete', async () => {
  const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));
  expect(await inspect(Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]))).toMatchObject({
    ok: false,
    code: 'incomplete',
  });
});

test('a page tree without pages is no_pages', async () => {
  expect(await inspect(rawPdf([catalog, '<< /Type /Pages /Kids [] /Count 0 >>']))).toMatchObject({
    ok: false,
    code: 'no_pages',
  });
});

test('a page tree with a cycle is refused', async () => {
  const loop = rawPdf([catalog, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4 /Parent 2 0 R >>']);
  const inspection = await inspect(loop);
  expect(inspection.ok).toBe(false);
});

test('a page tree with fewer pages than it states is refused', async () => {
  const lie = rawPdf([
    catalog,
    '<< /Type /Pages /Kids [3 0 R] /Count 50 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  ]);
  expect(await inspect(lie)).toMatchObject({ ok: false, code: 'page_damaged' });
});

test.each(['[0 0 1000000 1000000]', '[0 0 3 842]', '[0 0 14000 100]', '[0 0 0.5 0.7]'])(
  'a page of %s points is page_size and names the page',
  async (mediaBox) => {
    const inspection = await inspect(onePage(mediaBox));
    expect(inspection).toMatchObject({ ok: false, code: 'page_size' });
    expect(inspection).toHaveProperty('reason', expect.stringContaining('Page 1'));
  },
);

test('long pages that would be read in more than 80 parts are refused, and named', async () => {
  const pagesOf = (count: number, height: number): Buffer =>
    rawPdf([
      catalog,
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${count} >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 ${height}] >>`,
    ]);
  expect(await inspect(pagesOf(20, 3368))).toMatchObject({ ok: true });
  expect(await inspect(pagesOf(21, 3368))).toMatchObject({ ok: false, code: 'page_size', page: 21 });
  expect(await inspect(pagesOf(81, 842))).toMatchObject({ ok: true });
});

const sharedPicture = (pages: number, [width, height]: [number, number], bits: 1 | 8 | 24): Buffer => {
  const content = 'q 595 0 0 842 0 0 cm /P Do Q';
  const packed = deflateSync(Buffer.alloc(Math.ceil((width * bits) / 8) * height), { level: 9 }).toString(
    'latin1',
  );
  const space = bits === 24 ? 'DeviceRGB' : 'DeviceGray';
  return rawPdf([
    catalog,
    `<< /Type /Pages /Kids [${Array.from({ length: pages }, (_, page) => `${page + 5} 0 R`).join(' ')}] /Count ${pages} >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${space} /BitsPerComponent ${bits === 1 ? 1 : 8} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`,
    ...Array.from(
      { length: pages },
      () =>
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /XObject << /P 4 0 R >> >> >>',
    ),
  ]);
};

test('40 pages that share a picture of 64 megapixels are refused, with advice', async () => {
  const bomb = sharedPicture(40, [8000, 8000], 24);
  expect(bomb.length).toBeLessThan(250_000);
  expect(await inspect(bomb)).toEqual({
    ok: false,
    code: 'too_many_pixels',
    reason:
      'The pictures in the file are too large to be read. Scan the copy at 300 dpi, or save it with smaller pictures, and upload the new file.',
  });
});

test.each<[string, [number, number], 1 | 8 | 24]>([
  ['600 dpi in black and white', [4960, 7016], 1],
  ['600 dpi in grey', [4960, 7016], 8],
  ['300 dpi in colour', [2480, 3508], 24],
])('80 pages of A4 at %s are ok', async (_, size, bits) => {
  expect(await inspect(sharedPicture(80, size, bits))).toMatchObject({ ok: true, pages: 80 });
});

test('80 scans of A4 at 600 dpi in colour are ok, each page one JPEG', async () => {
  const jpeg = claimSize(await scan({ width: 300, height: 424 }), 4960, 7016);
  const document = await PDFDocument.create();
  const image = await document.embedJpg(jpeg);
  for (let page = 0; page < 80; page++) {
    document.addPage([595, 842]).drawImage(image, { width: 595, height: 842 });
  }
  expect(await inspect(Buffer.from(await document.save()))).toMatchObject({ ok: true, pages: 80 });
});

test('a page tree that names a page twice has two pages, and tiny pages with large pictures are ok', async () => {
  const twice = rawPdf([
    catalog,
    '<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 59.5 84.2] /UserUnit 10 >>',
  ]);
  expect(await inspect(twice)).toMatchObject({ ok: true, pages: 2 });
  const tiny = await scannedPdf([await scan({ width: 300, height: 424 })], { size: [8.27, 11.69] });
  expect(await inspect(tiny)).toMatchObject({ ok: true, pages: 1 });
});

test('a file with a damaged table is ok and isRepaired', async () => {
  const whole = await scannedPdf([await scan({ width: 300, height: 424 })]);
  const damaged = Buffer.from(whole.toString('latin1').replace(/startxref\s+\d+/, 'startxref\n5'), 'latin1');
  expect(await inspect(damaged)).toMatchObject({ ok: true, pages: 1, isRepaired: true });
});

test('a 200-inch page is ok', async () => {
  expect(await inspect(onePage('[0 0 14400 14400]'))).toMatchObject({ ok: true, pages: 1 });
});

test('objects that unpack to a hundred thousand times their size are refused', async () => {
  // In place of the page tree, the object stream holds 300 MB of spaces, compressed twice into a few kilobytes.
  const unpacked = Buffer.alloc(300 * 2 ** 20, ' ');
  const packed = deflateSync(deflateSync(unpacked, { level: 1 }), { level: 9 });
  const stream = `<< /Type /ObjStm /N 1 /First 10 /Filter [/FlateDecode /FlateDecode] /Length ${packed.length} >>\nstream\n${packed.toString('latin1')}\nendstream`;
  const objects = ['%PDF-1.7\n', `1 0 obj\n${catalog}\nendobj\n`, `3 0 obj\n${stream}\nendobj\n`];
  const at = (index: number) => Buffer.byteLength(objects.slice(0, index).join(''), 'latin1');
  const entry = (type: number, offset: number, rest: number) =>
    Buffer.from([type, offset >> 16, (offset >> 8) & 255, offset & 255, rest]);
  const entries = Buffer.concat([
    entry(0, 0, 255),
    entry(1, at(1), 0),
    entry(2, 3, 0),
    entry(1, at(2), 0),
    entry(1, at(3), 0),
  ]).toString('latin1');
  objects.push(
    `4 0 obj\n<< /Type /XRef /Size 5 /W [1 3 1] /Root 1 0 R /Length ${entries.length} >>\nstream\n${entries}\nendstream\nendobj\nstartxref\n${at(3)}\n%%EOF`,
  );
  const inspection = await inspect(Buffer.from(objects.join(''), 'latin1'));
  expect(inspection.ok).toBe(false);
});

test('a file that takes too long is too_complex', async () => {
  expect(await inspect(onePage('[0 0 595 842]'), 0.001)).toMatchObject({ ok: false, code: 'too_complex' });
});

test('a missing file throws', async () => {
  await expect(inspectPdf(join(folder, 'none.pdf'), { timeoutSeconds: 5 })).rejects.toThrow('ENOENT');
});

describe('a file whose pages are only a cover', () => {
  const attached = async (more: (document: PDFDocument) => void): Promise<Buffer> => {
    const document = await PDFDocument.create();
    document.addPage([595, 842]);
    await document.attach(await scannedPdf([await scan({ width: 300, height: 424 })]), 'answers.pdf');
    more(document);
    return Buffer.from(await document.save());
  };

  test('a portfolio is refused, and an attachment beside a copy is allowed', async () => {
    const portfolio = await attached(({ catalog: entries, context }) =>
      entries.set(PDFName.of('Collection'), context.obj({ Type: 'Collection', View: 'T' })),
    );
    expect(await inspect(portfolio)).toMatchObject({ ok: false, code: 'portfolio' });
    expect(await inspect(await attached(() => {}))).toMatchObject({ ok: true, pages: 1 });
  });

  test('a form that only Adobe software draws is refused', async () => {
    const xfa = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA [(template) 4 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
      '<< /Length 0 >>\nstream\n\nendstream',
    ]);
    expect(await inspect(xfa)).toMatchObject({ ok: false, code: 'form_without_pages' });
  });
});
