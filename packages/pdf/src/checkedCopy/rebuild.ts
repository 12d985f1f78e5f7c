import { PDFDocument } from '#pdf-lib';
import { canExtract } from '../pages/extract.ts';
import { noPicture, takePicture } from '../pages/picture.ts';
import { toSharp } from '../pages/raster.ts';
import { openPdf } from '../pdfium.ts';
import type { Source, SourcePage } from './sourcePages.ts';

const longSide = 1568;
const quality = 80;

/**
 * A new document of page pictures, upright and uncropped, as large as the pages a viewer shows.
 * Throws when the file does not open.
 */
export async function rebuild(bytes: Buffer): Promise<Source> {
  const original = await openPdf(bytes);
  const mayExtract = canExtract(bytes);
  const document = await PDFDocument.create();
  const pages: SourcePage[] = [];
  for (let number = 1; number <= original.pageCount; number++) {
    const size = original.viewedSize(number);
    const picture =
      (await original.withPage(number, (page) => takePicture(page, longSide, mayExtract))) ??
      noPicture(size, longSide);
    const jpeg = await toSharp(picture.raster).jpeg({ quality }).toBuffer();
    const page = document.addPage([size.width, size.height]);
    page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...size });
    pages.push({ page, frame: { x: 0, y: 0, ...size, rotation: 0 } });
  }
  return { document, pages };
}
