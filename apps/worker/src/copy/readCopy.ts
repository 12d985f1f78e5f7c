import {
  alignRequest,
  factsOf,
  FoundAnswers,
  paperTexts,
  ReadPages,
  type AlignmentPart,
  type FoundAnswer,
  type PagesPart,
  RELEASE,
  type ReadPage,
} from '@evaluation/grader/evidence';
import {
  blankReading,
  GraderFailure,
  isRead,
  PAGE_NOT_READ,
  readTextOnly,
  unreadPage,
} from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import type { SeenPage } from '@evaluation/rules/grading-model';
import { MAX_VISION_PAGES } from '@evaluation/rules';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { UsageCount } from '../run/usage.ts';
import { batchesOf, type Batch } from './batches.ts';
import { readInParts } from './readInParts.ts';
import { upright } from './upright.ts';
import { withProblems } from './withProblems.ts';
import { withUnread } from './withUnread.ts';
import { refusalOf } from './refusal.ts';

/**
 * Reads every page in batches and records each batch when it is read; pages recorded by an earlier delivery of the run
 * are not read again. Pages after the 40th get the text-only read (docs/api/submissions.md#handwritten-copies). Pages
 * that the model or OCR cannot read are left to a teacher; the copy is marked by the others.
 * @throws NotGradable nothing_readable, other_language; GraderFailure malformed when no page could be read and a cause
 * was a malformed reply or an OCR failure
 */
export const readCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  images: readonly PageImage[],
): Promise<ReadPage[]> => {
  const recorded = run.material.page_readings.flatMap(({ pages }) => ReadPages.parse(pages));
  const known = new Set(recorded.map(({ page }) => page));
  const read = await Promise.all(
    batchesOf(images, known, tools.grader.pagesPerRead).map(async (batch) => {
      const first = batch.pages[0]?.page ?? 0;
      const { pages, calls } =
        first > MAX_VISION_PAGES
          ? await readOneByOne(tools, run, usage, batch.pages)
          : await readTogether(tools, run, usage, batch);
      const seen = await Promise.all(pages.map(async (page) => upright(await withUnread(page, batch.pages))));
      const evidence: PagesPart = { pages: seen, calls, release: RELEASE };
      run.records.pages({ first_page: first, pages: seen, evidence });
      return seen;
    }),
  );
  const pages = [...recorded, ...read.flat()].toSorted((a, b) => a.page - b.page);
  const refusal = refusalOf(pages);
  // Fails instead of reporting an unreadable copy: the reader failed, so a sharper scan would not help.
  if (
    refusal?.reason === 'nothing_readable' &&
    pages.some(({ problems }) => problems?.includes(PAGE_NOT_READ))
  ) {
    throw new GraderFailure('malformed', 'no page of the copy could be read');
  }
  if (refusal !== null) throw refusal;
  return pages;
};

type Read = { pages: (SeenPage & { problems?: string[] | undefined })[] } & Pick<PagesPart, 'calls'>;

const readTogether = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  batch: Batch<PageImage>,
): Promise<Read> => {
  try {
    const { value, problems, evidence } = await readInParts(batch, tools.grader.pagesPerRead, (request) =>
      usage.counted(tools.grader.readPages({ ...request, paper: paperTexts(run.material.questions) }, run)),
    );
    return { pages: withProblems(value, problems), calls: evidence };
  } catch (error) {
    const isOfThesePages =
      tools.grader.provider === 'baseline' ? isOcrFailure(error, run) : isKind('malformed', error);
    if (!isOfThesePages) throw error;
    tools.log.warn(
      { err: error, run_id: run.material.run_id },
      'reading pages failed: they are left to a teacher',
    );
    return unread(batch.pages);
  }
};

/**
 * Reads pages by OCR, which has a time limit per page and may crash on a page: only that page is then unread. All pages
 * are queued at once, because the engine ends when no page waits; it reads them one after the other.
 */
const readOneByOne = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  images: readonly PageImage[],
): Promise<Read> => {
  const read = await Promise.all(
    images.map(async (image): Promise<Read> => {
      try {
        const { value, evidence } = await readInParts({ pages: [image], context: null }, 1, ({ pages }) =>
          usage.counted(readTextOnly({ pages, paper: paperTexts(run.material.questions) }, run)),
        );
        return { pages: value, calls: evidence };
      } catch (error) {
        if (!isOcrFailure(error, run)) throw error;
        const { run_id } = run.material;
        tools.log.warn(
          { err: error, run_id, page: image.page },
          'reading a page failed: it is left to a teacher',
        );
        return unread([image]);
      }
    }),
  );
  return { pages: read.flatMap(({ pages }) => pages), calls: read.flatMap(({ calls }) => calls) };
};

const isKind = (kind: GraderFailure['kind'], error: unknown): boolean =>
  error instanceof GraderFailure && error.kind === kind;

/** A closed grader reports the same kind of failure; the run's signal is aborted then. */
const isOcrFailure = (error: unknown, run: HeldRun): boolean =>
  !run.signal.aborted && isKind('permanent', error);

/** Readings of pages for which there was no usable reply; the tokens spent are already counted. */
const unread = (pages: readonly PageImage[]): Read => ({
  pages: withProblems(
    pages.map((image) => (isRead(image) ? unreadPage(image.page) : blankReading(image.page))),
    [PAGE_NOT_READ],
  ),
  calls: [],
});

export const alignCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  images: readonly PageImage[],
  pages: ReadPage[],
): Promise<FoundAnswer[]> => {
  if (run.material.alignment !== null) return FoundAnswers.parse(run.material.alignment);
  const answered = await usage.counted(
    tools.grader.alignAnswers(alignRequest(run.material.questions, pages), run),
  );
  const alignment = withProblems(answered.value, answered.problems);
  const evidence: AlignmentPart = {
    facts: factsOf(images),
    alignment,
    calls: answered.evidence,
    release: RELEASE,
  };
  run.records.alignment({ alignment, evidence });
  return alignment;
};
