import { maxScanPixels, scannerPicture } from './pages/scannerJpeg.ts';
import type { PdfPage } from './pdfium.ts';

const imageObject = 3;
const formObject = 5;

/**
 * Limit of samples (pixels × colour channels) of all pictures drawn by a file's pages. A picture on 40 pages counts
 * 40 times. PDFium decodes a million samples in about 7 ms of CPU, so a file at the limit takes about 20 s each time
 * its pages are drawn. 80 pages of A4 fit at 600 dpi in grey or black and white, and at 300 dpi in colour.
 */
export const PIXEL_BUDGET = 3_000_000_000;
/** Relative cost of a scanner's JPEG, decoded at a fraction of its size: 80 pages of 600 dpi colour fit. */
const scannedShare = 0.25;
const deepestForm = 12;
/** Objects searched per page. Pages with more objects are bounded by the time limit. */
const mostObjects = 50_000;

/**
 * Samples of all pictures drawn by a page. Masks, patterns and annotations are not counted, because PDFium does not
 * list them; the time limit of the process bounds those.
 * @param enough counting can stop above this number
 */
export function pictureCost(page: PdfPage, mayExtract: boolean, enough: number): number {
  const { native } = page.document.pdfium;
  const scanned = mayExtract && scannerPicture(page) !== null;
  let cost = 0;
  let looked = 0;
  const look = (object: number, depth: number): void => {
    if (cost > enough || ++looked > mostObjects) return;
    const type = native._FPDFPageObj_GetType(object);
    if (type === imageObject) cost += scanned ? scannedCost(page, object) : samplesOf(page, object);
    if (type !== formObject || depth >= deepestForm) return;
    for (let index = 0; index < native._FPDFFormObj_CountObjects(object); index++) {
      look(native._FPDFFormObj_GetObject(object, index), depth + 1);
    }
  };
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    look(native._FPDFPage_GetObject(page.handle, index), 0);
  }
  return cost;
}

function scannedCost(page: PdfPage, image: number): number {
  const { width, height, samples } = metadataOf(page, image);
  // A larger picture is not decoded; its page counts as damaged.
  return width * height > maxScanPixels ? 0 : samples * scannedShare;
}

function samplesOf(page: PdfPage, image: number): number {
  return metadataOf(page, image).samples;
}

/** A picture that PDFium cannot decode has 0 bits per pixel and counts as 0 samples. */
function metadataOf(page: PdfPage, image: number): { width: number; height: number; samples: number } {
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
}
