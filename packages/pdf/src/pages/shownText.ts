import type { PdfPage } from '../pdfium.ts';
import type { Box, TextLine } from '../types.ts';
import type { Raster } from './raster.ts';

const textObject = 1;
const pathObject = 2;
const imageObject = 3;
const shadingObject = 4;
const formObject = 5;
/** Neither filled nor stroked: invisible, and for clipping only. */
const unseenModes = new Set([3, 7]);
/** Of 255: what is fainter, or as white as paper, nobody reads. */
const faintestAlpha = 60;
const lightestInk = 225;
/** Of 255: writing is darker (or lighter) than what it stands on by more than this. */
const leastContrast = 60;
/** Of the page's height: the line of letters of about 3 points. */
const leastHeight = 0.002;
/** Annotations that a viewer draws nothing of: links and closed notes. */
const undrawnAnnotations = new Set([2, 16]);
/** Shares of a line: more of it under a picture or a filled area, or under another line, and it may be hidden. */
const leastCover = 0.5;
const leastOverwritten = 0.2;
const deepestForm = 5;
const mostObjects = 20_000;

/**
 * Whether the text layer is what a viewer shows, as far as that can be told without reading the picture. It is not when
 * letters are invisible, as white as paper or too small to see; when they lie where a picture lies, which may hide them (a
 * scan with a layer of text is such a page: an OCR layer, or any text that was written into it); when something else is
 * painted or written over them, an annotation too; or when nothing stands out on the page's picture where a line is said to be. One such line
 * is enough: then the picture tells what was written.
 *
 * A font that draws other letters than it names is not found out.
 */
export function showsItsText(page: PdfPage, lines: readonly TextLine[], raster: Raster): boolean {
  if (lines.length === 0) return true;
  if (hasUnseenLetters(page)) return false;
  const covers = coversOn(page);
  const annotations = annotationsOn(page);
  return lines.every(
    ({ text, box }, index) =>
      !(/\p{L}/u.test(text) && box.height < leastHeight) &&
      !covers.some((cover) => overlap(box, cover, leastCover)) &&
      !annotations.some((annotation) => overlap(box, annotation, leastOverwritten)) &&
      !lines.some((other, at) => at !== index && overlap(box, other.box, leastOverwritten)) &&
      standsOut(box, raster),
  );
}

function hasUnseenLetters(page: PdfPage): boolean {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const layer = native._FPDFText_LoadPage(page.handle);
  if (layer === 0) return false;
  try {
    const count = Math.min(mostObjects, native._FPDFText_CountChars(layer));
    return pdfium.withMemory(16, (pointer, view) => {
      const seen = new Set<number>();
      for (let index = 0; index < count; index++) {
        const object = native._FPDFText_GetTextObject(layer, index);
        // Spaces and line ends that PDFium puts in have none.
        if (object === 0 || seen.has(object)) continue;
        seen.add(object);
        if (unseenModes.has(native._FPDFTextObj_GetTextRenderMode(object))) return true;
        if (
          native._FPDFText_GetFillColor(layer, index, pointer, pointer + 4, pointer + 8, pointer + 12) === 0
        ) {
          continue;
        }
        const read = view();
        const [red, green, blue, alpha] = [0, 4, 8, 12].map((at) => read.getUint32(at, true));
        if (alpha! < faintestAlpha || Math.min(red!, green!, blue!) > lightestInk) return true;
      }
      return false;
    });
  } finally {
    native._FPDFText_ClosePage(layer);
  }
}

