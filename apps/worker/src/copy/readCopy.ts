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
  type Answered,
  type PageReading,
} from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { MAX_VISION_PAGES } from '@evaluation/rules';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { UsageCount } from '../run/usage.ts';
import { batchesOf } from './batches.ts';
import { withProblems } from './withProblems.ts';
import { refusalOf } from './refusal.ts';

/**
 * Reads every page, a batch at a time, each recorded as soon as it is read; batches that an earlier delivery of the
 * run recorded are not read again. Pages after the 40th get the text-only read (spec 4.7, rule 4).
 * Pages of which the model gives nothing that can be used are left to a teacher; the copy is still marked by the others.
 * @throws NotGradable copy_unreadable, language_not_supported; GraderFailure malformed when nothing at all could be read
 * since replies could not be used
 */
export const readCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  images: readonly PageImage[],
): Promise<ReadPage[]> => {
  const recorded = run.material.page_readings.flatMap(({ pages }) => ReadPages.parse(pages));
  const known = new Set(recorded.map(({ page }) => page));
  const options = { signal: run.signal, deadline: run.deadline };
  const read = await Promise.all(
    batchesOf(images, known, tools.grader.pagesPerRead).map(async (batch) => {
      const first = batch.pages[0]?.page ?? 0;
      const answered = await usage
        .counted(
          first > MAX_VISION_PAGES
            ? readTextOnly(batch.pages, options)
            : tools.grader.readPages(batch, options),
        )
        .catch(unlessMalformed(batch.pages));
      const pages = withProblems(answered.value, answered.problems);
      const evidence: PagesPart = { pages, calls: answered.evidence, rules: RULES_VERSION };
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
    refusal?.code === 'copy_unreadable' &&
    pages.some(({ problems }) => problems?.includes(PAGE_NOT_READ))
  ) {
    throw new GraderFailure('malformed', 'no page of the copy could be read');
  }
  if (refusal !== null) throw refusal;
  return pages;
};

/** Of pages to which no reply could be used, nothing is known; what the replies took is counted by then. */
const unlessMalformed =
  (pages: readonly PageImage[]) =>
  (error: unknown): Pick<Answered<PageReading[]>, 'value' | 'evidence' | 'problems'> => {
    if (!(error instanceof GraderFailure) || error.kind !== 'malformed') throw error;
    const value = pages.map(({ page, blank }) => (blank ? blankReading(page) : unreadPage(page)));
    return { value, evidence: [], problems: [PAGE_NOT_READ] };
  };

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
    tools.grader.alignAnswers(alignRequest(run.material.questions, pages), {
      signal: run.signal,
      deadline: run.deadline,
    }),
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
