import type { PdfPage } from '../pdfium.ts';

/** The stored data of a picture, before its filters. */
export const rawDataOf = (page: PdfPage, image: number): Buffer => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const size = native._FPDFImageObj_GetImageDataRaw(image, 0, 0);
  if (size === 0) return Buffer.alloc(0);
  return pdfium.withMemory(size, (pointer) => {
    native._FPDFImageObj_GetImageDataRaw(image, pointer, size);
    return Buffer.from(native.HEAPU8.slice(pointer, pointer + size).buffer);
  });
};
