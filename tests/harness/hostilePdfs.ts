import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { writePdf, type PdfObject } from './pdfFile.ts';

/* Small files that take excessive time or memory to open. */

const withPages = (tree: string, ...objects: (string | PdfObject)[]): Buffer =>
  writePdf(
    [`<< /Type /Catalog /Pages 2 0 R >>`, tree, ...objects].map((object) =>
      typeof object === 'string' ? { dictionary: object } : object,
    ),
    '/Root 1 0 R',
  );

const onePage = (page: string, ...objects: (string | PdfObject)[]): Buffer =>
  withPages(
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${page} >>`,
    ...objects,
  );

const stream = (bytes: Buffer, dictionary = ''): PdfObject => ({
  dictionary: `<< ${dictionary} /Length ${bytes.byteLength} >>`,
  stream: bytes,
});

/** Deflates `megabytes` of repeated text, a thousand times smaller, without holding the text in memory. */
const packed = (text: string, megabytes: number): Buffer => {
  const megabyte = Buffer.alloc(2 ** 20 - (2 ** 20 % text.length), text);
  // The block refers to no earlier data, so it can be repeated.
  const block = deflateRawSync(megabyte, { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: megabytes }, () => block),
    deflateRawSync(Buffer.alloc(0)),
    // A wrong checksum: it is read only after everything is unpacked, which must not happen.
    Buffer.alloc(4),
  ]);
};

export const pageTreeLoop = (): Buffer =>
  withPages('<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4 /Parent 2 0 R >>');

export const noPages = (): Buffer => withPages('<< /Type /Pages /Kids [] /Count 0 >>');

/** Declares 100,000 pages, and has one. */
export const promisedPages = (): Buffer =>
  withPages(
    '<< /Type /Pages /Kids [3 0 R] /Count 100000 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  );

/** Has 100,000 pages: one page object, referenced 100,000 times. */
export const manyPages = (): Buffer =>
  withPages(
    `<< /Type /Pages /Kids [${'3 0 R '.repeat(100_000)}] /Count 100000 >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  );

/** A page below 20,000 nodes of the page tree, each with one child. */
export const deepTree = (): Buffer => {
  const depth = 20_000;
  const nodes = Array.from(
    { length: depth },
    (_, level) => `<< /Type /Pages /Parent ${level + 2} 0 R /Kids [${level + 4} 0 R] /Count 1 >>`,
  );
  return withPages(
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    ...nodes,
    `<< /Type /Page /Parent ${depth + 2} 0 R /MediaBox [0 0 595 842] >>`,
  );
};

/** The page tree inside 600 MB of spaces, compressed twice into a few kilobytes. */
export const objectStreamBomb = (): Buffer => {
  const inside = deflateSync(packed(' ', 600), { level: 9 });
  const parts = [
    Buffer.from('%PDF-1.7\n'),
    Buffer.from('1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n'),
    Buffer.concat([
      Buffer.from(
        `3 0 obj\n<< /Type /ObjStm /N 1 /First 10 /Filter [/FlateDecode /FlateDecode] /Length ${inside.byteLength} >>\nstream\n`,
      ),
      inside,
      Buffer.from('\nendstream\nendobj\n'),
    ]),
  ];
  const at = (index: number) => parts.slice(0, index).reduce((sum, part) => sum + part.byteLength, 0);
  const entry = (type: number, place: number, rest: number) => {
    const bytes = Buffer.alloc(6);
    bytes.writeUInt8(type, 0);
    bytes.writeUInt32BE(place, 1);
    bytes.writeUInt8(rest, 5);
    return bytes;
  };
  const entries = Buffer.concat([
    entry(0, 0, 255),
    entry(1, at(1), 0),
    entry(2, 3, 0),
    entry(1, at(2), 0),
    entry(1, at(3), 0),
  ]);
  return Buffer.concat([
    ...parts,
    Buffer.from(
      `4 0 obj\n<< /Type /XRef /Size 5 /W [1 4 1] /Root 1 0 R /Length ${entries.byteLength} >>\nstream\n`,
    ),
    entries,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${at(3)}\n%%EOF\n`),
  ]);
};

/** 700 MB of drawing operators, compressed to less than 1 MB. */
export const contentBomb = (): Buffer =>
  onePage('/Contents 4 0 R', stream(packed('0 0 1 1 re f\n', 700), '/Filter /FlateDecode'));

/** 100,000 transparent layers: little to unpack, minutes to draw. */
export const endlessDrawing = (): Buffer =>
  onePage(
    '/Contents 4 0 R /Resources << /ExtGState << /G 5 0 R >> >>',
    stream(Buffer.from(`/G gs\n${'0 0 595 842 re f\n'.repeat(100_000)}`)),
    '<< /Type /ExtGState /ca 0.5 /BM /Luminosity >>',
  );

/** A form that draws itself twice, recursively. */
export const formLoop = (): Buffer =>
  onePage(
    '/Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >>',
    stream(
      Buffer.from('/X Do /X Do'),
      '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 4 0 R >> >>',
    ),
    stream(Buffer.from('/X Do')),
  );

const picture = (bytes: Buffer, dictionary: string): Buffer =>
  onePage(
    '/Contents 4 0 R /Resources << /XObject << /Scan 5 0 R >> >>',
    stream(Buffer.from('q 595 0 0 842 0 0 cm /Scan Do Q')),
    stream(bytes, `/Type /XObject /Subtype /Image /BitsPerComponent 8 ${dictionary}`),
  );

/** A picture of 30,000 × 30,000 pixels in colour, 2.7 GB, in 3 MB. */
export const hugePicture = (): Buffer =>
  picture(packed('\u0010', 2575), '/Width 30000 /Height 30000 /ColorSpace /DeviceRGB /Filter /FlateDecode');

/** A JPEG whose header declares another size: a decoder allocates memory by the header. */
export const lyingJpeg = (jpeg: Buffer, width: number, height: number): Buffer => {
  const claimed = Buffer.from(jpeg);
  const frame = claimed.indexOf(Buffer.from([0xff, 0xc0]));
  if (frame === -1) throw new Error('not a baseline JPEG');
  claimed.writeUInt16BE(height, frame + 5);
  claimed.writeUInt16BE(width, frame + 7);
  return picture(claimed, `/Width ${width} /Height ${height} /ColorSpace /DeviceRGB /Filter /DCTDecode`);
};

/** A page of `inches` × `inches`, with text scaled to it. */
export const wideSheet = (inches: number): Buffer => {
  const side = inches * 72;
  return withPages(
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${side} ${side}] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
    stream(Buffer.from(`BT /F ${side / 20} Tf ${side / 10} ${side / 2} Td (Q1. An answer) Tj ET`)),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  );
};

/** The file with its cross-reference table overwritten by noise. */
export const withoutTable = (pdf: Buffer): Buffer => {
  const table = pdf.lastIndexOf('\nxref');
  const noise = Buffer.from(Array.from({ length: 400 }, (_, index) => (index * 7919) % 251));
  return Buffer.concat([pdf.subarray(0, table), noise, Buffer.from('\n%%EOF\n')]);
};
