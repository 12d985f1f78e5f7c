/**
 * Everything about PDFs, on file paths. Each call runs in a child process of its own, capped in time and memory,
 * because a PDF is a stranger's program: what it breaks is a child. PDFium alone reads uploads; pdf-lib only writes.
 *
 * Children import pdf-lib as `#pdf-lib` (package.json): the same package in one file, since loading its hundreds of files
 * takes longer than most drawings. Bundlers get the package as it is, with its licences and names.
 */
export { inspectPdf } from './inspectPdf.ts';
export { extractPages } from './extractPages.ts';
export type { ExtractOptions } from './extractPages.ts';
export { drawCheckedCopy } from './drawCheckedCopy.ts';
export type { DrawOptions } from './drawCheckedCopy.ts';
export { toImageBox, toViewedBox } from './viewedBox.ts';
export { PAGE_LONG_SIDE, PdfUnreadable } from './types.ts';
export type {
  Annotation,
  Box,
  CheckedCopy,
  CheckedCopyPlan,
  Inspection,
  PageImage,
  TextLine,
} from './types.ts';