/** Where pictures lie, and what is filled after the first letters; a form with a picture in it counts as one as a whole. */
function coversOn(page: PdfPage): Box[] {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const boxes: Box[] = [];
  let afterText = false;
  const count = Math.min(mostObjects, native._FPDFPage_CountObjects(page.handle));
  for (let index = 0; index < count; index++) {
    const object = native._FPDFPage_GetObject(page.handle, index);
    const isLate = afterText && isFilled(page, object);
    afterText ||= native._FPDFPageObj_GetType(object) === textObject;
    if (!isLate && !holdsPicture(page, object, 0)) continue;
    const box = pdfium.withMemory(16, (pointer, view) => {
      if (native._FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12) === 0) {
        return null;
      }
      const read = view();
      const [left, bottom, right, top] = [0, 4, 8, 12].map((at) => read.getFloat32(at, true));
      return page.toViewed(left!, bottom!, right!, top!);
    });
    if (box !== null) boxes.push(box);
  }
  return boxes;
}

/** Where annotations are drawn, which is over all that the page holds. */
function annotationsOn(page: PdfPage): Box[] {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const boxes: Box[] = [];
  const count = Math.min(mostObjects, native._FPDFPage_GetAnnotCount(page.handle));
  for (let index = 0; index < count; index++) {
    const annotation = native._FPDFPage_GetAnnot(page.handle, index);
    if (annotation === 0) continue;
    try {
      if (undrawnAnnotations.has(native._FPDFAnnot_GetSubtype(annotation))) continue;
      const box = pdfium.withMemory(16, (pointer, view) => {
        if (native._FPDFAnnot_GetRect(annotation, pointer) === 0) return null;
        const read = view();
        // FS_RECTF: left, top, right, bottom.
        const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => read.getFloat32(at, true));
        return page.toViewed(left!, Math.min(bottom!, top!), right!, Math.max(bottom!, top!));
      });
      if (box !== null) boxes.push(box);
    } finally {
      native._FPDFPage_CloseAnnot(annotation);
    }
  }
  return boxes;
}

function isFilled(page: PdfPage, object: number): boolean {
  const { pdfium } = page.document;
  const type = pdfium.native._FPDFPageObj_GetType(object);
  if (type !== pathObject) return type === shadingObject || type === formObject;
  return pdfium.withMemory(
    8,
    (pointer, view) =>
      pdfium.native._FPDFPath_GetDrawMode(object, pointer, pointer + 4) !== 0 &&
      view().getInt32(0, true) !== 0,
  );
}

function holdsPicture(page: PdfPage, object: number, depth: number): boolean {
  const { native } = page.document.pdfium;
  const type = native._FPDFPageObj_GetType(object);
  if (type === imageObject) return true;
  if (type !== formObject) return false;
  const count = native._FPDFFormObj_CountObjects(object);
  // What cannot be looked through may hold one.
  if (depth >= deepestForm || count > 1000) return true;
  for (let index = 0; index < count; index++) {
    if (holdsPicture(page, native._FPDFFormObj_GetObject(object, index), depth + 1)) return true;
  }
  return false;
}

/** More than `share` of the line lies on the other. */
function overlap(line: Box, picture: Box, share: number): boolean {
  const width = Math.min(line.x + line.width, picture.x + picture.width) - Math.max(line.x, picture.x);
  const height = Math.min(line.y + line.height, picture.y + picture.height) - Math.max(line.y, picture.y);
  return width > 0 && height > 0 && width * height > line.width * line.height * share;
}

function standsOut(
  { x, y, width, height }: Box,
  { data, width: across, height: down, channels }: Raster,
): boolean {
  const [left, right] = [Math.floor(x * across), Math.ceil((x + width) * across)];
  const [top, bottom] = [Math.floor(y * down), Math.ceil((y + height) * down)];
  let [darkest, lightest] = [255, 0];
  for (let row = Math.max(0, top); row < Math.min(down, bottom); row++) {
    for (let column = Math.max(0, left); column < Math.min(across, right); column++) {
      const at = (row * across + column) * channels;
      const grey = channels === 1 ? data[at]! : (data[at]! + data[at + 1]! + data[at + 2]!) / 3;
      if (grey < darkest) darkest = grey;
      if (grey > lightest) lightest = grey;
    }
    if (lightest - darkest > leastContrast) return true;
  }
  return false;
}
