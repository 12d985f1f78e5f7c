import sharp from 'sharp';
import type { Sharp } from 'sharp';

// One thread, because processes run in parallel; no cache, because each page is read once.
sharp.concurrency(1);
sharp.cache(false);

/** Uncompressed pixels, rows from the top, 1 (grey) or 3 (RGB) bytes per pixel. */
export interface Raster {
  data: Buffer;
  width: number;
  height: number;
  channels: 1 | 3;
}

export function toSharp(raster: Raster): Sharp {
  const { width, height, channels } = raster;
  return sharp(raster.data, { raw: { width, height, channels } });
}

/** Brightness of a picture, scaled down to `longSide` pixels where it is larger. */
export async function readGrey(file: string, longSide: number): Promise<Raster> {
  return toRaster(
    sharp(file, { failOn: 'none' })
      .resize({ width: longSide, height: longSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('b-w')
      .extractChannel(0),
  );
}

export async function toRaster(image: Sharp): Promise<Raster> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 1 && info.channels !== 3)
    throw new Error(`unsupported number of channels: ${info.channels}`);
  return { data, width: info.width, height: info.height, channels: info.channels };
}
