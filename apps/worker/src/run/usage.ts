import type { Usage } from '@evaluation/grader';

/** What a run has used of the model, added up over its calls. */
export const countUsage = () => {
  const total: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
  return {
    /** Passes an answer on and counts what it took. */
    of: <T>(answered: { value: T; usage: Usage }): T => {
      total.calls += answered.usage.calls;
      total.inputTokens += answered.usage.inputTokens;
      total.outputTokens += answered.usage.outputTokens;
      total.durationMs += answered.usage.durationMs;
      return answered.value;
    },
    total: () => ({
      calls: total.calls,
      input_tokens: total.inputTokens,
      output_tokens: total.outputTokens,
      duration_ms: total.durationMs,
    }),
  };
};
export type UsageCount = ReturnType<typeof countUsage>;
