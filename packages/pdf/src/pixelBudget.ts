import { MAX_SCAN_PIXELS } from './pages/scannerJpeg.ts';
import type { PdfPage } from './pdfium.ts';

const IMAGE_OBJECT = 3;
const FORM_OBJECT = 5;

/**
 * Limit of samples (pixels × colour channels) of all pictures drawn by a file's pages. A picture on 40 pages counts
 * 40 times. PDFium decodes a million samples in about 7 ms of CPU, so a file at the limit takes about 20 s each time
 * its pages are drawn. 80 pages of A4 fit at 600 dpi in grey or black and white, and at 300 dpi in colour.
 */
export const PIXEL_BUDGET = 3_000_000_000;
/** Relative cost of a scanner's JPEG, decoded at a fraction of its size: 80 pages of 600 dpi colour fit. */
const SCANNED_SHARE = 0.25;
const DEEPEST_FORM = 12;
/** Objects searched per page. Pages with more objects are bounded by the time limit. */
const MOST_OBJECTS = 50_000;

/**
 * Samples of all pictures drawn by a page. Masks, patterns and annotations are not counted, because PDFium does not
 * list them; the time limit of the process bounds those.
 * @param isScan the page is a scanner's JPEG, which is taken without PDFium
 * @param enough counting can stop above this number
 */
export const pictureCost = (page: PdfPage, isScan: boolean, enough: number): number => {
  const { native } = page.document.pdfium;
  let cost = 0;
  let looked = 0;
  const look = (object: number, depth: number): void => {
    if (cost > enough || ++looked > MOST_OBJECTS) return;
    const type = native._FPDFPageObj_GetType(object);
    if (type === IMAGE_OBJECT) cost += isScan ? scannedCost(page, object) : samplesOf(page, object);
    if (type !== FORM_OBJECT || depth >= DEEPEST_FORM) return;
    for (let index = 0; index < native._FPDFFormObj_CountObjects(object); index++) {
      look(native._FPDFFormObj_GetObject(object, index), depth + 1);
    }
  };
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    look(native._FPDFPage_GetObject(page.handle, index), 0);
  }
  return cost;
};

const scannedCost = (page: PdfPage, image: number): number => {
  const { width, height, samples } = metadataOf(page, image);
  // A larger picture is not decoded; its page counts as damaged.
  return width * height > MAX_SCAN_PIXELS ? 0 : samples * SCANNED_SHARE;
};

const samplesOf = (page: PdfPage, image: number): number => metadataOf(page, image).samples;

/** A picture that PDFium cannot decode has 0 bits per pixel and counts as 0 samples. */
const metadataOf = (page: PdfPage, image: number): { width: number; height: number; samples: number } => {
  const { pdfium } = page.document;
  return pdfium.withMemory(28, (pointer, view) => {
    if (pdfium.native._FPDFImageObj_GetImageMetadata(image, page.handle, pointer) === 0) {
      return { width: 0, height: 0, samples: 0 };
    }
    const read = view();
    const [width, height, bits] = [0, 4, 16].map((at) => read.getUint32(at, true));
    const pixels = width! * height!;
    const channels = bits === 0 ? 0 : Math.max(1, bits! / 8);
    return { width: width!, height: height!, samples: pixels * channels };
  });
};
