import { readFile } from 'node:fs/promises';
import type { Job } from '../messages.ts';
import { openReadable } from '../openUpload.ts';
import type { PdfDocument, PdfPage } from '../pdfium.ts';
import type { PageImage, TextLine } from '../types.ts';
import { toImageBox } from '../viewedBox.ts';
import { isBlank } from './blank.ts';
import { stretchContrast } from './contrast.ts';
import { findInk } from './ink.ts';
import { writePageFiles } from './pageFiles.ts';
import { noPicture, takePicture } from './picture.ts';
import type { Picture, PictureOptions } from './picture.ts';
import { toGrey, toRaster, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';
import { canExtract } from './scannerJpeg.ts';
import { findSkew } from './skew.ts';
import { showsItsText } from './shownText.ts';
import { textLines } from './textLines.ts';

type ExtractJob = Extract<Job, { kind: 'extract' }>;

export interface Progress {
  /** Called for each page in order, after its files are complete. */
  page: (page: PageImage) => Promise<void>;
  beforeNativeDecoding: PictureOptions['beforeNativeDecoding'];
}

/** Runs in the child process. */
export const extract = async (job: ExtractJob, progress: Progress): Promise<void> => {
  const { document, bytes } = await openReadable(await readFile(job.file));
  const { longSide } = job;
  const { beforeNativeDecoding } = progress;
  const options = { longSide, mayExtract: canExtract(bytes), beforeNativeDecoding };
  const lastPage = Math.min(job.lastPage ?? Infinity, document.pageCount);
  let readable = 0;
  for (let page = job.firstPage; page <= lastPage; page++) {
    const view = await look(document, page, options);
    if (view.readable) readable++;
    await progress.page(await write(page, view, document, job));
  }
  if (readable === 0 && lastPage >= job.firstPage) throw new Error('no page could be read');
};

interface View extends Picture {
  rotation: PageImage['picture']['rotation'];
  lines: TextLine[];
  textIsShown: boolean;
}

const look = async (document: PdfDocument, page: number, options: PictureOptions): Promise<View> => {
  const see = async (loaded: PdfPage): Promise<View> => {
    const picture = await takePicture(loaded, options);
    const lines = textLines(loaded);
    const { rotation } = loaded.frame;
    return { ...picture, rotation, lines, textIsShown: showsItsText(loaded, lines, picture.raster) };
  };
  const seen = await document.withPage(page, see);
  if (seen !== null) return seen;
  const white = noPicture(document.viewedSize(page), options.longSide);
  return { ...white, rotation: 0, lines: [], textIsShown: true };
};

const write = async (
  page: number,
  { raster, scan, rotation, damaged, lines, textIsShown }: View,
  document: PdfDocument,
  job: ExtractJob,
): Promise<PageImage> => {
  const grey = toGrey(raster);
  const ink = findInk(grey);
  const blank = isBlank(ink);
  const skewDegrees = blank ? 0 : findSkew(ink);
  const isStretched = stretchContrast(raster, grey);
  const upright = skewDegrees === 0 ? raster : await straighten(raster, skewDegrees, job.longSide);
  const files = await writePageFiles(page, job.outDir, {
    raster,
    grey,
    isStretched,
    upright,
    scan,
    rotation,
  });
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
    ...files,
    ...geometry,
    points: document.viewedSize(page),
    blank,
    damaged,
    textLines: lines.map(({ text, box }) => ({ text, box: toImageBox(box, geometry) })),
    textIsShown,
  };
};

const straighten = async (raster: Raster, skewDegrees: number, longSide: number): Promise<Raster> => {
  const turned = await toRaster(toSharp(raster).rotate(-skewDegrees, { background: '#fff' }));
  if (Math.max(turned.width, turned.height) <= longSide) return turned;
  return toRaster(toSharp(turned).resize({ width: longSide, height: longSide, fit: 'inside' }));
};

const turnedWidth = ({ width, height }: Raster, degrees: number): number => {
  const radians = (Math.abs(degrees) * Math.PI) / 180;
  return width * Math.cos(radians) + height * Math.sin(radians);
};
