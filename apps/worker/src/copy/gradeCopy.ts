import { join } from 'node:path';
import pLimit from 'p-limit';
import {
  answerTo,
  copyReviewReasons,
  reasonsOfZero,
  withoutJudging,
  type ReadCopy,
} from '@evaluation/grader/evidence';
import type { Annotation } from '@evaluation/grader';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { extractPages, toViewedBox, type PageImage } from '@evaluation/pdf';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeAnswers, type AskedAnswer } from '../run/judgeAnswers.ts';
import type { UsageCount } from '../run/usage.ts';
import type { CopyResult } from './copyResult.ts';
import { inWorkFolder } from '../workFolder.ts';
import { deliverCheckedCopy } from './deliverCheckedCopy.ts';
import { download } from './download.ts';
import { alignCopy, readCopy } from './readCopy.ts';
import { turnedPages, uprightImages } from './upright.ts';

/**
 * Copy lane: page images → reading → judgement of each question → checked copy → complete
 * (docs/architecture.md#how-one-copy-is-graded). Pages, alignment and questions that an earlier delivery of the run
 * recorded are reused.
 */
export const gradeCopy = async (tools: Tools, run: HeldRun, usage: UsageCount): Promise<void> => {
  const { copy } = run.material;
  if (copy === null) throw new Error(`run ${run.material.run_id} of the copy lane has no copy`);
  await inWorkFolder(async (folder) => {
    const source = join(folder, 'copy.pdf');
    await download(copy.source_url, source, run);
    const scanned = await extractPages(source, folder, {
      timeoutSeconds: tools.settings.pdfSeconds,
      signal: run.signal,
    });
    run.records.step('reading');
    const pages = await readCopy(tools, run, usage, scanned);
    const images = uprightImages(scanned, pages);
    const alignment = await alignCopy(tools, run, usage, images, pages);
    run.records.step('grading');
    const results = await judgeCopy(tools, run, usage, { images, pages, alignment });
    const reviewReasons = copyReviewReasons(images, { pages, alignment });
    const checkedCopy = await deliverCheckedCopy(tools, run, { folder, images, results });
    await run.records.complete({
      checked_copy: checkedCopy,
      review_reasons: reviewReasons,
      turned_pages: turnedPages(pages),
    });
  });
};

/** Judges the questions without a recorded result, several at once. @returns the results of all questions */
const judgeCopy = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  copy: ReadCopy & { images: readonly PageImage[] },
): Promise<CopyResult[]> => {
  const decided = new Map(run.material.results.map((result) => [result.question_id, result]));
  const place = onViewedPage(copy.images);
  const ofZero = reasonsOfZero(copy.images, copy);
  const toJudge: AskedAnswer[] = [];
  const results = run.material.questions.map((question, index): Result | AskedAnswer => {
    const known = decided.get(question.id);
    if (known !== undefined) return { question, recorded: Promise.resolve(known) };
    const answer = answerTo(index + 1, copy, question);
    const decidedByCode = withoutJudging(question, answer, ofZero);
    if (decidedByCode !== null) {
      return { question, recorded: run.records.question({ result: { ...decidedByCode, error: null } }) };
    }
    const asked = { question, answer };
    toJudge.push(asked);
    return asked;
  });
  const judge = await judgeAnswers(tools, run, usage, toJudge, { place, ofZero });
  const limit = pLimit(tools.settings.concurrency.questions);
  const judged = await Promise.all(
    results.map(async (each) => ('recorded' in each ? each : limit(() => judge(each)))),
  );
  await run.records.flush();
  return Promise.all(
    judged.map(async ({ question, recorded }): Promise<CopyResult> => ({ question, result: await recorded })),
  );
};

interface Result {
  question: MarkedQuestion;
  recorded: Promise<CopyResult['result']>;
}

/**
 * Converts a box of the page image, which may have been straightened, to one of the page as a viewer shows it
 * (docs/open-points.md, `annotations[]`).
 */
const onViewedPage =
  (images: readonly PageImage[]) =>
  (annotation: Annotation): Annotation => {
    const image = images.find(({ page }) => page === annotation.page);
    return image === undefined ? annotation : { ...annotation, box: toViewedBox(annotation.box, image) };
  };
