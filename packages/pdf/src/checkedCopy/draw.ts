import { readFile } from 'node:fs/promises';
import { concatTransformationMatrix, drawObject, popGraphicsState, pushGraphicsState } from '#pdf-lib';
import type { PDFPage, PDFRef } from '#pdf-lib';
import type { Job } from '../messages.ts';
import { plainJpeg } from '../pages/plainJpeg.ts';
import type { CheckedCopy, DrawnPage, PagePicture } from '../types.ts';
import { toViewedBox } from '../viewedBox.ts';
import { Canvas } from './canvas.ts';
import { embedLettering, formatMarks } from './lettering.ts';
import { markNotDrawn, markPage, sheetWidth } from './pageMarks.ts';
import { PdfFile } from './pdfFile.ts';
import type { PdfPicture } from './pdfFile.ts';
import { appendSummary } from './summary.ts';

type DrawJob = Extract<Job, { kind: 'draw' }>;

/** Points. A shorter page is enlarged to A4, because its picture can have as many pixels as that of A4. */
const LEAST_LONG_SIDE = 144;
const A4_LONG_SIDE = 842;

/**
 * Runs in the child process. Writes a new document with one picture per page, the ticks and crosses over
 * it, and the other marks in a column beside it. Reads no
 * upload: only the pictures that the extraction made are copied, so scripts, annotations and hidden layers of the
 * upload cannot reach the checked copy. No picture is decoded here, and one page is in memory at a time.
 */
export const draw = async (job: DrawJob): Promise<CheckedCopy> => {
  const file = await PdfFile.create(job.target);
  const letters = await embedLettering(file.document);
  const { plan } = job;
  const annotations = Map.groupBy(plan.annotations, ({ page }) => page);
  const ink = Map.groupBy(
    plan.ink.filter((each) => each.kind !== 'removed'),
    ({ page }) => page,
  );
  const total = { awarded: formatMarks(plan.totals.awarded), max: formatMarks(plan.totals.max) };
  const pictures: PagePicture[] = [];
  for (const image of job.pages) {
    const size = sizeOf(image);
    const page = file.document.addPage([sheetWidth(size.width), size.height]);
    const picture = await readPicture(image);
    const { ref, start } = await file.addPicture(picture);
    const { rotation } = image.picture;
    lay(page, size, rotation, ref);
    const { jpeg, width, height } = picture;
    const drawn = image.state !== 'not_drawn';
    pictures.push({ offset: start, length: jpeg.length, width, height, rotation, drawn });
    const ofPage = annotations.get(image.page) ?? [];
    const canvas = new Canvas(page);
    const placed = ofPage.map(({ kind, text, box }) => ({ kind, text, box: toViewedBox(box, image) }));
    if (!drawn) placed.unshift(markNotDrawn(canvas, size));
    markPage(canvas, size, placed, ink.get(image.page) ?? [], image.page === 1 ? total : null, letters);
    canvas.finish();
  }
  appendSummary(file.document, plan, letters);
  return { sizeBytes: await file.finish(), pages: file.document.getPageCount(), pictures };
};

/** @throws Error when the file is not a JPEG of frame, tables and scans, for example after a fault of its writer */
const readPicture = async ({ page, picture }: DrawnPage): Promise<PdfPicture> => {
  const plain = plainJpeg(await readFile(picture.file));
  if (plain === null) throw new Error(`the picture of page ${page} is not a plain JPEG`);
  return plain;
};

const sizeOf = ({ points: { width, height } }: DrawnPage): { width: number; height: number } => {
  const long = Math.max(width, height);
  const scale = long < LEAST_LONG_SIDE ? A4_LONG_SIDE / long : 1;
  return { width: width * scale, height: height * scale };
};

/** Lays the picture at the left of the sheet. The matrix applies the rotation, so that the sheet itself has none. */
const lay = (
  page: PDFPage,
  { width: w, height: h }: { width: number; height: number },
  rotation: DrawnPage['picture']['rotation'],
  picture: PDFRef,
): void => {
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
};
