import type { InkMap } from './ink.ts';

/** Share of ink pixels, measured on scans: specks lie below it, a single page number above. */
const BLANK_SHARE = 0.000_08;
const SPECK_PIXELS = 6;
/** Share of a side in which scanners leave shadows and torn edges. */
const EDGE_SHARE = 0.02;

export const isBlank = ({ ink, width, height }: InkMap): boolean => {
  const enough = width * height * BLANK_SHARE;
  const [edgeX, edgeY] = [width * EDGE_SHARE, height * EDGE_SHARE];
  const seen = new Uint8Array(ink.length);
  const open: number[] = [];
  let total = 0;
  for (let start = ink.indexOf(1); start !== -1; start = ink.indexOf(1, start + 1)) {
    if (seen[start] === 1) continue;
    let size = 0;
    let inside = false;
    seen[start] = 1;
    open.push(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      size++;
      inside ||= x >= edgeX && x < width - edgeX && y >= edgeY && y < height - edgeY;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
          const next = ny * width + nx;
          if (ink[next] === 0 || seen[next] === 1) continue;
          seen[next] = 1;
          open.push(next);
        }
      }
    }
    if (inside && size >= SPECK_PIXELS) total += size;
    if (total >= enough) return false;
  }
  return true;
};
