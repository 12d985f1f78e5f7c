import { readFile } from 'node:fs/promises';
import { concatTransformationMatrix, drawObject, popGraphicsState, pushGraphicsState } from '#pdf-lib';
import type { PDFPage, PDFRef } from '#pdf-lib';
import type { Job } from '../messages.ts';
import { openReadable } from '../openUpload.ts';
import { canExtract } from '../pages/scannerJpeg.ts';
import type { PdfDocument } from '../pdfium.ts';
import type { CheckedCopy, PageImage } from '../types.ts';
import { toViewedBox } from '../viewedBox.ts';
import { Canvas } from './canvas.ts';
import { readInk } from './freeSpace.ts';
import { embedLettering, formatMarks } from './lettering.ts';
import { markPage } from './pageMarks.ts';
import { pagePicture } from './pagePicture.ts';
import type { PagePicture } from './pagePicture.ts';
import { PdfFile } from './pdfFile.ts';
import { appendSummary } from './summary.ts';

type DrawJob = Extract<Job, { kind: 'draw' }>;

/** Points. A shorter page is enlarged to A4, because its picture can have as many pixels as that of A4. */
const leastLongSide = 144;
const a4LongSide = 842;

/**
 * Runs in the child process. Writes a new document with one picture per page and the marks drawn over it. Only pixels
 * of the upload are copied, so scripts, annotations and hidden layers of the upload cannot reach the checked copy.
 */
export async function draw(job: DrawJob): Promise<CheckedCopy> {
  const { document, mayExtract } = await openSource(job.source);
  const file = await PdfFile.create(job.target);
  const letters = await embedLettering(file.document);
  const { plan } = job;
  const images = new Map(job.pageImages.map((image) => [image.page, image]));
  const annotations = Map.groupBy(plan.annotations, ({ page }) => page);
  const total = { awarded: formatMarks(plan.totals.awarded), max: formatMarks(plan.totals.max) };
  for (let number = 1; number <= document.pageCount; number++) {
    const image = images.get(number);
    const picture = await pagePicture(document, number, { mayExtract, isSound: isSound(image) });
    const page = file.document.addPage(sheetOf(document, number));
    lay(page, picture, await file.addPicture(picture));
    const ofPage = annotations.get(number) ?? [];
    if (ofPage.length === 0 && number > 1) continue;
    const canvas = new Canvas(page);
    const ink = image === undefined ? null : await readInk(image, canvas);
    const placed = ofPage.map(({ kind, text, box }) => ({
      kind,
      text,
      box: image === undefined ? box : toViewedBox(box, image),
    }));
    markPage(canvas, placed, number === 1 ? total : null, letters, ink);
    canvas.finish();
  }
  appendSummary(file.document, plan, letters);
  return { sizeBytes: await file.finish(), pages: file.document.getPageCount() };
}

/** Does not return the file's bytes, so that they can be freed: PDFium has its own copy. */
async function openSource(source: string): Promise<{ document: PdfDocument; mayExtract: boolean }> {
  const { document, bytes } = await openReadable(await readFile(source));
  return { document, mayExtract: canExtract(bytes) };
}

function isSound(image: PageImage | undefined): boolean {
  return image !== undefined && !image.damaged;
}

function sheetOf(document: PdfDocument, number: number): [width: number, height: number] {
  const { width, height } = document.viewedSize(number);
  const long = Math.max(width, height);
  const scale = long < leastLongSide ? a4LongSide / long : 1;
  return [width * scale, height * scale];
}

/** Fills the page with the picture. The matrix applies the rotation, so that the page itself has none. */
function lay(page: PDFPage, { rotation }: PagePicture, picture: PDFRef): void {
  const { width: w, height: h } = page.getSize();
  const matrix: [number, number, number, number, number, number] =
    rotation === 90
      ? [0, -h, w, 0, 0, h]
      : rotation === 180
        ? [-w, 0, 0, -h, w, h]
        : rotation === 270
          ? [0, h, -w, 0, w, 0]
          : [w, 0, 0, h, 0, 0];
  const name = page.node.newXObject('Page', picture);
  page.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(...matrix),
    drawObject(name),
    popGraphicsState(),
  );
}
