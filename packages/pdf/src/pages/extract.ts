import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../messages.ts';
import { openReadable } from '../openUpload.ts';
import type { PdfDocument, PdfPage } from '../pdfium.ts';
import type { PageImage, TextLine } from '../types.ts';
import { toImageBox } from '../viewedBox.ts';
import { isBlank } from './blank.ts';
import { stretchContrast } from './contrast.ts';
import { findInk } from './ink.ts';
import { noPicture, takePicture } from './picture.ts';
import type { Picture } from './picture.ts';
import { toRaster, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';
import { canExtract } from './scannerJpeg.ts';
import { findSkew } from './skew.ts';
import { showsItsText } from './shownText.ts';
import { textLines } from './textLines.ts';

/** Optimised Huffman tables would save 5 % of the bytes and take two thirds of the encoder's time. */
const jpegOptions = { quality: 80, optimizeCoding: false };

/** Runs in the child process. Calls `tell` for each page in order, after its file is complete. */
export async function extract(
  job: Extract<Job, { kind: 'extract' }>,
  tell: (page: PageImage) => Promise<void>,
): Promise<void> {
  const { document, bytes } = await openReadable(await readFile(job.file));
  const mayExtract = canExtract(bytes);
  const lastPage = Math.min(job.lastPage ?? Infinity, document.pageCount);
  let readable = 0;
  for (let page = job.firstPage; page <= lastPage; page++) {
    const view = await look(document, page, job.longSide, mayExtract);
    if (view.readable) readable++;
    await tell({ ...(await write(page, view, job)), points: document.viewedSize(page) });
  }
  if (readable === 0 && lastPage >= job.firstPage) throw new Error('no page could be read');
}

interface View extends Picture {
  lines: TextLine[];
  textIsShown: boolean;
}

async function look(
  document: PdfDocument,
  page: number,
  longSide: number,
  mayExtract: boolean,
): Promise<View> {
  const see = async (loaded: PdfPage): Promise<View> => {
    const picture = await takePicture(loaded, longSide, mayExtract);
    const lines = textLines(loaded);
    return { ...picture, lines, textIsShown: showsItsText(loaded, lines, picture.raster) };
  };
  const seen = await document.withPage(page, see);
  if (seen !== null) return seen;
  return { ...noPicture(document.viewedSize(page), longSide), lines: [], textIsShown: true };
}

async function write(
  page: number,
  { raster, damaged, lines, textIsShown }: View,
  job: Extract<Job, { kind: 'extract' }>,
): Promise<Omit<PageImage, 'points'>> {
  const ink = findInk(raster);
  const blank = isBlank(ink);
  const skewDegrees = blank ? 0 : findSkew(ink);
  stretchContrast(raster);
  const upright = skewDegrees === 0 ? raster : await straighten(raster, skewDegrees, job.longSide);
  const file = join(job.outDir, `page-${String(page).padStart(4, '0')}.jpg`);
  await toSharp(upright).jpeg(jpegOptions).toFile(file);
  // Deskewing enlarged the canvas; fitting it into `longSide` again reduced the scale.
  const scale = skewDegrees === 0 ? 1 : upright.width / turnedWidth(raster, skewDegrees);
  const geometry = {
    width: upright.width,
    height: upright.height,
    pageWidth: raster.width * scale,
    pageHeight: raster.height * scale,
    skewDegrees,
  };
  return {
    page,
    file,
    ...geometry,
    blank,
    damaged,
    textLines: lines.map(({ text, box }) => ({ text, box: toImageBox(box, geometry) })),
    textIsShown,
  };
}

async function straighten(raster: Raster, skewDegrees: number, longSide: number): Promise<Raster> {
  const turned = await toRaster(toSharp(raster).rotate(-skewDegrees, { background: '#fff' }));
  if (Math.max(turned.width, turned.height) <= longSide) return turned;
  return toRaster(toSharp(turned).resize({ width: longSide, height: longSide, fit: 'inside' }));
}

function turnedWidth({ width, height }: Raster, degrees: number): number {
  const radians = (Math.abs(degrees) * Math.PI) / 180;
  return width * Math.cos(radians) + height * Math.sin(radians);
}
