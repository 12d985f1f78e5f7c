import type { UsedByRun } from '../src/grading/runs/usedByRun.ts';

/** Token usage of a run after this number of calls, none of which cost anything. */
export const usedUp = (calls: number, ...promptVersions: string[]): UsedByRun => ({
  grader: { provider: 'openai', model: 'a-model', prompt_versions: promptVersions },
  usage: {
    calls,
    input_tokens: calls,
    cached_input_tokens: 0,
    output_tokens: calls,
    duration_ms: calls,
    cost: null,
    by_call: {},
  },
});
