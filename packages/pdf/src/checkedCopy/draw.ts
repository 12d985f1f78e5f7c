import { open, readFile, rename } from 'node:fs/promises';
import type { Job } from '../child/messages.ts';
import type { CheckedCopy } from '../types.ts';
import { toViewedBox } from '../viewedBox.ts';
import { Canvas } from './canvas.ts';
import { readInk } from './freeSpace.ts';
import { embedLettering, formatMarks } from './lettering.ts';
import { markPage } from './pageMarks.ts';
import { openOriginal } from './sourcePages.ts';
import type { Source } from './sourcePages.ts';
import { appendSummary } from './summary.ts';

type DrawJob = Extract<Job, { kind: 'draw' }>;

interface Drawn {
  bytes: Uint8Array;
  pages: number;
}

/** Runs in the child process. */
export async function draw(job: DrawJob): Promise<CheckedCopy> {
  const bytes = await readFile(job.source);
  const over = await drawOverOriginal(bytes, job);
  const saved = over ?? (await drawOverPictures(bytes, job));
  await writeWhole(job.target, saved.bytes);
  return { sizeBytes: saved.bytes.length, pages: saved.pages, rebuilt: over === null };
}

/** Null when pdf-lib cannot open the original, or cannot write it again: odd parts show only when they are touched. */
async function drawOverOriginal(bytes: Buffer, job: DrawJob): Promise<Drawn | null> {
  const original = await openOriginal(bytes, job.pageImages);
  if (original === null) return null;
  try {
    return await drawOver(original, job);
  } catch {
    return null;
  }
}

async function drawOverPictures(bytes: Buffer, job: DrawJob): Promise<Drawn> {
  // Seldom needed: other drawings do without what it loads.
  const { rebuild } = await import('./rebuild.ts');
  return drawOver(await rebuild(bytes), job);
}

async function drawOver({ document, pages }: Source, { plan, pageImages }: DrawJob): Promise<Drawn> {
  const letters = await embedLettering(document);
  const images = new Map(pageImages.map((image) => [image.page, image]));
  const annotations = Map.groupBy(plan.annotations, ({ page }) => page);
  for (const [index, { page, frame }] of pages.entries()) {
    const number = index + 1;
    const ofPage = annotations.get(number) ?? [];
    if (ofPage.length === 0 && index > 0) continue;
    const image = images.get(number);
    const canvas = new Canvas(page, frame);
    const ink = image === undefined ? null : await readInk(image, canvas);
    const placed = ofPage.map(({ kind, text, box }) => ({
      kind,
      text,
      box: image === undefined ? box : toViewedBox(box, image),
    }));
    const total = { awarded: formatMarks(plan.totals.awarded), max: formatMarks(plan.totals.max) };
    markPage(canvas, placed, index === 0 ? total : null, letters, ink);
    canvas.finish();
  }
  appendSummary(document, plan, letters);
  return { bytes: await document.save({ objectsPerTick: Infinity }), pages: document.getPageCount() };
}

/** `target` is the whole copy or does not exist, also when this process is ended while it writes. */
async function writeWhole(target: string, bytes: Uint8Array): Promise<void> {
  const partial = `${target}.partial`;
  {
    await using handle = await open(partial, 'w');
    await handle.writeFile(bytes);
    await handle.sync();
  }
  await rename(partial, target);
}
