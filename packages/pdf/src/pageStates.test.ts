import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageImage } from './index.ts';
import { stretchContrast } from './pages/contrast.ts';
import { extract } from './pages/extract.ts';
import { toGrey, toSharp } from './pages/raster.ts';
import { render } from './pages/render.ts';
import { findScans } from './pages/scannerJpeg.ts';
import { Pdfium } from './pdfium.ts';
import { rawPdf, scan, scannedPdf } from '../test/pdfs.ts';
import { PAGE_LONG_SIDE } from './types.ts';

/*
 * No page with an answer counts as clean, and the picture of a page is what a viewer shows. Runs in this process,
 * because none of these files needs much time or memory.
 */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'states-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const pagesOf = async (bytes: Buffer): Promise<PageImage[]> => {
  const outDir = await mkdtemp(join(folder, 'copy-'));
  const file = join(outDir, 'copy.pdf');
  await writeFile(file, bytes);
  const pages: PageImage[] = [];
  await extract(
    { kind: 'extract', file, outDir, firstPage: 1, lastPage: null, longSide: PAGE_LONG_SIDE },
    { page: async (page) => void pages.push(page), beforeNativeDecoding: async () => {} },
  );
  return pages;
};

/** A second page behind a page that can be read, because a copy without any readable page fails as a whole. */
const stateOf = async (bytes: Buffer): Promise<string | undefined> => (await pagesOf(bytes)).at(-1)?.state;

const [WIDTH, HEIGHT] = [1240, 1754];
const picture = (content: string, paper = '#fff'): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="${paper}"/>${content}</svg>`,
    ),
  )
    .jpeg({ quality: 85 })
    .toBuffer();
const words = (colour: string, y = 800) =>
  `<text x="140" y="${y}" font-family="DejaVu Sans" font-size="38" fill="${colour}">Plants need sunlight and water</text>`;

/** Noise of a scanner: levels between `least` and `least` + `spread`. */
const noise = (least: number, spread: number): Promise<Buffer> => {
  const data = randomBytes(WIDTH * HEIGHT).map((byte) => least + (byte % (spread + 1)));
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
    .blur(0.8)
    .jpeg({ quality: 85 })
    .toBuffer();
};

describe('a scanned page is read if anything may be written on it', () => {
  test.each<[what: string, state: string, content: string, paper?: string]>([
    ['dark ink', 'written', words('#223a7a')],
    ['pencil of 229 on 255', 'written', words('#e5e5e5')],
    ['pencil of 176 on grey paper of 202', 'written', words('#b0b0b0', 800), '#cacaca'],
    ['pencil of 243 on 255', 'doubtful', words('#f3f3f3')],
    ['a pale yellow pen', 'doubtful', words('#fffac0')],
    ['one small letter', 'written', '<text x="300" y="900" font-size="20" fill="#333">B</text>'],
    ['one line at the upper edge', 'written', words('#333', 30)],
    ['nothing', 'clean', ''],
    ['nothing, on grey paper', 'clean', '', '#c8c4b8'],
    ['the shadow of the sheet’s edge', 'clean', '<rect width="1240" height="9" fill="#888"/>'],
    [
      'specks of dust',
      'clean',
      '<circle cx="400" cy="500" r="1" fill="#999"/><circle cx="900" cy="900" r="1" fill="#777"/>',
    ],
  ])('%s: %s', async (_, state, content, paper) => {
    expect(await stateOf(await scannedPdf([await picture(content, paper)]))).toBe(state);
  });

  test.each([
    [238, 6],
    [200, 10],
  ])('an empty page with the noise of a scanner (levels %i + %i) is clean', async (least, spread) => {
    expect(await stateOf(await scannedPdf([await noise(least, spread)]))).toBe('clean');
  });
});

const stream = (dictionary: string, data: Buffer | string): string =>
  `<< ${dictionary} /Length ${Buffer.byteLength(data, 'latin1')} >>\nstream\n${data.toString('latin1')}\nendstream`;
const image = (entries: string, data: Buffer, colours = '/DeviceGray', bits = 8) =>
  stream(
    `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} /ColorSpace ${colours} /BitsPerComponent ${bits} ${entries}`,
    data,
  );

/** Page 1: a scan. Page 2: `content`, with `objects` as 8, 9, … and `/Im` as object 8. */
const withPage = async (content: string, objects: string[], page = ''): Promise<Buffer> => {
  const first = await scan({ lines: 10 });
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /XObject << /Im 6 0 R >> >> >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 7 0 R /Resources << /XObject << /Im 8 0 R >> /ExtGState << /G 9 0 R >> >> ${page} >>`,
    stream('', 'q 595 0 0 842 0 0 cm /Im Do Q'),
    image('/Filter /DCTDecode', first, '/DeviceRGB'),
    stream('', content),
    ...objects,
  ]);
};
const PLACED = 'q 595 0 0 842 0 0 cm /Im Do Q';
const grey = async () =>
  sharp(await picture(words('#333')))
    .toColourspace('b-w')
    .jpeg()
    .toBuffer();
const form = (resources: string) =>
  stream(
    `/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /Im ${resources} >> >>`,
    PLACED,
  );
const rows = randomBytes(WIDTH * HEIGHT);

