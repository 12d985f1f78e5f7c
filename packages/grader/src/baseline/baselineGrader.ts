import { setImmediate as breathe } from 'node:timers/promises';
import { NO_CALLS, type Grader } from '../grader.ts';
import { withinDeadline } from '../timeLimit.ts';
import { alignByLabels } from './align.ts';
import { judgeLexically } from './judge.ts';
import { rubricFromWords } from './makeRubric.ts';
import { openOcr } from './ocr.ts';
import { readOffline } from './readOffline.ts';
import { BASELINE_MODEL, worked } from './worked.ts';

/** A deterministic grader without a model: it needs neither network nor API key. */
export const createBaselineGrader = (): Grader => {
  const ocr = openOcr();
  return {
    provider: 'baseline',
    model: BASELINE_MODEL,
    notice:
      'The offline baseline is marking: it compares words and reads handwriting poorly, so every mark needs a teacher.',
    pagesPerRead: 1,
    readPages: async (request, options) => await readOffline(request, ocr, options),
    alignAnswers: async (request, options) =>
      await worked('align_answers', () => withinDeadline(options, () => breathe(alignByLabels(request)))),
    judgeAnswer: async (request, options) =>
      await worked('judge_answer', () => withinDeadline(options, () => breathe(judgeLexically(request)))),
    makeRubric: async (request, options) =>
      await worked('make_rubric', () => withinDeadline(options, () => breathe(rubricFromWords(request)))),
    // A repeated judgement is free and gives the same result.
    judgementKey: () => null,
    mayTakeRun: async (signal) => signal,
    preflight: async () => ({ steps: [], failed: null, usage: { ...NO_CALLS } }),
    trouble: null,
    close: () => ocr.close(),
  };
};
