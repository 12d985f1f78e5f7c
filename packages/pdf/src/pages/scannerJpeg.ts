import type { PdfPage } from '../pdfium.ts';

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
 * True when no picture of the file has a soft mask, a colour-key mask or an inverting /Decode. PDFium does not report
 * these, and with one of them the JPEG alone differs from what a viewer shows. Picture dictionaries are never
 * compressed, so a search of the file's bytes finds them.
 */
export const canExtract = (file: Buffer): boolean =>
  !['/SMask', '/Mask', '/Decode[', '/Decode ['].some((word) => file.includes(word));

/**
 * Returns the JPEG of a page that consists of one scanned picture (invisible text of an OCR layer is allowed), or
 * null when the page must be rendered. Taking the JPEG needs 2–5 ms instead of 100 ms and more, and loses no quality.
 * The page's rotation is not yet applied.
 */
export const scannerJpeg = (page: PdfPage): Buffer | null => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const image = scannerPicture(page);
  if (image === null) return null;
  const size = native._FPDFImageObj_GetImageDataRaw(image, 0, 0);
  if (size < 4) return null;
  return pdfium.withMemory(size, (pointer) => {
    native._FPDFImageObj_GetImageDataRaw(image, pointer, size);
    return Buffer.from(native.HEAPU8.slice(pointer, pointer + size).buffer);
  });
};

export const scannerPicture = (page: PdfPage): number | null => {
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
  if (image === 0 || native._FPDFPageObj_HasTransparency(image) !== 0) return null;
  return isSingleJpeg(page, image) && hasPlainColours(page, image) && coversPage(page, image) ? image : null;
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
