import type { Grader, GraderOptions } from './grader.ts';
import { createBaselineGrader } from './baseline/baselineGrader.ts';
import { createOpenAiGrader } from './openaiGrader.ts';

/** Creates the grader that the settings name. Does not use the network yet. */
export const createGrader = async (options: GraderOptions): Promise<Grader> =>
  options.provider === 'openai' ? createOpenAiGrader(options) : createBaselineGrader();
