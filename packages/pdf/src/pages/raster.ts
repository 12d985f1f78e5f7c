import sharp from 'sharp';
import type { Sharp } from 'sharp';

// One thread and no cache: parallelism is by process, and a cache only holds pages that never come again.
sharp.concurrency(1);
sharp.cache(false);

/** Uncompressed pixels, rows from the top, 1 (grey) or 3 (RGB) bytes a pixel. */
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

export async function toRaster(image: Sharp): Promise<Raster> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 1 && info.channels !== 3) throw new Error(`${info.channels} channels`);
  return { data, width: info.width, height: info.height, channels: info.channels };
}