describe('a page that could not be drawn in full is not_drawn', () => {
  test.each<[what: string, file: () => Promise<Buffer>]>([
    [
      'JBIG2 that no decoder takes',
      () =>
        withPage(PLACED, [
          image(
            '/Filter /JBIG2Decode',
            Buffer.concat([Buffer.from('\x97JB2\r\n', 'latin1'), Buffer.alloc(400)]),
            '/DeviceGray',
            1,
          ),
        ]),
    ],
    [
      'compressed rows cut after 30 bytes',
      () => withPage(PLACED, [image('/Filter /FlateDecode', deflateSync(rows).subarray(0, 30))]),
    ],
    [
      'a JPEG cut short inside a form',
      async () =>
        withPage(PLACED, [form('9 0 R'), image('/Filter /DCTDecode', (await grey()).subarray(0, 400))]),
    ],
    ['a picture that the file lacks', () => withPage('q 595 0 0 842 0 0 cm /Lost Do Q', [])],
    ['a page of one dark colour', async () => scannedPdf([await scan(), await picture('', '#222')])],
    [
      'a polyline without appearance',
      () =>
        withPage(
          '',
          ['null'],
          '/Annots [ << /Type /Annot /Subtype /PolyLine /Rect [50 50 300 300] /Vertices [60 60 200 200 250 90] /C [0 0 1] >> ]',
        ),
    ],
  ])('%s', async (_, file) => {
    expect(await stateOf(await file())).toBe('not_drawn');
  });

  test.each<[what: string, state: string, file: () => Promise<Buffer>]>([
    ['an empty page', 'clean', () => withPage('', ['null'])],
    [
      'a picture of white rows',
      'clean',
      () => withPage(PLACED, [image('/Filter /FlateDecode', deflateSync(Buffer.alloc(WIDTH * HEIGHT, 255)))]),
    ],
    [
      'ink without appearance',
      'written',
      () =>
        withPage(
          '',
          ['null'],
          '/Annots [ << /Type /Annot /Subtype /Ink /Rect [50 50 300 300] /InkList [[60 60 200 200 250 90]] /C [0 0 1] /BS << /W 3 >> >> ]',
        ),
    ],
    [
      'a hidden polyline',
      'clean',
      () =>
        withPage(
          '',
          ['null'],
          '/Annots [ << /Type /Annot /Subtype /PolyLine /F 2 /Rect [50 50 300 300] /Vertices [60 60 200 200] >> ]',
        ),
    ],
  ])('%s is %s', async (_, state, file) => {
    expect(await stateOf(await file())).toBe(state);
  });
});

/** Mean difference of grey levels between the picture that is graded and PDFium’s drawing of the last page. */
const differenceFromViewer = async (bytes: Buffer): Promise<number> => {
  const graded = (await pagesOf(bytes)).at(-1)!;
  const document = (await Pdfium.start()).open(bytes);
  if (typeof document === 'string') throw new Error(document);
  const drawn = await document.withPage(document.pageCount, (page) => render(page, 620, 877));
  if (drawn !== null) stretchContrast(drawn, toGrey(drawn));
  const cells = (source: Sharp) =>
    source.resize(70, 100, { fit: 'fill' }).removeAlpha().toColourspace('srgb').raw().toBuffer();
  const [seen, shown] = await Promise.all([cells(sharp(graded.file)), cells(toSharp(drawn!))]);
  return seen.reduce((sum, value, at) => sum + Math.abs(value - shown[at]!), 0) / seen.length;
};

describe('the JPEG of a scanner is taken only if it is what the page shows', () => {
  const jpeg = async (entries: string, content = PLACED, state = 'null') =>
    withPage(content, [
      image(`/Filter /DCTDecode ${entries}`, await scan(), '/DeviceRGB'),
      state,
      '[1 0 1 0 1 0]',
    ]);
  const scansOf = async (bytes: Buffer) => {
    const document = (await Pdfium.start()).open(bytes);
    if (typeof document === 'string') throw new Error(document);
    return [...(await findScans(document, bytes, 1, 2))];
  };

  test.each<[what: string, file: () => Promise<Buffer>]>([
    ['an indirect /Decode', () => jpeg('/Decode 10 0 R')],
    ['a /Decode with a line break', () => jpeg('/Decode\n[1 0 1 0 1 0]')],
    ['an escaped name of /Decode', () => jpeg('/#44ecode [1 0 1 0 1 0]')],
    ['no colour transform', () => jpeg('/DecodeParms << /ColorTransform 0 >>')],
    ['a clip', () => jpeg('', `q 0 500 595 342 re W n ${PLACED} Q`)],
    [
      'a transfer function',
      () => jpeg('', `/G gs ${PLACED}`, '<< /TR << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >> >>'),
    ],
    ['a blend with the paper', () => jpeg('', `/G gs ${PLACED}`, '<< /ca 0.5 >>')],
  ])('%s is drawn as by a viewer', async (_, file) => {
    const bytes = await file();
    expect(await scansOf(bytes)).toEqual([1]);
    expect(await differenceFromViewer(bytes)).toBeLessThan(8);
  });

  test('a plain scan is taken, also turned, moved off the origin, or shared by pages', async () => {
    for (const rotate of [0, 90, 180, 270]) {
      const bytes = await scannedPdf([await scan(), await scan()], { rotate, crop: [30, 40] });
      expect(await scansOf(bytes)).toEqual([1, 2]);
      expect(await differenceFromViewer(bytes)).toBeLessThan(8);
    }
  });
});
