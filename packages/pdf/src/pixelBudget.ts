import { maxScanPixels, scannerPicture } from './pages/scannerJpeg.ts';
import type { PdfPage } from './pdfium.ts';

const imageObject = 3;
const formObject = 5;

/**
 * Samples (pixels × colour channels) of all pictures that a file's pages draw; one that 40 pages share counts 40 times.
 * PDFium takes about 7 ms of CPU for a million, so a file at the limit takes 20 s each time its pages are drawn. 80 pages
 * of A4 fit at 600 dpi in grey or black and white, and at 300 dpi in colour.
 */
export const PIXEL_BUDGET = 3_000_000_000;
/** A scanner's JPEG is decoded at a fraction of its size, at a quarter of the cost: 80 pages of 600 dpi colour fit. */
const scannedShare = 0.25;
/** Forms in forms; PDFium draws no deeper ones than 40. */
const deepestForm = 12;
/** Objects of a page that are looked at: more of them cost more time than pictures do, which the time limit bounds. */
const mostObjects = 50_000;

/**
 * What the pictures of a page cost to decode, in samples. Masks, patterns and annotations are not counted: PDFium does not
 * list them. The time limit of the process bounds those.
 * @param enough counting may stop beyond it
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
  // A page with a larger one is not decoded at all: it counts as damaged.
  return width * height > maxScanPixels ? 0 : samples * scannedShare;
}

function samplesOf(page: PdfPage, image: number): number {
  return metadataOf(page, image).samples;
}

/** A picture that PDFium cannot decode has no bits, and costs nothing. */
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
