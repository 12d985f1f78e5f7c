import type { PdfPage } from '../pdfium.ts';

const textObject = 1;
const imageObject = 3;
const invisibleText = 3;
/** DeviceGray, DeviceRGB, CalGray, CalRGB, ICCBased: a JPEG decoder shows these as a viewer does. */
const plainColourSpaces = new Set([1, 2, 4, 5, 7]);
/** Of a scanner's JPEG: A1 at 300 dpi. Beyond it no scanner of answer copies goes, and a decoder needs gigabytes. */
export const maxScanPixels = 75_000_000;
/** How far, as a share of the page, the picture may stop short of the page's edge or reach beyond it. */
const edgeTolerance = 0.01;

/**
 * PDFium's interface does not say whether a picture has a soft mask, a colour-key mask or an inverting /Decode, and with
 * one of them the JPEG alone is not what a viewer shows. Picture dictionaries are never inside compressed objects, so
 * the words must stand in the file; where they do, pages are rendered.
 */
export function canExtract(file: Buffer): boolean {
  return !['/SMask', '/Mask', '/Decode[', '/Decode ['].some((word) => file.includes(word));
}

/**
 * The JPEG of a page that is one scanned picture and nothing else a viewer would show (text of an OCR layer is
 * invisible): 2–5 ms instead of 100 ms and more for a rendering, and no second loss of quality. Null when the page must
 * be rendered. The bytes are as scanned: the page's rotation is still to be applied.
 */
export function scannerJpeg(page: PdfPage): Buffer | null {
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
}

/** The picture that `scannerJpeg` takes, as PDFium's object. */
export function scannerPicture(page: PdfPage): number | null {
  const { native } = page.document.pdfium;
  if (native._FPDFPage_GetAnnotCount(page.handle) !== 0) return null;
  let image = 0;
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    const object = native._FPDFPage_GetObject(page.handle, index);
    const type = native._FPDFPageObj_GetType(object);
    if (type === textObject && native._FPDFTextObj_GetTextRenderMode(object) === invisibleText) continue;
    if (type !== imageObject || image !== 0) return null;
    image = object;
  }
  if (image === 0 || native._FPDFPageObj_HasTransparency(image) !== 0) return null;
  return isSingleJpeg(page, image) && hasPlainColours(page, image) && coversPage(page, image) ? image : null;
}

function isSingleJpeg(page: PdfPage, image: number): boolean {
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
}

function hasPlainColours(page: PdfPage, image: number): boolean {
  const { pdfium } = page.document;
  return pdfium.withMemory(28, (pointer, view) => {
    if (pdfium.native._FPDFImageObj_GetImageMetadata(image, page.handle, pointer) === 0) return false;
    return plainColourSpaces.has(view().getInt32(20, true));
  });
}

/** The image's matrix must lay it upright on the visible page: no mirror, no turn, no crop, no border. */
function coversPage(page: PdfPage, image: number): boolean {
  const { pdfium } = page.document;
  const { frame } = page;
  return pdfium.withMemory(24, (pointer, view) => {
    if (pdfium.native._FPDFPageObj_GetMatrix(image, pointer) === 0) return false;
    const read = view();
    const [a, b, c, d, e, f] = [0, 4, 8, 12, 16, 20].map((at) => read.getFloat32(at, true));
    const near = (value: number | undefined, expected: number, side: number) =>
      value !== undefined && Math.abs(value - expected) <= side * edgeTolerance;
    return (
      near(a, frame.width, frame.width) &&
      near(b, 0, frame.height) &&
      near(c, 0, frame.width) &&
      near(d, frame.height, frame.height) &&
      near(e, frame.x, frame.width) &&
      near(f, frame.y, frame.height)
    );
  });
}
