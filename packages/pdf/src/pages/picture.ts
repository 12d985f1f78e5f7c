import sharp from 'sharp';
import type { PdfPage } from '../pdfium.ts';
import { hasLostPicture } from './lostPictures.ts';
import { toRaster, toSharp } from './raster.ts';
import type { Raster } from './raster.ts';
import { render } from './render.ts';
import { maxScanPixels, scannerJpeg } from './scannerJpeg.ts';

/** A progressive JPEG is held whole while it is decoded, 6 bytes a pixel. */
const maxProgressivePixels = 35_000_000;

export interface Picture {
  /** Upright, of the page's proportions. */
  raster: Raster;
  damaged: boolean;
  /** False when nothing but a white page stands for it. */
  readable: boolean;
}

/**
 * The page as a viewer shows it. `longSide` is in pixels; a scan that is smaller is not enlarged.
 * @param mayExtract false when a picture's mask or inversion could be hidden from us (see extract.ts)
 */
export async function takePicture(page: PdfPage, longSide: number, mayExtract: boolean): Promise<Picture> {
  const jpeg = mayExtract ? scannerJpeg(page) : null;
  if (jpeg !== null) {
    const scan = await decodeScan(jpeg, page, longSide);
    if (scan === 'monstrous') return noPicture(page.viewed, longSide);
    if (scan !== 'undecodable') return scan;
  }
  const { width, height } = fit(page.viewed, longSide);
  const raster = render(page, width, height);
  return { raster, damaged: jpeg !== null || hasLostPicture(page), readable: true };
}

/** Stands for a page that nothing could be read of, so that page numbers stay true. */
export function noPicture(viewed: { width: number; height: number }, longSide: number): Picture {
  const { width, height } = fit(viewed, longSide);
  const raster: Raster = { data: Buffer.alloc(width * height, 255), width, height, channels: 1 };
  return { raster, damaged: true, readable: false };
}

function fit(size: { width: number; height: number }, longSide: number) {
  const scale = longSide / Math.max(size.width, size.height);
  const side = (points: number) => Math.max(16, Math.round(points * scale));
  return { width: side(size.width), height: side(size.height) };
}

async function decodeScan(
  jpeg: Buffer,
  page: PdfPage,
  longSide: number,
): Promise<Picture | 'monstrous' | 'undecodable'> {
  let header;
  try {
    header = await sharp(jpeg, { limitInputPixels: false }).metadata();
  } catch {
    return 'undecodable';
  }
  // A CMYK JPEG is inverted or not by a marker that viewers read each in their own way: leave it to PDFium.
  if (header.format !== 'jpeg' || (header.channels !== 1 && header.channels !== 3)) return 'undecodable';
  const pixels = header.width * header.height;
  if (pixels > (header.isProgressive ? maxProgressivePixels : maxScanPixels)) return 'monstrous';

  // The page's proportions, not the picture's: a fax has other resolutions across than down.
  const upright = fit(page.viewed, Math.min(longSide, Math.max(header.width, header.height)));
  const turned = page.frame.rotation % 180 !== 0;
  const lying = turned ? { width: upright.height, height: upright.width } : upright;
  const decode = (failOn: 'warning' | 'none') =>
    toRaster(
      // The decoder halves as often as it can, so little is left to shrink: a sharper kernel shows no difference.
      sharp(jpeg, { failOn, limitInputPixels: maxScanPixels, ignoreIcc: true }).resize({
        ...lying,
        fit: 'fill',
        kernel: 'linear',
      }),
    );
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
  return { raster, damaged, readable: true };
}
