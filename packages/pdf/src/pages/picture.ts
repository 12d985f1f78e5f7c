import sharp from 'sharp';
import type { PdfPage } from '../pdfium.ts';
import { longSideOf, partsOf } from './longPages.ts';
import { lacksPixels } from './lostPictures.ts';
import { holdsFinePicture } from './picturesOf.ts';
import { plainJpeg } from './plainJpeg.ts';
import type { PlainJpeg } from './plainJpeg.ts';
import { toRaster, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';
import { render } from './render.ts';
import { MAX_SCAN_PIXELS, scannerJpeg } from './scannerJpeg.ts';

/** Limit for progressive JPEGs: libjpeg holds the whole picture while decoding, 6 bytes per pixel. */
const MAX_PROGRESSIVE_PIXELS = 35_000_000;

/** 200 dpi of A4 where the reader's picture has 134. */
const SHARPER = 1.5;

export interface Picture {
  /** Upright, in the page's proportions. */
  raster: Raster;
  /** The same, drawn sharper for people, of a page with a picture that has more pixels; else null. */
  sharper: Raster | null;
  /** Something of the page gave no pixels. */
  damaged: boolean;
  /** False when the raster is only a white page. */
  readable: boolean;
  /** The scanner's JPEG of the raster; null when the page was rendered or the JPEG must not be copied. */
  scan: PlainJpeg | null;
}

export interface PictureOptions {
  /** Pixels; a smaller scan is not enlarged. */
  longSide: number;
  /** See `findScans`. */
  isScan: boolean;
  /** Awaited before native code (libvips) reads bytes of the upload. */
  beforeNativeDecoding: () => Promise<void>;
}

export const takePicture = async (page: PdfPage, options: PictureOptions): Promise<Picture> => {
  const { longSide, isScan } = options;
  const jpeg = isScan ? scannerJpeg(page) : null;
  if (jpeg !== null) {
    await options.beforeNativeDecoding();
    const scan = await decodeScan(jpeg, page, longSide);
    if (scan === 'monstrous') return noPicture(page.viewed, longSide);
    if (scan !== 'undecodable') return scan;
  }
  const size = fit(page.viewed, longSide);
  const isFine = partsOf(page.viewed) === 1 && holdsFinePicture(page, longSide);
  const drawnSize = fit(page.viewed, isFine ? Math.round(longSide * SHARPER) : longSide);
  const drawn = render(page, drawnSize.width, drawnSize.height);
  const raster = isFine ? await toRaster(toSharp(drawn).resize({ ...size, fit: 'fill' })) : drawn;
  return {
    raster,
    sharper: isFine ? drawn : null,
    damaged: jpeg !== null || lacksPixels(page, raster),
    readable: true,
    scan: null,
  };
};

/** White page in place of a page that could not be read, so that page numbers stay correct. */
export const noPicture = (viewed: { width: number; height: number }, longSide: number): Picture => {
  const { width, height } = fit(viewed, longSide);
  const raster: Raster = { data: Buffer.alloc(width * height, 255), width, height, channels: 1 };
  return { raster, sharper: null, damaged: true, readable: false, scan: null };
};

/** @param most pixels of the longer side, of a scan that is not enlarged */
const fit = (size: { width: number; height: number }, longSide: number, most = Infinity) => {
  const scale = Math.min(longSideOf(size, longSide), most) / Math.max(size.width, size.height);
  const side = (points: number) => Math.max(16, Math.round(points * scale));
  return { width: side(size.width), height: side(size.height) };
};

const decodeScan = async (
  jpeg: Buffer,
  page: PdfPage,
  longSide: number,
): Promise<Picture | 'monstrous' | 'undecodable'> => {
  let header;
  try {
    header = await sharp(jpeg, { limitInputPixels: false }).metadata();
  } catch {
    return 'undecodable';
  }
  // Viewers disagree on the marker that inverts a CMYK JPEG, so PDFium renders such a page.
  if (header.format !== 'jpeg' || (header.channels !== 1 && header.channels !== 3)) return 'undecodable';
  const pixels = header.width * header.height;
  if (pixels > (header.isProgressive ? MAX_PROGRESSIVE_PIXELS : MAX_SCAN_PIXELS)) return 'monstrous';

  // The page's proportions, not the picture's: a fax has different resolutions across and down.
  const upright = fit(page.viewed, longSide, Math.max(header.width, header.height));
  const turned = page.frame.rotation % 180 !== 0;
  const lying = turned ? { width: upright.height, height: upright.width } : upright;
  const isGrey = header.channels === 1;
  const decode = (failOn: 'warning' | 'none') => {
    // The decoder scales down most of the way, so a better resize kernel makes no visible difference.
    const scaled = sharp(jpeg, { failOn, limitInputPixels: MAX_SCAN_PIXELS, ignoreIcc: true }).resize({
      ...lying,
      fit: 'fill',
      kernel: 'linear',
    });
    return toRaster(isGrey ? scaled.toColourspace('b-w') : scaled);
  };
  let raster: Raster;
  let damaged = false;
  try {
    raster = await decode('warning');
  } catch {
    damaged = true;
    try {
      raster = await decode('none');
    } catch {
      return 'undecodable';
    }
  }
  if (page.frame.rotation !== 0) raster = await toRaster(toSharp(raster).rotate(page.frame.rotation));
  return { raster, sharper: null, damaged, readable: true, scan: damaged ? null : plainJpeg(jpeg) };
};
