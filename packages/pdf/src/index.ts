/**
 * PDF functions on file paths. They run in child processes with limits of time and memory, because a hostile PDF can
 * crash or exhaust the process that parses it (docs/decisions/068-children-are-used-again.md). PDFium alone reads
 * uploads; pdf-lib only writes.
 *
 * The children import pdf-lib as `#pdf-lib` (package.json). It is the same package bundled in one file, because
 * loading its hundreds of files takes longer than most drawings. Bundlers get the original package, with its licences
 * and names.
 */
export { endIdleChildren } from './child/idleChildren.ts';
export { inspectPdf } from './inspectPdf.ts';
export { extractPages } from './extractPages.ts';
export type { ExtractOptions } from './extractPages.ts';
export { drawCheckedCopy } from './drawCheckedCopy.ts';
export type { DrawOptions } from './drawCheckedCopy.ts';
export { toImageBox, toViewedBox } from './viewedBox.ts';
export { PAGE_LONG_SIDE, PdfUnreadable } from './types.ts';
export type { Annotation, CheckedCopy, CheckedCopyPlan, PageImage } from './types.ts';
