import type { Grader, GraderOptions } from './grader.ts';
import { createBaselineGrader } from './baseline/baselineGrader.ts';
import { createOpenAiGrader } from './openaiGrader.ts';

/** Makes the grader that the settings name. Reaches no network and starts nothing yet. */
export async function createGrader(options: GraderOptions): Promise<Grader> {
  return options.provider === 'openai' ? createOpenAiGrader(options) : createBaselineGrader();
}
