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

/** A raster of one channel. */
export interface GreyRaster extends Raster {
  channels: 1;
}

export const toSharp = (raster: Raster): Sharp => {
  const { width, height, channels } = raster;
  const image = sharp(raster.data, { raw: { width, height, channels } });
  // Without a colour space named, sharp makes three channels of one.
  return channels === 1 ? image.toColourspace('b-w') : image;
};

const WHITE = Buffer.alloc(64 * 1024, 255);

/** True when all bytes from `from` to `to` are 255, as in the rows of a rendered page that show paper only. */
export const isWhite = (data: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at += WHITE.length) {
    const end = Math.min(to, at + WHITE.length);
    if (WHITE.compare(data, at, end, 0, end - at) !== 0) return false;
  }
  return true;
};

/** Brightness of a picture of three channels; null if it has a colour. `data` begins at a multiple of 4 bytes. */
export const greyOf = (data: Uint8Array, pixels: number): Buffer | null => {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2);
  const grey = Buffer.allocUnsafeSlow(pixels).fill(255);
  // Three words are four pixels. Most of a page is white.
  const last = pixels & ~3;
  for (let pixel = 0, word = 0; pixel < last; pixel += 4, word += 3) {
    if ((words[word]! & words[word + 1]! & words[word + 2]!) === -1) continue;
    if (!copyGrey(data, grey, pixel, pixel + 4)) return null;
  }
  return copyGrey(data, grey, last, pixels) ? grey : null;
};

/** Returns false at a pixel with a colour. */
const copyGrey = (data: Uint8Array, grey: Buffer, from: number, to: number): boolean => {
  for (let pixel = from, at = from * 3; pixel < to; pixel++, at += 3) {
    const value = data[at]!;
    if (value !== data[at + 1] || value !== data[at + 2]) return false;
    grey[pixel] = value;
  }
  return true;
};

/** Brightness of each pixel, weighted for the eye (green most). A grey picture is returned as it is. */
export const toGrey = ({ data, width, height, channels }: Raster): GreyRaster => {
  if (channels === 1) return { data, width, height, channels };
  const grey = Buffer.allocUnsafeSlow(width * height);
  for (let pixel = 0, at = 0; pixel < grey.length; pixel++, at += 3) {
    grey[pixel] = (data[at]! * 2 + data[at + 1]! * 5 + data[at + 2]!) >> 3;
  }
  return { data: grey, width, height, channels: 1 };
};

export const toRaster = async (image: Sharp): Promise<Raster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 1 && info.channels !== 3)
    throw new Error(`unsupported number of channels: ${info.channels}`);
  return { data, width: info.width, height: info.height, channels: info.channels };
};
