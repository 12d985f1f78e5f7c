import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Pdfium } from './pdfium.ts';
import type { Inspection } from './types.ts';

/** More pages are refused anyway (spec 8.1), so their sizes are not asked. */
const pagesMeasured = 200;
/** Points. Acrobat's own limit is 14,400; the shortest side that could hold a line of writing is half an inch. */
const longestSide = 14_400;
const shortestSide = 36;
const greatestAspect = 20;

/** Runs in the child process. Order: what costs least first (stack, "Documents"). */
export async function inspect(file: string): Promise<Inspection> {
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const document = (await Pdfium.start()).open(bytes);
  if (document === 'password') {
    return refuse(
      'encrypted',
      'The file is protected by a password. Save it without a password and upload it again.',
    );
  }
  if (document === 'corrupt') {
    return refuse(
      'corrupt',
      'The file is damaged and cannot be opened. Scan or export it again and upload the new file.',
    );
  }
  // PDFium mends a file that was cut off, from what is left of it; the pages that are missing would never be marked.
  if (!document.hasValidCrossReferences && !bytes.subarray(-4096).includes('%%EOF')) {
    return refuse('corrupt', 'The file is incomplete: its end is missing. Upload the whole file again.');
  }
  const pages = document.pageCount;
  if (pages < 1) {
    return refuse('no_pages', 'The file has no pages. Upload the file that holds the answer copy.');
  }
  for (let page = 1; page <= Math.min(pages, pagesMeasured); page++) {
    const size = document.pageSize(page);
    if (size === null) {
      return refuse(
        'corrupt',
        `Page ${page} is damaged and cannot be read. Scan or export the copy again and upload the new file.`,
      );
    }
    if (!isSane(size)) {
      return refuse(
        'page_size',
        `Page ${page} has an impossible size. Save the copy with ordinary pages, such as A4, and upload it again.`,
      );
    }
  }
  return { ok: true, pages, sha256 };
}

function isSane({ width, height }: { width: number; height: number }): boolean {
  const [short, long] = width < height ? [width, height] : [height, width];
  return short >= shortestSide && long <= longestSide && long / short <= greatestAspect;
}

function refuse(code: Exclude<Inspection, { ok: true }>['code'], reason: string): Inspection {
  return { ok: false, code, reason };
}
