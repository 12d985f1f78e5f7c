import type { GreyRaster, Raster } from './raster.ts';

/** Grey levels that limit the stretch: the darkest ink can be a faint pencil line, and paper can be grey. */
const LIGHTEST_BLACK = 100;
const DARKEST_WHITE = 160;
/** Grey levels between ink and paper above which the page is left as it is. */
const ENOUGH_CONTRAST = 165;

/**
 * Stretches grey levels of both pictures in place so that paper becomes white and the darkest ink black. One table for
 * all channels keeps hues. Local methods (CLAHE) take ten times as long and amplify writing on the back of the sheet.
 * @param grey brightness of `raster`
 * @returns false when the page had enough contrast and was not changed
 */
export const stretchContrast = (raster: Raster, grey: GreyRaster): boolean => {
  const histogram = new Uint32Array(256);
  const stride = 7;
  let counted = 0;
  for (let pixel = 0; pixel < grey.data.length; pixel += stride) {
    const value = grey.data[pixel]!;
    histogram[value] = histogram[value]! + 1;
    counted++;
  }
  const black = Math.min(LIGHTEST_BLACK, percentile(histogram, counted * 0.002));
  const white = Math.max(DARKEST_WHITE, percentile(histogram, counted * 0.9));
  if (white - black >= ENOUGH_CONTRAST) return false;
  const table = Uint8Array.from({ length: 256 }, (_, value) =>
    Math.max(0, Math.min(255, Math.round(((value - black) * 255) / (white - black)))),
  );
  const pairs = pairsOf(table);
  mapLevels(raster, pairs);
  if (grey.data !== raster.data) mapLevels(grey, pairs);
  return true;
};

/** The table for two levels at once, which halves the time of `mapLevels`. */
const pairsOf = (table: Uint8Array): Uint16Array => {
  const pairs = new Uint16Array(65_536);
  for (let pair = 0; pair < pairs.length; pair++) {
    pairs[pair] = (table[pair >> 8]! << 8) | table[pair & 255]!;
  }
  return pairs;
};

/** Replaces each level by its entry in the table, in place. `data` begins at an even address. */
const mapLevels = ({ data }: Raster, pairs: Uint16Array): void => {
  const words = new Uint16Array(data.buffer, data.byteOffset, data.length >> 1);
  for (let at = 0; at < words.length; at++) words[at] = pairs[words[at]!]!;
  const last = data.length - 1;
  if (last % 2 === 0) data[last] = pairs[data[last]!]!;
};

const percentile = (histogram: Uint32Array, rank: number): number => {
  let below = 0;
  for (let value = 0; value < 256; value++) {
    below += histogram[value]!;
    if (below > rank) return value;
  }
  return 255;
};
