import { setImmediate as breathe } from 'node:timers/promises';
import type { Answered, Grader, PageReading } from '../grader.ts';
import { withinDeadline } from '../timeLimit.ts';
import { alignByLabels } from './align.ts';
import { judgeLexically } from './judge.ts';
import { openOcr } from './ocr.ts';
import { NOTICE } from './notice.ts';
import { readPageOffline } from './readPage.ts';

/** The grader without a model (design chapter 7): no network, no key, no understanding; deterministic. */
export function createBaselineGrader(): Grader {
  const ocr = openOcr();
  return {
    provider: 'baseline',
    model: 'baseline-lexical-1',
    notice: NOTICE,
    pagesPerRead: 1,
    readPages: async ({ pages }, options) =>
      await timed(async () => {
        const readings: PageReading[] = [];
        for (const page of pages) {
          options.signal.throwIfAborted();
          readings.push(await readPageOffline(page, ocr, options));
        }
        return readings;
      }),
    alignAnswers: async (request, options) =>
      await timed(() => withinDeadline(options, () => breathe(alignByLabels(request)))),
    judgeAnswer: async (request, options) =>
      await timed(() => withinDeadline(options, () => breathe(judgeLexically(request)))),
    mayTakeRun: async (signal) => signal,
    close: () => ocr.close(),
  };
}

async function timed<T>(work: () => Promise<T>): Promise<Answered<T>> {
  const started = performance.now();
  const value = await work();
  const durationMs = Math.round(performance.now() - started);
  return { value, usage: { calls: 0, inputTokens: 0, outputTokens: 0, durationMs } };
}
