import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openUpload, reopen } from './openUpload.ts';
import type { PdfDocument } from './pdfium.ts';
import { partsOf } from './pages/longPages.ts';
import { findScans } from './pages/scannerJpeg.ts';
import { PIXEL_BUDGET, pictureCost } from './pixelBudget.ts';
import { refuse } from './refuse.ts';
import type { Inspection } from './types.ts';

/** A submission accepts 80 pages at most. */
const PAGES_MEASURED = 200;
/**
 * Points as the page states them, before /UserUnit. Acrobat's limit is 14,400. The lower limit is small because some
 * programs write pages of one point per inch; every page is scaled to the same number of pixels.
 */
const LONGEST_SIDE = 14_400;
const SHORTEST_SIDE = 1;
const GREATEST_ASPECT = 20;
/**
 * Parts in which long pages may be read together: as many pages as a submission accepts. They are charged by the page.
 */
const MOST_PARTS = 80;

/** Runs in the child process. The cheapest checks come first. */
export const inspect = async (file: string): Promise<Inspection> => {
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const opened = await openUpload(bytes);
  if (typeof opened === 'string') return refuse(opened === 'password' ? 'encrypted' : opened);
  const { document, isRepaired } = opened;
  const other = await otherDocument(document, opened.bytes);
  if (other !== null) return refuse(other);
  const pages = document.pageCount;
  if (pages < 1) return refuse('no_pages');
  let parts = 0;
  for (let page = 1; page <= Math.min(pages, PAGES_MEASURED); page++) {
    const size = document.pageSize(page);
    if (size === null) return refuse('page_damaged', page);
    const ofPage = partsOf(size);
    if (ofPage > 1) parts += ofPage;
    if (!isSane(size) || parts > MOST_PARTS) return refuse('page_size', page);
  }
  const scans = await findScans(document, opened.bytes, 1, PAGES_MEASURED);
  const again = reopen(document, opened.bytes);
  let left = PIXEL_BUDGET;
  for (let page = 1; page <= Math.min(pages, PAGES_MEASURED); page++) {
    left -= (await again.withPage(page, (loaded) => pictureCost(loaded, scans.has(page), left))) ?? 0;
    if (left < 0) return refuse('too_many_pixels');
  }
  return { ok: true, pages, sha256, isRepaired };
};

const XFA_FULL = 2;

/**
 * A file whose pages are only a cover: the answers of a portfolio are in attached files, and those of an XFA form in
 * data that PDFium does not draw. An attachment beside a copy is allowed.
 */
const otherDocument = async ({ pdfium, handle }: PdfDocument, bytes: Buffer) => {
  if (pdfium.native._FPDF_GetFormType(handle) === XFA_FULL) return 'form_without_pages';
  if (pdfium.native._FPDFDoc_GetAttachmentCount(handle) === 0) return null;
  const { isPortfolio } = await import('./portfolio.ts');
  return (await isPortfolio(bytes)) ? 'portfolio' : null;
};

const isSane = ({ width, height }: { width: number; height: number }): boolean => {
  const [short, long] = width < height ? [width, height] : [height, width];
  return short >= SHORTEST_SIDE && long <= LONGEST_SIDE && long / short <= GREATEST_ASPECT;
};
