import type { PdfPage } from '../pdfium.ts';
import { picturesOf } from './picturesOf.ts';
import { rawDataOf } from './rawData.ts';
import type { Raster } from './raster.ts';

/** A picture with fewer pixels may be of one colour: a ground or a rule that a program draws as a picture. */
const LEAST_PIXELS = 4096;
/**
 * Bytes of JBIG2 of an empty page. PDFium draws white for data that it cannot read, so more bytes of white are lost.
 */
const EMPTY_JBIG2 = 200;
/** Bytes at the end of a JPEG among which its end marker stands. */
const JPEG_END = 64;
/** Grey levels by which the pixels of one colour may differ. */
const SAME_COLOUR = 2;
/** Level of white, as in the rows of an empty page. */
const WHITE = 250;
/** Level from which each channel of a page of one colour counts as paper, white or coloured. */
const PAPER = 140;
/** Filters whose decoded data are the rows of the picture; '' is no filter. */
const ROW_FILTERS = new Set(['', 'FlateDecode', 'Fl', 'LZWDecode', 'LZW', 'RunLengthDecode', 'RL']);
/** Share of the rows that must be there: some programs leave out the end of the last row. */
const LEAST_ROWS = 0.99;
/** A larger picture (A4 at 600 dpi in colour has 104 MB) is not decoded again. */
const MOST_BYTES = 128 * 1024 * 1024;
const END_OF_JPEG = Buffer.from([0xff, 0xd9]);
/** Kinds of annotation that are drawn marks: free text, line, square, circle, polygon, polyline, stamp, ink. */
const DRAWN_ANNOTATIONS = new Set([3, 4, 5, 6, 7, 8, 13, 15]);
/** Flags of an annotation that no viewer shows: hidden, no view. */
const NOT_SHOWN = 0x02 | 0x20;

/**
 * True when something of the page gave no pixels: a picture that cannot be decoded, also inside a form, or a drawn
 * annotation for which PDFium has no appearance. PDFium draws the page without it and reports no error, so an answer
 * would be missing unnoticed.
 *
 * PDFium tells for most filters whether a picture can be decoded. Other pictures are decoded here only if their area of
 * the drawn page has one colour.
 * @param drawn the page as PDFium drew it; null when the scanner's JPEG was taken
 */
export const lacksPixels = (page: PdfPage, drawn: Raster | null): boolean =>
  hasLostPicture(page, drawn) || hasLostAnnotation(page);

/** True for a page on which PDFium found nothing to draw. */
export const drawsNothing = (page: PdfPage): boolean => {
  const { native } = page.document.pdfium;
  return (
    native._FPDFPage_CountObjects(page.handle) === 0 && native._FPDFPage_GetAnnotCount(page.handle) === 0
  );
};

const hasLostPicture = (page: PdfPage, drawn: Raster | null): boolean => {
  for (const { image, top } of picturesOf(page)) {
    if (isUndecodable(page, image)) return true;
    if (drawn !== null && isAreaOfOneColour(page, top, drawn) && gaveNoPixels(page, image)) return true;
  }
  return false;
};

/** True if PDFium says so, the data of the picture end early, or JBIG2 came out white. */
const isUndecodable = (page: PdfPage, image: number): boolean => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const samples = pdfium.withMemory(28, (pointer, view) => {
    if (native._FPDFImageObj_GetImageMetadata(image, page.handle, pointer) === 0) return null;
    const [width, height, bits] = [0, 4, 16].map((at) => view().getUint32(at, true));
    return bits === 0 ? null : { height: height!, rowBytes: Math.ceil((width! * bits!) / 8) };
  });
  if (samples === null) return true;
  const filter = filterOf(page, image);
  if (filter === 'JBIG2Decode') {
    const isShort = native._FPDFImageObj_GetImageDataRaw(image, 0, 0) <= EMPTY_JBIG2;
    return gaveNoPixels(page, image, isShort ? WHITE : 256);
  }
  if (filter === 'DCTDecode' || filter === 'DCT') {
    const isOnlyFilter = native._FPDFImageObj_GetImageFilterCount(image) === 1;
    return isOnlyFilter && !rawDataOf(page, image).subarray(-JPEG_END).includes(END_OF_JPEG);
  }
  const bytes = samples.rowBytes * samples.height;
  if (!ROW_FILTERS.has(filter) || bytes > MOST_BYTES) return false;
  const decoded = native._FPDFImageObj_GetImageDataDecoded(image, 0, 0);
  return decoded < bytes * LEAST_ROWS;
};

