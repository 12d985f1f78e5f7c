import type { Answered, Spent, Usage } from './grader.ts';
import { GraderFailure } from './grader.ts';

export const addUsage = (a: Usage, b: Usage): Usage => ({
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  durationMs: a.durationMs + b.durationMs,
});

export const failedAfter = (failure: GraderFailure, spent: readonly Spent[]): GraderFailure => {
  const { kind, message, retryAfterMs } = failure;
  return new GraderFailure(kind, message, retryAfterMs, [...spent, ...failure.spent]);
};

export const spentOn = (answers: readonly Pick<Answered<unknown>, 'usage' | 'evidence'>[]): Spent[] =>
  answers.flatMap(({ usage, evidence: [first] }) =>
    first === undefined ? [] : [{ call: first.call, promptVersion: first.promptVersion, usage }],
  );
