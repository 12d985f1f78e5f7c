import { readFile } from 'node:fs/promises';
import type { Job } from '../messages.ts';
import { openReadable, reopen } from '../openUpload.ts';
import type { PdfDocument, PdfPage } from '../pdfium.ts';
import type { PageImage } from '../types.ts';
import { stretchContrast } from './contrast.ts';
import { findInk } from './ink.ts';
import { drawsNothing, isOtherColourThanPaper } from './lostPictures.ts';
import { writePageFiles } from './pageFiles.ts';
import { stateOf } from './pageState.ts';
import { noPicture, takePicture } from './picture.ts';
import type { Picture, PictureOptions } from './picture.ts';
import { toGrey, toRaster, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';
import { findScans } from './scannerJpeg.ts';
import { findSkew } from './skew.ts';

type ExtractJob = Extract<Job, { kind: 'extract' }>;

export interface Progress {
  /** Called for each page in order, after its files are complete. */
  page: (page: PageImage) => Promise<void>;
  beforeNativeDecoding: PictureOptions['beforeNativeDecoding'];
}

/** Runs in the child process. */
export const extract = async (job: ExtractJob, progress: Progress): Promise<void> => {
  const opened = await openReadable(await readFile(job.file));
  const { bytes } = opened;
  const { longSide } = job;
  const { beforeNativeDecoding } = progress;
  const lastPage = Math.min(job.lastPage ?? Infinity, opened.document.pageCount);
  const scans = await findScans(opened.document, bytes, job.firstPage, lastPage);
  const document = reopen(opened.document, bytes);
  const options = { longSide, scans, beforeNativeDecoding };
  let readable = 0;
  for (let page = job.firstPage; page <= lastPage; page++) {
    const view = await look(document, page, options);
    if (view.drawsNothing) {
      // Loaded when needed: few copies have such a page, and pdf-lib adds 70 ms to the start of a child.
      const { placesMissingObject } = await import('./missingObjects.ts');
      view.damaged = await placesMissingObject(bytes, page);
    }
    if (view.readable) readable++;
    await progress.page(await write(page, view, document, job));
  }
  if (readable === 0 && lastPage >= job.firstPage) throw new Error('no page could be read');
};

interface View extends Picture {
  rotation: PageImage['picture']['rotation'];
  drawsNothing: boolean;
}

type Options = Omit<PictureOptions, 'isScan'> & { scans: ReadonlySet<number> };

const look = async (document: PdfDocument, page: number, options: Options): Promise<View> => {
  const see = async (loaded: PdfPage): Promise<View> => {
    const picture = await takePicture(loaded, { ...options, isScan: options.scans.has(page) });
    const { rotation } = loaded.frame;
    return { ...picture, rotation, drawsNothing: drawsNothing(loaded) };
  };
  const seen = await document.withPage(page, see);
  if (seen !== null) return seen;
  const white = noPicture(document.viewedSize(page), options.longSide);
  return { ...white, rotation: 0, drawsNothing: false };
};

const write = async (
  page: number,
  { raster, sharper, scan, rotation, damaged }: View,
  document: PdfDocument,
  job: ExtractJob,
): Promise<PageImage> => {
  const grey = toGrey(raster);
  const isOtherColour = isOtherColourThanPaper(raster);
  const isDrawn = !damaged && !isOtherColour;
  const unstretched = { ...raster, data: Buffer.from(raster.data) };
  const isStretched = stretchContrast(raster, grey);
  const ink = findInk(grey);
  const state = stateOf(ink, unstretched);
  const skewDegrees = state === 'written' ? findSkew(ink) : 0;
  const upright = skewDegrees === 0 ? raster : await straighten(raster, skewDegrees, job.longSide);
  const files = await writePageFiles(page, job.outDir, {
    raster,
    sharper,
    isStretched,
    upright,
    ink,
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
    state: isDrawn ? state : 'not_drawn',
    showsInk: state !== 'clean' && !isOtherColour,
  };
};

const straighten = async (raster: Raster, skewDegrees: number, least: number): Promise<Raster> => {
  const longSide = Math.max(least, raster.width, raster.height);
  const turned = await toRaster(toSharp(raster).rotate(-skewDegrees, { background: '#fff' }));
  if (Math.max(turned.width, turned.height) <= longSide) return turned;
  return toRaster(toSharp(turned).resize({ width: longSide, height: longSide, fit: 'inside' }));
};

const turnedWidth = ({ width, height }: Raster, degrees: number): number => {
  const radians = (Math.abs(degrees) * Math.PI) / 180;
  return width * Math.cos(radians) + height * Math.sin(radians);
};
