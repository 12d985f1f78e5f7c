import type { PdfPage } from '../pdfium.ts';
import { render } from './render.ts';

/** Cells of the test pattern: one is 3.3 mm wide on A4. */
const [ACROSS, DOWN] = [64, 90];
/** Pixels by which the page is drawn for each cell. */
const SCALE = 4;
/** A sample nearer to the border of its cell than this part of a cell is not compared, because PDFium smooths there. */
const BORDER = 0.3;
/** Grey levels of 255 by which a sample may differ; the steps of the pattern differ by 40. */
const TOLERANCE = 20;
const BGR24 = 2;

/** Levels that differ between neighbouring cells, rows, columns and channels. */
const level = (column: number, row: number, channel: number): number =>
  ((column * 3 + row * 5 + channel * 2) % 7) * 40 + 8;

/**
 * True if the page paints its picture over the whole page as it is: a pattern in place of the picture comes out
 * unchanged. Clips, transfer functions, blend modes and covers fail, whatever operators they are written with. It takes
 * 3 ms; a thumbnail of the picture itself takes 70 ms, because PDFium decodes the JPEG in full.
 *
 * The picture is replaced in the opened document, which must not be drawn afterwards.
 */
export const paintsUnchanged = (page: PdfPage, image: number): boolean => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const wasReplaced = pdfium.withMemory(ACROSS * DOWN * 3, (pointer, view) => {
    const bytes = view();
    for (let at = 0, row = 0; row < DOWN; row++) {
      for (let column = 0; column < ACROSS; column++) {
        for (let channel = 2; channel >= 0; channel--) bytes.setUint8(at++, level(column, row, channel));
      }
    }
    const bitmap = native._FPDFBitmap_CreateEx(ACROSS, DOWN, BGR24, pointer, ACROSS * 3);
    if (bitmap === 0) return false;
    try {
      return native._FPDFImageObj_SetBitmap(0, 0, image, bitmap) !== 0;
    } finally {
      native._FPDFBitmap_Destroy(bitmap);
    }
  });
  return wasReplaced && showsPattern(page, image);
};

const showsPattern = (page: PdfPage, image: number): boolean => {
  const toPicture = pictureFractions(page, image);
  const lies = page.frame.rotation % 180 !== 0;
  const [width, height] = lies ? [DOWN * SCALE, ACROSS * SCALE] : [ACROSS * SCALE, DOWN * SCALE];
  const { data, channels } = render(page, width, height);
  if (channels !== 3) return false;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [across, down] = toPicture((x + 0.5) / width, (y + 0.5) / height);
      const [column, row] = [Math.floor(across * ACROSS), Math.floor(down * DOWN)];
      if (column < 0 || row < 0 || column >= ACROSS || row >= DOWN) continue;
      if (isNearBorder(across * ACROSS - column) || isNearBorder(down * DOWN - row)) continue;
      for (let channel = 0; channel < 3; channel++) {
        const seen = data[(y * width + x) * 3 + channel]!;
        if (Math.abs(seen - level(column, row, channel)) > TOLERANCE) return false;
      }
    }
  }
  return true;
};

const isNearBorder = (part: number): boolean => part < BORDER || part > 1 - BORDER;

/** Maps fractions of the viewed page to fractions of the picture, both from the top left. */
const pictureFractions = (page: PdfPage, image: number) => {
  const { pdfium } = page.document;
  const { frame } = page;
  const { a, d, e, f } = pdfium.withMemory(24, (pointer, view) => {
    pdfium.native._FPDFPageObj_GetMatrix(image, pointer);
    const entry = (index: number) => view().getFloat32(index * 4, true);
    return { a: entry(0), d: entry(3), e: entry(4), f: entry(5) };
  });
  return (x: number, y: number): [across: number, down: number] => {
    const [left, top] = unturned(x, y, frame.rotation);
    const [userX, userY] = [frame.x + left * frame.width, frame.y + (1 - top) * frame.height];
    return [(userX - e) / a, 1 - (userY - f) / d];
  };
};

/** The place of a viewed point on the page before its clockwise rotation. */
const unturned = (x: number, y: number, rotation: number): [left: number, top: number] => {
  if (rotation === 90) return [y, 1 - x];
  if (rotation === 180) return [1 - x, 1 - y];
  if (rotation === 270) return [1 - y, x];
  return [x, y];
};
