import type { PdfPage } from '../pdfium.ts';

const IMAGE_OBJECT = 3;

/**
 * True when a picture of the page cannot be decoded. PDFium draws such a page without the picture and reports no
 * error, so an answer would be missing unnoticed. Pictures inside forms are not checked.
 */
export const hasLostPicture = (page: PdfPage): boolean => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  for (let index = 0; index < native._FPDFPage_CountObjects(page.handle); index++) {
    const object = native._FPDFPage_GetObject(page.handle, index);
    if (native._FPDFPageObj_GetType(object) !== IMAGE_OBJECT) continue;
    const bitsPerPixel = pdfium.withMemory(28, (pointer, view) =>
      native._FPDFImageObj_GetImageMetadata(object, page.handle, pointer) === 0
        ? 0
        : view().getUint32(16, true),
    );
    if (bitsPerPixel === 0) return true;
  }
  return false;
};
