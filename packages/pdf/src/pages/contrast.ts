import { brightness } from './ink.ts';
import { isWhite } from './raster.ts';
import type { Raster } from './raster.ts';

/** Grey levels that limit the stretch: the darkest ink can be a faint pencil line, and paper can be grey. */
const LIGHTEST_BLACK = 100;
const DARKEST_WHITE = 160;
/** Grey levels between ink and paper above which the page is left as it is. */
const ENOUGH_CONTRAST = 165;

/**
 * Stretches grey levels in place so that paper becomes white and the darkest ink black. One table for all channels
 * keeps hues. Local methods (CLAHE) take ten times as long and amplify writing on the back of the sheet.
 * @returns false when the page had enough contrast and was not changed
 */
export const stretchContrast = (raster: Raster): boolean => {
  const { data, channels } = raster;
  const pixels = raster.width * raster.height;
  const histogram = new Uint32Array(256);
  const stride = 7;
  let counted = 0;
  for (let pixel = 0; pixel < pixels; pixel += stride) {
    const value = channels === 1 ? data[pixel]! : brightness(raster, pixel);
    histogram[value] = histogram[value]! + 1;
    counted++;
  }
  const black = Math.min(LIGHTEST_BLACK, percentile(histogram, counted * 0.002));
  const white = Math.max(DARKEST_WHITE, percentile(histogram, counted * 0.9));
  if (white - black >= ENOUGH_CONTRAST) return false;
  const table = Uint8Array.from({ length: 256 }, (_, value) =>
    Math.max(0, Math.min(255, Math.round(((value - black) * 255) / (white - black)))),
  );
  const row = raster.width * channels;
  for (let start = 0; start < data.length; start += row) {
    const end = start + row;
    if (isWhite(data, start, end)) continue;
    for (let at = start; at < end; at++) data[at] = table[data[at]!]!;
  }
  return true;
};

const percentile = (histogram: Uint32Array, rank: number): number => {
  let below = 0;
  for (let value = 0; value < 256; value++) {
    below += histogram[value]!;
    if (below > rank) return value;
  }
  return 255;
};
