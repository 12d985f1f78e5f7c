import { ParseSpeeds, PDFDocument } from '#pdf-lib';
import type { PDFPage } from '#pdf-lib';
import { openPdf } from '../pdfium.ts';
import type { PageFrame } from '../pdfium.ts';
import type { PageImage } from '../types.ts';

export interface SourcePage {
  page: PDFPage;
  frame: PageFrame;
}

export interface Source {
  document: PDFDocument;
  pages: SourcePage[];
}

interface Size {
  width: number;
  height: number;
}

/** Points by which two readers of one page box may differ. */
const sizeTolerance = 1;

/**
 * Opens the file for drawing over it. Null when pdf-lib cannot, or reads other pages out of it than a viewer shows:
 * it wants /Type and a tidy page tree where viewers need neither, and it knows no encryption.
 * @param images what a viewer shows, as far as it is known
 */
export async function openOriginal(bytes: Buffer, images: readonly PageImage[]): Promise<Source | null> {
  const source = await open(bytes);
  if (source === null) return null;
  // Mostly there are images of all pages: then a second reader need not be started, which takes as long as pdf-lib.
  const inOrder = images.every(({ page }, index) => page === index + 1);
  if (
    inOrder &&
    matches(
      source,
      images.map(({ points }) => points),
    )
  )
    return source;
  return matches(source, await viewedSizes(bytes)) ? source : null;
}

async function open(bytes: Buffer): Promise<Source | null> {
  try {
    const document = await PDFDocument.load(bytes, {
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
    });
    const pages = document.getPages().map((page) => ({ page, frame: frameOf(page) }));
    // A page that hangs in the tree twice would show the marks of both.
    return new Set(pages.map(({ page }) => page.ref)).size === pages.length ? { document, pages } : null;
  } catch {
    return null;
  }
}

/** What a viewer shows of the file: how many pages, and how large. Throws when it does not open. */
async function viewedSizes(bytes: Buffer): Promise<Size[]> {
  const document = await openPdf(bytes);
  return Array.from({ length: document.pageCount }, (_, index) => document.viewedSize(index + 1));
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

function matches({ pages }: Source, viewed: readonly (Size | undefined)[]): boolean {
  const isViewed = ({ frame }: SourcePage, index: number) => {
    const size = viewed[index];
    if (size === undefined) return false;
    const turned = frame.rotation % 180 !== 0;
    const [width, height] = turned ? [frame.height, frame.width] : [frame.width, frame.height];
    return Math.abs(width - size.width) <= sizeTolerance && Math.abs(height - size.height) <= sizeTolerance;
  };
  return pages.length === viewed.length && pages.every(isViewed);
}
