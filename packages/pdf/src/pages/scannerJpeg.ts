import type { PdfDocument, PdfPage } from '../pdfium.ts';
import { paintsUnchanged } from './paintsUnchanged.ts';
import { plainStreams } from './plainStreams.ts';
import { rawDataOf } from './rawData.ts';

const TEXT_OBJECT = 1;
const IMAGE_OBJECT = 3;
const INVISIBLE_TEXT = 3;
/** DeviceGray, DeviceRGB, CalGray, CalRGB, ICCBased: in these a JPEG decoder shows the same colours as a viewer. */
const PLAIN_COLOUR_SPACES = new Set([1, 2, 4, 5, 7]);
/** Limit for a scanner's JPEG: A1 at 300 dpi. Answer copies are smaller, and larger pictures need gigabytes. */
export const MAX_SCAN_PIXELS = 75_000_000;
/** Share of the page by which the picture may end before the page's edge or reach beyond it. */
const EDGE_TOLERANCE = 0.01;

/**
 * Finds the pages that consist of one scanned JPEG (invisible text of an OCR layer is allowed) which shows what a
 * viewer shows. Taking the JPEG of such a page needs 2–5 ms instead of 100 ms and more, and loses no quality. Two
 * proofs are needed: the JPEG's dictionary says nothing about how to paint it (`plainStreams`), and the page paints a
 * test pattern in its place unchanged. The pattern changes the document: open it again to draw it.
 * @param bytes of the document
 * @param last page, from 1
 */
export const findScans = async (
  document: PdfDocument,
  bytes: Buffer,
  first: number,
  last: number,
): Promise<Set<number>> => {
  const scans = new Set<number>();
  const streams = plainStreams(bytes);
  for (let page = first; page <= Math.min(last, document.pageCount); page++) {
    const jpeg = await document.withPage(page, scannerJpeg);
    if (jpeg !== null && streams.includes(jpeg)) scans.add(page);
  }
  // All JPEGs are looked at before the first pattern, because pages may share a picture.
  for (const page of scans) {
    const isUnchanged = await document.withPage(page, (loaded) => {
      const image = onlyPicture(loaded);
      return image !== null && paintsUnchanged(loaded, image);
    });
    if (isUnchanged !== true) scans.delete(page);
  }
  return scans;
};

/** The JPEG of a page that `findScans` named. The page's rotation is not yet applied. */
export const scannerJpeg = (page: PdfPage): Buffer | null => {
  const image = onlyPicture(page);
  if (image === null || !isSingleJpeg(page, image)) return null;
  return hasPlainColours(page, image) && coversPage(page, image) ? rawDataOf(page, image) : null;
};

/** The picture of a page that shows nothing else. */
const onlyPicture = (page: PdfPage): number | null => {
  const { native } = page.document.pdfium;
  if (native._FPDFPage_GetAnnotCount(page.handle) !== 0) return null;
  let image = 0;
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    const object = native._FPDFPage_GetObject(page.handle, index);
    const type = native._FPDFPageObj_GetType(object);
    if (type === TEXT_OBJECT && native._FPDFTextObj_GetTextRenderMode(object) === INVISIBLE_TEXT) continue;
    if (type !== IMAGE_OBJECT || image !== 0) return null;
    image = object;
  }
  return image === 0 || native._FPDFPageObj_HasTransparency(image) !== 0 ? null : image;
};

const isSingleJpeg = (page: PdfPage, image: number): boolean => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  if (native._FPDFImageObj_GetImageFilterCount(image) !== 1) return false;
  return pdfium.withMemory(32, (pointer, view) => {
    const length = native._FPDFImageObj_GetImageFilter(image, 0, pointer, 32);
    if (length < 1 || length > 32) return false;
    const { buffer, byteOffset } = view();
    const name = Buffer.from(buffer, byteOffset, length - 1).toString('latin1');
    return name === 'DCTDecode' || name === 'DCT';
  });
};

const hasPlainColours = (page: PdfPage, image: number): boolean => {
  const { pdfium } = page.document;
  return pdfium.withMemory(28, (pointer, view) => {
    if (pdfium.native._FPDFImageObj_GetImageMetadata(image, page.handle, pointer) === 0) return false;
    return PLAIN_COLOUR_SPACES.has(view().getInt32(20, true));
  });
};

/** True when the image's matrix lays it upright on the visible page: no mirror, turn, crop or border. */
const coversPage = (page: PdfPage, image: number): boolean => {
  const { pdfium } = page.document;
  const { frame } = page;
  return pdfium.withMemory(24, (pointer, view) => {
    if (pdfium.native._FPDFPageObj_GetMatrix(image, pointer) === 0) return false;
    const read = view();
    const [a, b, c, d, e, f] = [0, 4, 8, 12, 16, 20].map((at) => read.getFloat32(at, true));
    const near = (value: number | undefined, expected: number, side: number) =>
      value !== undefined && Math.abs(value - expected) <= side * EDGE_TOLERANCE;
    return (
      near(a, frame.width, frame.width) &&
      near(b, 0, frame.height) &&
      near(c, 0, frame.width) &&
      near(d, frame.height, frame.height) &&
      near(e, frame.x, frame.width) &&
      near(f, frame.y, frame.height)
    );
  });
};
