import type { PdfPage } from '../pdfium.ts';
import { greyOf } from './raster.ts';
import type { Raster } from './raster.ts';

const BGR24 = 2;
const WHITE = 255;
const withAnnotations = 0x01;
const reverseByteOrder = 0x10;

/**
 * Renders the page as a viewer shows it, on white, in exactly `width` × `height` pixels. A page without colour has one
 * channel, so that all later steps read a third of the bytes.
 */
export const render = (page: PdfPage, width: number, height: number): Raster => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  const draw = (pointer: number): Raster => {
    const bitmap = native._FPDFBitmap_CreateEx(width, height, BGR24, pointer, width * 3);
    if (bitmap === 0) throw new Error('no bitmap for the page');
    try {
      native._FPDF_RenderPageBitmap(
        bitmap,
        page.handle,
        0,
        0,
        width,
        height,
        0,
        withAnnotations | reverseByteOrder,
      );
      if (native._FPDFPage_GetAnnotCount(page.handle) > 0) drawFormFields(page, bitmap, width, height);
      const drawn = native.HEAPU8.subarray(pointer, pointer + width * height * 3);
      const grey = greyOf(drawn, width * height);
      return grey === null
        ? { data: Buffer.from(drawn), width, height, channels: 3 }
        : { data: grey, width, height, channels: 1 };
    } finally {
      native._FPDFBitmap_Destroy(bitmap);
    }
  };
  return pdfium.withMemory(width * height * 3, draw, WHITE);
};

/** Draws answers typed into form fields, which FPDF_RenderPageBitmap leaves out. */
const drawFormFields = (page: PdfPage, bitmap: number, width: number, height: number): void => {
  const { pdfium } = page.document;
  const { native } = pdfium;
  // FPDF_FORMFILLINFO is 140 bytes: version 2, and callbacks left null.
  pdfium.withMemory(256, (pointer, view) => {
    view().setUint32(0, 2, true);
    const form = native._FPDFDOC_InitFormFillEnvironment(page.document.handle, pointer);
    if (form === 0) return;
    try {
      native._FORM_OnAfterLoadPage(page.handle, form);
      native._FPDF_FFLDraw(form, bitmap, page.handle, 0, 0, width, height, 0, reverseByteOrder);
      native._FORM_OnBeforeClosePage(page.handle, form);
    } finally {
      native._FPDFDOC_ExitFormFillEnvironment(form);
    }
  });
};
