import {
  alignRequest,
  factsOf,
  FoundAnswers,
  ReadPages,
  type AlignmentPart,
  type FoundAnswer,
  type PagesPart,
  type ReadPage,
} from '@evaluation/evidence';
import {
  blankReading,
  GraderFailure,
  PAGE_NOT_READ,
  readTextOnly,
  RULES_VERSION,
  unreadPage,
} from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { MAX_VISION_PAGES } from '@evaluation/rules';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { UsageCount } from '../run/usage.ts';
import { batchesOf, type Batch } from './batches.ts';
import { withProblems } from './withProblems.ts';
import { refusalOf } from './refusal.ts';

/**
 * Reads every page, a batch at a time, each recorded as soon as it is read; batches that an earlier delivery of the
 * run recorded are not read again. Pages after the 40th get the text-only read (docs/api/submissions.md#handwritten-copies).
 * Pages of which the model gives nothing that can be used, and those that OCR breaks down on, are left to a teacher; the copy
 * is still marked by the others.
 * @throws NotGradable nothing_readable, other_language; GraderFailure malformed when nothing at all could be read
 * since replies could not be used, or OCR broke down on every page
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
      const evidence: PagesPart = { pages, calls, rules: RULES_VERSION };
      await run.write((grading, held) =>
        grading.recordPages.mutate({ held, first_page: first, pages, evidence, used: usage.sofar() }),
      );
      return pages;
    }),
  );
  const pages = [...recorded, ...read.flat()].toSorted((a, b) => a.page - b.page);
  const refusal = refusalOf(pages);
  // Nobody has seen that the copy is unreadable, and a sharper scan would not help.
  if (
    refusal?.reason === 'nothing_readable' &&
    pages.some(({ problems }) => problems?.includes(PAGE_NOT_READ))
  ) {
    throw new GraderFailure('malformed', 'no page of the copy could be read');
  }
  if (refusal !== null) throw refusal;
  return pages;
};

/** What came of pages, as it is recorded. */
type Read = Pick<PagesPart, 'pages' | 'calls'>;

const readTogether = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  batch: Batch<PageImage>,
): Promise<Read> => {
  try {
    const { value, problems, evidence } = await usage.counted(tools.grader.readPages(batch, run));
    return { pages: withProblems(value, problems), calls: evidence };
  } catch (error) {
    const isOfThesePages =
      tools.grader.provider === 'baseline' ? isOcrFailure(error, run) : isKind('malformed', error);
    if (!isOfThesePages) throw error;
    tools.log.warn({ err: error, run_id: run.material.run_id }, 'pages could not be read');
    return unread(batch.pages);
  }
};

/**
 * By OCR, which has a time limit a page and may die of one: the page is lost by it, and not those beside it. All are begun
 * at once, since the engine lives as long as some page waits for it; it reads one after the other.
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
        const { value, evidence } = await usage.counted(readTextOnly([image], run));
        return { pages: value, calls: evidence };
      } catch (error) {
        if (!isOcrFailure(error, run)) throw error;
        const { run_id } = run.material;
        tools.log.warn({ err: error, run_id, page: image.page }, 'a page could not be read');
        return unread([image]);
      }
    }),
  );
  return { pages: read.flatMap(({ pages }) => pages), calls: read.flatMap(({ calls }) => calls) };
};

const isKind = (kind: GraderFailure['kind'], error: unknown): boolean =>
  error instanceof GraderFailure && error.kind === kind;

/** OCR asks nobody: what is permanent of it is the page's own. A grader that is closed says the same of a run that is over. */
const isOcrFailure = (error: unknown, run: HeldRun): boolean =>
  !run.signal.aborted && isKind('permanent', error);

/** Of pages to which no reply could be used, nothing is known; what the replies took is counted by then. */
const unread = (pages: readonly PageImage[]): Read => ({
  pages: withProblems(
    pages.map(({ page, blank }) => (blank ? blankReading(page) : unreadPage(page))),
    [PAGE_NOT_READ],
  ),
  calls: [],
});

/** Finds each question's answer on the pages that were read; once recorded it is not asked for again. */
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
    rules: RULES_VERSION,
  };
  await run.write((grading, held) =>
    grading.recordAlignment.mutate({ held, alignment, evidence, used: usage.sofar() }),
  );
  return alignment;
};
