import { ParseSpeeds, PDFDocument } from 'pdf-lib';
import type { PDFPage } from 'pdf-lib';
import { canExtract } from '../pages/extract.ts';
import { noPicture, takePicture } from '../pages/picture.ts';
import { toSharp } from '../pages/raster.ts';
import { Pdfium } from '../pdfium.ts';
import type { PageFrame, PdfDocument } from '../pdfium.ts';

export interface SourcePage {
  page: PDFPage;
  frame: PageFrame;
}

export interface Source {
  document: PDFDocument;
  pages: SourcePage[];
}

export interface Size {
  width: number;
  height: number;
}

/** Points by which two readers of one page box may differ. */
const sizeTolerance = 1;
const rebuiltLongSide = 1568;
const rebuiltQuality = 80;

/** What a viewer shows of the file: how many pages, and how large. Throws when it does not open. */
export async function viewedSizes(bytes: Buffer): Promise<Size[]> {
  const document = await openInPdfium(bytes);
  return Array.from(
    { length: document.pageCount },
    (_, index) => document.pageSize(index + 1) ?? { width: 595, height: 842 },
  );
}

/**
 * Opens the file for drawing over it. Null when pdf-lib cannot, or reads other pages out of it than a viewer shows:
 * it wants /Type and a tidy page tree where viewers need neither, and it knows no encryption.
 */
export async function openOriginal(bytes: Buffer, viewed: readonly Size[]): Promise<Source | null> {
  try {
    const document = await PDFDocument.load(bytes, {
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
    });
    const pages = document.getPages().map((page) => ({ page, frame: frameOf(page) }));
    // A page that hangs in the tree twice would show the marks of both.
    if (new Set(pages.map(({ page }) => page.ref)).size !== pages.length) return null;
    if (pages.length !== viewed.length) return null;
    return pages.every(({ frame }, index) => matches(frame, viewed[index])) ? { document, pages } : null;
  } catch {
    return null;
  }
}

/** A new document of page pictures, upright and uncropped, as large as the pages a viewer shows. */
export async function rebuild(bytes: Buffer, viewed: readonly Size[]): Promise<Source> {
  const original = await openInPdfium(bytes);
  const mayExtract = canExtract(bytes);
  const document = await PDFDocument.create();
  const pages: SourcePage[] = [];
  for (const [index, size] of viewed.entries()) {
    const picture =
      (await original.withPage(index + 1, (page) => takePicture(page, rebuiltLongSide, mayExtract))) ??
      noPicture(size, rebuiltLongSide);
    const jpeg = await toSharp(picture.raster).jpeg({ quality: rebuiltQuality }).toBuffer();
    const page = document.addPage([size.width, size.height]);
    page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, ...size });
    pages.push({ page, frame: { x: 0, y: 0, ...size, rotation: 0 } });
  }
  return { document, pages };
}

async function openInPdfium(bytes: Buffer): Promise<PdfDocument> {
  const document = (await Pdfium.start()).open(bytes);
  if (document === 'password' || document === 'corrupt')
    throw new Error(`the PDF does not open: ${document}`);
  return document;
}

/** The visible part of the page: the crop box as far as it lies on the sheet. */
function frameOf(page: PDFPage): PageFrame {
  const sheet = page.getMediaBox();
  const crop = page.getCropBox();
  const x = Math.max(sheet.x, crop.x);
  const y = Math.max(sheet.y, crop.y);
  const right = Math.min(sheet.x + sheet.width, crop.x + crop.width);
  const top = Math.min(sheet.y + sheet.height, crop.y + crop.height);
  const degrees = ((page.getRotation().angle % 360) + 360) % 360;
  const rotation = degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0;
  return { x, y, width: right - x, height: top - y, rotation };
}

function matches(frame: PageFrame, viewed: Size | undefined): boolean {
  if (viewed === undefined) return false;
  const turned = frame.rotation % 180 !== 0;
  const [width, height] = turned ? [frame.height, frame.width] : [frame.width, frame.height];
  return Math.abs(width - viewed.width) <= sizeTolerance && Math.abs(height - viewed.height) <= sizeTolerance;
}
