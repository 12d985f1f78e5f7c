import { readTextOnly, type AlignedAnswer, type PageReading } from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { MAX_VISION_PAGES } from '@evaluation/rules';
import { NotGradable, type Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { UsageCount } from '../run/usage.ts';
import { recordedAlignment, recordedReading } from './reading.ts';

/**
 * Reads every page, a batch at a time, each recorded as soon as it is read; batches that an earlier delivery of the
 * run recorded are not read again. Pages after the 40th get the text-only read (spec 4.7, rule 4).
 * @throws NotGradable copy_unreadable, language_not_supported
 */
export const readCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  images: readonly PageImage[],
): Promise<PageReading[]> => {
  const recorded = new Map(
    run.material.page_readings.map(({ first_page, pages }) => [first_page, recordedReading.parse(pages)]),
  );
  const options = { signal: run.signal, deadline: run.deadline };
  const batches = await Promise.all(
    inBatches(images, tools.grader.pagesPerRead).map(async (batch) => {
      const first = batch[0]?.page ?? 0;
      const known = recorded.get(first);
      if (known !== undefined) return known;
      const pages = usage.of(
        first > MAX_VISION_PAGES
          ? await readTextOnly(batch, options)
          : await tools.grader.readPages({ pages: batch }, options),
      );
      await run.write((grading, held) => grading.recordPages.mutate({ held, first_page: first, pages }));
      return pages;
    }),
  );
  const pages = batches.flat().toSorted((a, b) => a.page - b.page);
  refuseUnreadable(pages);
  return pages;
};

/** Vision pages and text-only pages never share a batch. */
const inBatches = (images: readonly PageImage[], size: number): PageImage[][] => {
  const batches: PageImage[][] = [];
  for (const image of images) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= size || image.page === MAX_VISION_PAGES + 1)
      batches.push([image]);
    else last.push(image);
  }
  return batches;
};

const refuseUnreadable = (pages: readonly PageReading[]): void => {
  const written = pages.filter(({ blocks }) => blocks.some(({ text }) => text.trim() !== ''));
  if (written.length === 0) {
    throw new NotGradable(
      'copy_unreadable',
      'Nothing could be read on the copy. Scan it again, sharper and brighter, and submit the new file.',
    );
  }
  const foreign = written.filter(({ language }) => language === 'other');
  if (foreign.length * 2 > written.length) {
    throw new NotGradable('language_not_supported', 'The copy is not written in English.');
  }
};

/** Finds each question's answer on the pages that were read; once recorded it is not asked for again. */
export const alignCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  pages: PageReading[],
): Promise<AlignedAnswer[]> => {
  if (run.material.alignment !== null) return recordedAlignment.parse(run.material.alignment);
  const alignment = usage.of(
    await tools.grader.alignAnswers(
      {
        questions: run.material.questions.map(({ label, section, type, text }, index) => ({
          number: index + 1,
          label,
          section,
          type,
          text,
        })),
        pages,
      },
      { signal: run.signal, deadline: run.deadline },
    ),
  );
  await run.write((grading, held) => grading.recordAlignment.mutate({ held, alignment }));
  return alignment;
};
