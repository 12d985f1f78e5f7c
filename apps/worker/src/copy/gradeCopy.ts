import { join } from 'node:path';
import pLimit from 'p-limit';
import type { AlignedAnswer, Annotation, PageReading } from '@evaluation/grader';
import { extractPages, toViewedBox, type PageImage } from '@evaluation/pdf';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeQuestion, recordNotAnswered, type GivenAnswer } from '../run/judgeQuestion.ts';
import { countUsage, type UsageCount } from '../run/usage.ts';
import type { CopyResult } from './copyResult.ts';
import { inWorkFolder } from '../workFolder.ts';
import { deliverCheckedCopy } from './deliverCheckedCopy.ts';
import { download } from './download.ts';
import { alignCopy, readCopy } from './readCopy.ts';

/**
 * Copy lane: page images → reading → each question judged and recorded → checked copy → complete (design chapter 9).
 * Whatever an earlier delivery of the run recorded is taken as it is.
 */
export const gradeCopy = async (tools: Tools, run: HeldRun): Promise<void> => {
  const { copy } = run.material;
  if (copy === null) throw new Error(`run ${run.material.run_id} of the copy lane has no copy`);
  await inWorkFolder(async (folder) => {
    const usage = countUsage();
    const source = join(folder, 'copy.pdf');
    await download(copy.source_url, source, run);
    const images = await extractPages(source, folder, {
      timeoutSeconds: tools.settings.pdfSeconds,
      signal: run.signal,
    });
    await run.write((grading, held) => grading.recordStep.mutate({ held, step: 'reading' }));
    const pages = await readCopy(tools, run, usage, images);
    const alignment = await alignCopy(tools, run, usage, pages);
    await run.write((grading, held) => grading.recordStep.mutate({ held, step: 'grading' }));
    const results = await judgeCopy(tools, run, usage, { images, pages, alignment });
    const checkedCopy = await deliverCheckedCopy(tools, run, { folder, source, images, results });
    await run.write((grading, held) =>
      grading.complete.mutate({
        held,
        completion: {
          checked_copy: checkedCopy,
          review_reasons: reviewReasons(images, pages, alignment),
          grader: { provider: tools.grader.provider, model: tools.grader.model },
          usage: usage.total(),
        },
      }),
    );
  });
};

interface ReadCopy {
  images: readonly PageImage[];
  pages: readonly PageReading[];
  alignment: readonly AlignedAnswer[];
}

/** Judges the questions that no earlier delivery decided, several at once. @returns the results of all of them */
const judgeCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  copy: ReadCopy,
): Promise<CopyResult[]> => {
  const decided = new Map(run.material.results.map((result) => [result.question_id, result]));
  const place = onViewedPage(copy.images);
  const limit = pLimit(tools.settings.concurrency.questions);
  return limit.map(run.material.questions, async (question, index): Promise<CopyResult> => {
    const known = decided.get(question.id);
    if (known !== undefined) return { question, result: known };
    const answer = answerTo(index + 1, copy);
    if (answer.text.trim() === '') return { question, result: await recordNotAnswered(run, question) };
    return { question, result: await judgeQuestion(tools, run, usage, question, answer, place) };
  });
};

/** The blocks of one question, joined in reading order. */
const answerTo = (number: number, { pages, alignment }: ReadCopy): GivenAnswer => {
  const byPage = new Map(pages.map((page) => [page.page, page]));
  const blocks = (alignment.find((answer) => answer.number === number)?.blocks ?? []).flatMap(
    ({ page, block }) => {
      const reading = byPage.get(page);
      const found = reading?.blocks[block];
      return reading === undefined || found === undefined || found.crossedOut
        ? []
        : [{ page, box: found.box, text: found.text, legibility: reading.legibility }];
    },
  );
  return {
    text: blocks.map(({ text }) => text).join('\n'),
    legibility: blocks.length === 0 ? null : Math.min(...blocks.map(({ legibility }) => legibility)),
    blocks: blocks.map(({ page, box, text }) => ({ page, box, text })),
  };
};

/**
 * A grader sees page images, which may have been straightened; results speak of the page as a viewer shows it
 * (design chapter 4, `annotations[]`).
 */
const onViewedPage =
  (images: readonly PageImage[]) =>
  (annotation: Annotation): Annotation => {
    const image = images.find(({ page }) => page === annotation.page);
    return image === undefined ? annotation : { ...annotation, box: toViewedBox(annotation.box, image) };
  };

const UNASSIGNED_WRITING = 'unassigned_writing';
const UNREADABLE_PAGES = 'unreadable_pages';
const HARDLY_LEGIBLE = 0.35;

/** Why a teacher should look at the copy as a whole (spec 2.6). */
const reviewReasons = (
  images: readonly PageImage[],
  pages: readonly PageReading[],
  alignment: readonly AlignedAnswer[],
): string[] => {
  const assigned = new Set(
    alignment.flatMap(({ blocks }) => blocks.map(({ page, block }) => `${page}/${block}`)),
  );
  const hasUnassigned = pages.some(({ page, blocks }) =>
    blocks.some(
      (block, index) => !block.crossedOut && block.text.trim() !== '' && !assigned.has(`${page}/${index}`),
    ),
  );
  const isUnreadable = ({ page, damaged, blank }: PageImage): boolean => {
    const reading = pages.find((candidate) => candidate.page === page);
    // No blocks alone is no reason: an unused page of a booklet has its printed head and nothing to read.
    return damaged || (!blank && (reading === undefined || reading.legibility < HARDLY_LEGIBLE));
  };
  return [
    ...(hasUnassigned ? [UNASSIGNED_WRITING] : []),
    ...(images.some(isUnreadable) ? [UNREADABLE_PAGES] : []),
  ];
};
