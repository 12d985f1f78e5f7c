import { Pdfium } from './pdfium.ts';
import type { OpenError, PdfDocument } from './pdfium.ts';
import { rebuildTable } from './repair/rebuildTable.ts';
import { hasStrayOffsets } from './repair/strayOffsets.ts';

interface OpenUpload {
  document: PdfDocument;
  /** The bytes of `document`: the upload, or the upload with a rebuilt table at its end. */
  bytes: Buffer;
  /** The cross-reference table was damaged and the objects were found without it. */
  isRepaired: boolean;
}

/**
 * Opens an upload. Inspection, page images and checked copy all use this function, so that the same bytes always give
 * the same pages. Files encrypted with an empty password are opened.
 *
 * A damaged cross-reference table is rebuilt. A file without its end is rejected as `incomplete`, because pages may
 * be missing.
 */
export const openUpload = async (bytes: Buffer): Promise<OpenUpload | OpenError | 'incomplete'> => {
  const pdfium = await Pdfium.start();
  const opened = pdfium.open(bytes);
  if (opened === 'password') return opened;
  const isStray = opened === 'corrupt' || opened.pageCount === 0 || hasStrayOffsets(bytes);
  if (opened !== 'corrupt' && opened.hasValidCrossReferences && !isStray) {
    return { document: opened, bytes, isRepaired: false };
  }
  if (!hasEnd(bytes)) return 'incomplete';
  // When no offset is stray, the table that PDFium reconstructed is used.
  const rebuilt = isStray ? rebuildTable(bytes) : null;
  if (rebuilt !== null) {
    const document = pdfium.open(rebuilt);
    const isBetter =
      typeof document !== 'string' &&
      document.pageCount > 0 &&
      (opened === 'corrupt' || document.pageCount >= opened.pageCount);
    if (isBetter) {
      if (opened !== 'corrupt') opened.close();
      return { document, bytes: rebuilt, isRepaired: true };
    }
  }
  return opened === 'corrupt' ? opened : { document: opened, bytes, isRepaired: true };
};

/** @throws Error when the file, which should have passed inspection, does not open */
export const openReadable = async (bytes: Buffer): Promise<OpenUpload> => {
  const opened = await openUpload(bytes);
  if (typeof opened === 'string') throw new Error(`the PDF does not open: ${opened}`);
  return opened;
};

/**
 * Opens a document that was changed (`findScans`) again. One at a time is open, because a copy may have 50 MB.
 * @param bytes of the document
 */
export const reopen = (document: PdfDocument, bytes: Buffer): PdfDocument => {
  document.close();
  const again = document.pdfium.open(bytes);
  if (typeof again === 'string') throw new Error(`the PDF does not open again: ${again}`);
  return again;
};

/** A complete PDF has `trailer`, `startxref` or `%%EOF` behind its last object. */
const hasEnd = (bytes: Buffer): boolean => {
  const end = bytes.subarray(Math.max(0, bytes.lastIndexOf('endobj')));
  return ['trailer', 'startxref', '%%EOF'].some((word) => end.includes(word));
};
