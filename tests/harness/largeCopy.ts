import sharp from 'sharp';
import { writePdf, type PdfObject } from './pdfFile.ts';
import { printedText } from './printedText.ts';
import { seededRandom } from './seededRandom.ts';

export interface LargePage {
  /** Lines of print on a scanned page, [] for an empty one; without them, a picture that many pages share. */
  lines?: string[];
  /** Visible text, typed beneath the picture. */
  typed?: string[];
  /** Invisible text layer, as a scanner's OCR puts it over the picture. */
  hidden?: string[];
}

const [width, height] = [1654, 2339];

/**
 * A copy as a good scanner writes it, each page one colour JPEG of A4 at 200 dpi, of exactly `bytes`. Pages without
 * lines use one JPEG, so that making them is quick; the file contains it once per page.
 */
export const largeCopy = async (pages: readonly LargePage[], bytes: number): Promise<Buffer> => {
  const shared = await scan(['As the text says.']);
  const empty = await scan([]);
  const tree = pages.length * 3 + 2;
  const objects: PdfObject[] = [{ dictionary: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>' }];
  for (const [index, { lines, typed = [], hidden = [] }] of pages.entries()) {
    const jpeg = lines === undefined ? shared : lines.length === 0 ? empty : await scan(lines);
    const set = (text: string[], top: number, mode: number) =>
      text
        .map((line, row) => `BT /F 14 Tf ${mode} Tr 1 0 0 1 57 ${top - row * 29} Tm (${line}) Tj ET`)
        .join(' ');
    // Render mode 3: invisible.
    const written = `${set(typed, 70, 0)} ${set(hidden, 745, 3)}`;
    const foot = typed.length > 0 ? 100 : 0;
    const content = Buffer.from(`q 595 0 0 ${842 - foot} 0 ${foot} cm /Scan Do Q ${written}`);
    const first = index * 3 + 2;
    objects.push(
      {
        dictionary: `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>`,
        stream: jpeg,
      },
      { dictionary: `<< /Length ${content.length} >>`, stream: content },
      {
        dictionary: `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 1 0 R >> /XObject << /Scan ${first} 0 R >> >> /Contents ${first + 1} 0 R >>`,
      },
    );
  }
  const kids = pages.map((_, index) => `${index * 3 + 4} 0 R`).join(' ');
  objects.push(
    { dictionary: `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>` },
    { dictionary: `<< /Type /Catalog /Pages ${tree} 0 R >>` },
  );
  const filled = (padding: number): Buffer =>
    writePdf(
      [...objects, { dictionary: `<< /Length ${padding} >>`, stream: Buffer.alloc(padding, 'x') }],
      `/Root ${tree + 1} 0 R`,
    );
  // Offsets after a padding of this size have as many digits as the final ones, so the file grows by the padding alone.
  const rough = filled(1_000_000).byteLength;
  if (rough > bytes) throw new Error(`${rough - bytes} bytes too many: scan with a lower quality`);
  return filled(1_000_000 + bytes - rough);
};

/** Lines of print on ruled paper, with sensor noise. */
const scan = async (lines: readonly string[]): Promise<Buffer> => {
  const random = seededRandom(1);
  const text = lines.map((line, row) => printedText(line, 160, 270 + row * 80));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f4f2ea"/><g fill="#223">${text.join('')}</g></svg>`;
  const data = await sharp(Buffer.from(svg)).flatten().removeAlpha().raw().toBuffer();
  for (let at = 0; at < data.length; at += 1) {
    data[at] = Math.max(0, Math.min(255, (data[at] ?? 0) + (random() - 0.5) * 18));
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
};
