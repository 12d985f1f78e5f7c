import type { PdfPage } from '../pdfium.ts';

const IMAGE_OBJECT = 3;
const FORM_OBJECT = 5;
const DEEPEST_FORM = 12;
/** Objects searched per page. */
const MOST_OBJECTS = 50_000;

/** The pictures of a page, also inside forms. `top`: the object of the page that is the picture or holds it. */
export function* picturesOf(page: PdfPage): Generator<{ image: number; top: number }> {
  const { native } = page.document.pdfium;
  let looked = 0;
  function* within(object: number, depth: number): Generator<number> {
    if (++looked > MOST_OBJECTS) return;
    const type = native._FPDFPageObj_GetType(object);
    if (type === IMAGE_OBJECT) yield object;
    if (type !== FORM_OBJECT || depth >= DEEPEST_FORM) return;
    for (let index = 0; index < native._FPDFFormObj_CountObjects(object); index++)
      yield* within(native._FPDFFormObj_GetObject(object, index), depth + 1);
  }
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    const top = native._FPDFPage_GetObject(page.handle, index);
    for (const image of within(top, 0)) yield { image, top };
  }
}

/** Whether a picture of the page has more pixels in a side. */
export const holdsFinePicture = (page: PdfPage, pixels: number): boolean => {
  const { pdfium } = page.document;
  for (const { image } of picturesOf(page)) {
    const side = pdfium.withMemory(28, (pointer, view) =>
      pdfium.native._FPDFImageObj_GetImageMetadata(image, page.handle, pointer) === 0
        ? 0
        : Math.max(view().getUint32(0, true), view().getUint32(4, true)),
    );
    if (side > pixels) return true;
  }
  return false;
};
