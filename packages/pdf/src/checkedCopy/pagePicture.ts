import { noPicture, takePicture } from '../pages/picture.ts';
import { toSharp } from '../pages/raster.ts';
import type { Raster } from '../pages/raster.ts';
import { scannerJpeg } from '../pages/scannerJpeg.ts';
import type { PageFrame, PdfDocument, PdfPage } from '../pdfium.ts';
import { PAGE_LONG_SIDE } from '../types.ts';
import type { PdfPicture } from './pdfFile.ts';
import { plainJpeg } from './plainJpeg.ts';

const quality = 80;
/** A rendering of more bytes is encoded again with `leastQuality`; only noise needs so many. */
const mostBytes = 1_000_000;
const leastQuality = 45;

/** `rotation` (clockwise) turns the picture upright. */
export interface PagePicture extends PdfPicture {
  rotation: PageFrame['rotation'];
}

/**
 * Returns the page picture that the grader's image was made from, before deskew and contrast stretch. A page that is
 * one scanned JPEG keeps the scanner's coded data without loss. Any other page is rendered by PDFium in the same
 * pixels as for the grader, because fine patterns look different in another size.
 * @param isSound the grader's image of the page was decoded without error
 */
export async function pagePicture(
  document: PdfDocument,
  number: number,
  options: { mayExtract: boolean; isSound: boolean },
): Promise<PagePicture> {
  const taken = await document.withPage(number, (page) => ofPage(page, options));
  return taken ?? encoded(noPicture(document.viewedSize(number), PAGE_LONG_SIDE).raster);
}

async function ofPage(
  page: PdfPage,
  { mayExtract, isSound }: { mayExtract: boolean; isSound: boolean },
): Promise<PagePicture> {
  if (mayExtract && isSound) {
    const jpeg = scannerJpeg(page);
    const plain = jpeg === null ? null : plainJpeg(jpeg);
    if (plain !== null) return { ...plain, rotation: page.frame.rotation };
  }
  return encoded((await takePicture(page, PAGE_LONG_SIDE, mayExtract)).raster);
}

async function encoded(raster: Raster): Promise<PagePicture> {
  const isGrey = raster.channels === 1 || isWithoutColour(raster);
  const encode = (q: number) => {
    const image = toSharp(raster);
    return (isGrey ? image.toColourspace('b-w') : image)
      .jpeg({ quality: q, optimizeCoding: false })
      .toBuffer();
  };
  let jpeg = await encode(quality);
  if (jpeg.length > mostBytes) jpeg = await encode(leastQuality);
  return { jpeg, width: raster.width, height: raster.height, isGrey, rotation: 0 };
}

function isWithoutColour({ data }: Raster): boolean {
  for (let at = 0; at < data.length; at += 3) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false;
  }
  return true;
}