/** The last filter of a picture's data, which decodes pixels. */
const filterOf = (page: PdfPage, image: number): string => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const last = native._FPDFImageObj_GetImageFilterCount(image) - 1;
  if (last < 0) return '';
  return pdfium.withMemory(32, (pointer, view) => {
    const length = native._FPDFImageObj_GetImageFilter(image, last, pointer, 32);
    if (length < 1 || length > 32) return '';
    const { buffer, byteOffset } = view();
    return Buffer.from(buffer, byteOffset, length - 1).toString('latin1');
  });
};

/**
 * Decodes the picture. One colour that is not white comes from data that end before the first row.
 * @param white level from which one colour counts as an empty page
 */
const gaveNoPixels = (page: PdfPage, image: number, white = WHITE): boolean => {
  const { native } = page.document.pdfium;
  const bitmap = native._FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return true;
  try {
    const [width, height] = [native._FPDFBitmap_GetWidth(bitmap), native._FPDFBitmap_GetHeight(bitmap)];
    const stride = native._FPDFBitmap_GetStride(bitmap);
    const start = native._FPDFBitmap_GetBuffer(bitmap);
    if (width * height < LEAST_PIXELS) return false;
    const bytes = native.HEAPU8.subarray(start, start + stride * height);
    const first = bytes[0]!;
    return first < white && bytes.every((byte) => byte === first);
  } finally {
    native._FPDFBitmap_Destroy(bitmap);
  }
};

const isAreaOfOneColour = (page: PdfPage, object: number, drawn: Raster): boolean => {
  const { pdfium } = page.document;
  const bounds = pdfium.withMemory(16, (pointer, view) => {
    const sides = [pointer, pointer + 4, pointer + 8, pointer + 12] as const;
    if (pdfium.native._FPDFPageObj_GetBounds(object, ...sides) === 0) return null;
    const [left, bottom, right, top] = [0, 4, 8, 12].map((at) => view().getFloat32(at, true));
    return page.toViewed(left!, bottom!, right!, top!);
  });
  if (bounds === null) return false;
  const { width, height } = drawn;
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, Math.round(value)));
  return isOneColour(drawn, {
    // One pixel less on each side, where the edge is smoothed.
    left: clamp(bounds.x * width + 1, width),
    top: clamp(bounds.y * height + 1, height),
    right: clamp((bounds.x + bounds.width) * width - 1, width),
    bottom: clamp((bounds.y + bounds.height) * height - 1, height),
  });
};

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const isOneColour = ({ data, width, channels }: Raster, { left, top, right, bottom }: Area): boolean => {
  if (right <= left || bottom <= top) return false;
  const first = (top * width + left) * channels;
  for (let y = top; y < bottom; y++) {
    for (let at = (y * width + left) * channels; at < (y * width + right) * channels; at++) {
      if (Math.abs(data[at]! - data[first + ((at - first) % channels)]!) > SAME_COLOUR) return false;
    }
  }
  return true;
};

/** True for a page of one colour that is not paper: a picture that was decoded to nothing. */
export const isOtherColourThanPaper = (raster: Raster): boolean => {
  const { data, channels } = raster;
  return data.subarray(0, channels).some((value) => value < PAPER) && hasOneColour(raster);
};

const hasOneColour = (raster: Raster): boolean =>
  isOneColour(raster, { left: 0, top: 0, right: raster.width, bottom: raster.height });

const hasLostAnnotation = (page: PdfPage): boolean => {
  const { native } = page.document.pdfium;
  for (let index = 0; index < native._FPDFPage_GetAnnotCount(page.handle); index++) {
    const annotation = native._FPDFPage_GetAnnot(page.handle, index);
    if (annotation === 0) continue;
    try {
      if (!DRAWN_ANNOTATIONS.has(native._FPDFAnnot_GetSubtype(annotation))) continue;
      if ((native._FPDFAnnot_GetFlags(annotation) & NOT_SHOWN) !== 0) continue;
      // A length of 2 is the empty string. PDFium makes appearances of ink, squares and circles when it loads a page.
      if (native._FPDFAnnot_GetAP(annotation, 0, 0, 0) <= 2) return true;
    } finally {
      native._FPDFPage_CloseAnnot(annotation);
    }
  }
  return false;
};
