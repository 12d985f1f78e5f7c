import type { Grader, GraderOptions } from './grader.ts';
import { createBaselineGrader } from './baseline/baselineGrader.ts';

/** Creates the grader that the settings name. Does not use the network yet. */
export const createGrader = async (options: GraderOptions): Promise<Grader> =>
  options.provider === 'openai'
    ? (await import('./openaiGrader.ts')).createOpenAiGrader(options)
    : createBaselineGrader();
