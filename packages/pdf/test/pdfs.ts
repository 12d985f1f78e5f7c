import { degrees, PDFDocument, StandardFonts } from '#pdf-lib';
import type { PDFPage } from '#pdf-lib';
import sharp from 'sharp';

// Small PDFs made at run time, each with one property to test.

const scans = new Map<string, Promise<Buffer>>();

/** A scanner's JPEG of a page with ruled lines, drawn once per test file. `leanDegrees` is clockwise. */
export const scan = (options: Parameters<typeof drawScan>[0] = {}): Promise<Buffer> => {
  const key = JSON.stringify(options);
  let made = scans.get(key);
  if (made === undefined) scans.set(key, (made = drawScan(options)));
  return made;
};

const drawScan = async ({
  width = 1240,
  height = 1754,
  leanDegrees = 0,
  lines = 24,
  mark = '',
  progressive = false,
} = {}): Promise<Buffer> => {
  const step = (height * 0.78) / Math.max(1, lines);
  const text = Array.from({ length: lines }, (_, row) => {
    const y = Math.round(height * 0.13 + row * step);
    const words = Array.from({ length: 5 + (row % 4) }, (_, word) => {
      const x = Math.round(width * 0.09 + word * width * 0.1);
      const w = Math.round(width * (0.05 + ((row + word) % 3) * 0.012));
      return `<path d="M${x} ${y} q${w / 8} ${-step * 0.4} ${w / 4} 0 t${w / 4} 0 t${w / 4} 0 t${w / 4} 0" stroke="#223a7a" stroke-width="4" fill="none"/>`;
    });
    return words.join('');
  }).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f1efe8"/><g transform="rotate(${leanDegrees} ${width / 2} ${height / 2})">${text}${mark}</g></svg>`;
  return sharp(Buffer.from(svg))
    .flatten({ background: '#f1efe8' })
    .jpeg({ quality: 82, progressive })
    .toBuffer();
};

export const scannedPdf = async (jpegs: readonly Buffer[], laid: Laid = {}): Promise<Buffer> => {
  const document = await PDFDocument.create();
  for (const jpeg of jpegs) await addScan(document, jpeg, laid);
  return Buffer.from(await document.save());
};

interface Laid {
  size?: [number, number];
  rotate?: number;
  /** Points by which the visible part is moved off the origin. */
  crop?: readonly [number, number] | null;
}

export const addScan = async (
  document: PDFDocument,
  jpeg: Buffer,
  { size = [595, 842], rotate = 0, crop = null }: Laid = {},
): Promise<PDFPage> => {
  const [x, y] = crop ?? [0, 0];
  const page = document.addPage([size[0] + x * 2, size[1] + y * 2]);
  if (crop !== null) page.setCropBox(x, y, ...size);
  page.setRotation(degrees(rotate));
  page.drawImage(await document.embedJpg(jpeg), { x, y, width: size[0], height: size[1] });
  return page;
};

export const textPdf = async (pages: readonly (readonly string[])[], rotate = 0): Promise<Buffer> => {
  const document = await PDFDocument.create();
  for (const lines of pages) await addText(document, lines, rotate);
  return Buffer.from(await document.save());
};

export const addText = async (document: PDFDocument, lines: readonly string[], rotate = 0): Promise<void> => {
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  page.setRotation(degrees(rotate));
  lines.forEach((line, index) => page.drawText(line, { x: 72, y: 770 - index * 24, size: 14, font }));
};

/** A PDF of exactly these objects (1, 2, …; 1 is the catalog) with a correct cross-reference table. */
export const rawPdf = (objects: readonly string[], trailer = ''): Buffer => {
  let body = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const at = Buffer.byteLength(body, 'latin1');
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const start = Buffer.byteLength(body, 'latin1');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  body += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
};

const encrypted = (owner: string, user: string): string => {
  const id = 'fb7fa213c884f126cc28d60f77385083';
  return rawPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
      `<< /CF << /StdCF << /AuthEvent /DocOpen /CFM /AESV2 /Length 16 >> >> /Filter /Standard /Length 128 /O <${owner}> /P -4 /R 4 /StmF /StdCF /StrF /StdCF /U <${user}0122456a91bae5134273a6db134c87c4> /V 4 >>`,
    ],
    `/ID [<${id}> <${id}>] /Encrypt 4 0 R`,
  ).toString('latin1');
};

/** One empty page, AES-128, with a password for opening. */
export const passwordPdf = Buffer.from(
  encrypted(
    '2a2f0a1990192c60114730bdcd39f37828a53c89a340dd473c85299dc5258e1c',
    'a872c30b16368900b25a32881c6bdc1d',
  ),
  'latin1',
);

/** The same page, locked against changes only. */
export const lockedPdf = Buffer.from(
  encrypted(
    '77b8fb098022d3ab34237ea5643c08710ea5123fc5f88bf993a68cca5f12b40f',
    '5ca0fcd80655ad3bedd096b97acc67ba',
  ),
  'latin1',
);

/** An empty page, and one of 100,000 transparent rectangles: a small file that takes minutes to render. */
export const endlessPdf = (): Buffer => {
  const content = '/G gs\n' + '0 0 595 842 re f\n'.repeat(100_000);
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [6 0 R 3 0 R] /Count 2 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /ExtGState << /G 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /ExtGState /ca 0.5 /BM /Luminosity >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  ]);
};

/** The JPEG with another size in its frame header, which makes a decoder allocate that size. */
export const claimSize = (jpeg: Buffer, width: number, height: number): Buffer => {
  const claimed = Buffer.from(jpeg);
  const frame = claimed.indexOf(Buffer.from([0xff, 0xc0]));
  claimed.writeUInt16BE(height, frame + 5);
  claimed.writeUInt16BE(width, frame + 7);
  return claimed;
};
