import { Pdfium } from './pdfium.ts';
import type { OpenError, PdfDocument } from './pdfium.ts';
import { rebuildTable } from './repair/rebuildTable.ts';
import { hasStrayOffsets } from './repair/strayOffsets.ts';

export interface OpenUpload {
  document: PdfDocument;
  /** What `document` was opened from: the upload, or the upload with another table at its end. */
  bytes: Buffer;
  /** The cross-reference table was damaged: the objects were found without it. */
  isRepaired: boolean;
}

/**
 * Opens an upload in the one way that inspection, page images and checked copy share: the same bytes always give the same
 * pages. Encryption with an empty password is opened, as in a viewer.
 *
 * A damaged cross-reference table is rebuilt. A file whose end is missing is not: the pages that went with it would
 * never be marked.
 */
export async function openUpload(bytes: Buffer): Promise<OpenUpload | OpenError | 'incomplete'> {
  const pdfium = await Pdfium.start();
  const opened = pdfium.open(bytes);
  if (opened === 'password') return opened;
  const isStray = opened === 'corrupt' || opened.pageCount === 0 || hasStrayOffsets(bytes);
  if (opened !== 'corrupt' && opened.hasValidCrossReferences && !isStray) {
    return { document: opened, bytes, isRepaired: false };
  }
  if (!hasEnd(bytes)) return 'incomplete';
  // Where PDFium itself put a table together from what it found, that one is taken.
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
}

/** Opens a file that was inspected, or should have been. Throws when it does not open. */
export async function openReadable(bytes: Buffer): Promise<OpenUpload> {
  const opened = await openUpload(bytes);
  if (typeof opened === 'string') throw new Error(`the PDF does not open: ${opened}`);
  return opened;
}

/** A PDF ends with the words that lead to its table. Without them behind the last object, more may be missing. */
function hasEnd(bytes: Buffer): boolean {
  const end = bytes.subarray(Math.max(0, bytes.lastIndexOf('endobj')));
  return ['trailer', 'startxref', '%%EOF'].some((word) => end.includes(word));
}
