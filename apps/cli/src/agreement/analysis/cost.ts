import type { Outcome } from '../grading/run.ts';
import type { Stored } from '../grading/resultsFile.ts';
import { quantile } from '../statistics/bootstrap.ts';

/** Money per million tokens; field names as in the settings. */
export interface Price {
  input: number;
  cached_input?: number | undefined;
  output: number;
}

interface Cost {
  /** Judgements in the report, made by this run or an earlier one. */
  judgements: number;
  reused: number;
  /** All model calls, including those without a judgement. */
  calls: number;
  /** Calls of attempts that ended without a judgement; included in `calls`. */
  callsInVain: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  currency: string;
  /** null if the settings have no price for this model; 0 for the baseline. */
  total: number | null;
  perThousandAnswers: number | null;
  medianSeconds: number | null;
  p95Seconds: number | null;
  wallSeconds: number;
}

export const costOf = (
  outcomes: readonly Outcome[],
  provider: 'openai' | 'baseline',
  price: Price | undefined,
  currency: string,
  wallSeconds: number,
): Cost => {
  // Answers with the same text share a judgement, so each key counts once.
  const results = new Map(outcomes.flatMap(({ result }) => (result === null ? [] : [[result.key, result]])));
  const inVain = new Map(
    outcomes.flatMap(({ key, inVain: usage }) => (usage === undefined ? [] : [[key, usage]])),
  );
  const total = (usages: Iterable<Stored['usage']>, tokensIn: (usage: Stored['usage']) => number): number =>
    [...usages].reduce((sofar, usage) => sofar + tokensIn(usage), 0);
  const sum = (tokensIn: (usage: Stored['usage']) => number): number =>
    total(
      [...results.values()].map(({ usage }) => usage),
      tokensIn,
    ) + total(inVain.values(), tokensIn);
  const seconds = Float64Array.from(
    [...results.values()].map(({ usage }) => usage.duration_ms / 1000),
  ).sort();
  const inputTokens = sum((usage) => usage.input_tokens);
  const cachedInputTokens = sum((usage) => usage.cached_input_tokens);
  const outputTokens = sum((usage) => usage.output_tokens);
  const priced =
    price === undefined
      ? null
      : ((inputTokens - cachedInputTokens) * price.input +
          cachedInputTokens * (price.cached_input ?? price.input) +
          outputTokens * price.output) /
        1_000_000;
  const money = provider === 'baseline' ? 0 : priced;
  return {
    judgements: results.size,
    reused: outcomes.filter(({ reused }) => reused).length,
    calls: sum((usage) => usage.calls),
    callsInVain: total(inVain.values(), (usage) => usage.calls),
    inputTokens,
    cachedInputTokens,
    outputTokens,
    currency,
    total: money,
    perThousandAnswers: money === null || results.size === 0 ? null : (money / results.size) * 1000,
    medianSeconds: seconds.length === 0 ? null : quantile(seconds, 0.5),
    p95Seconds: seconds.length === 0 ? null : quantile(seconds, 0.95),
    wallSeconds,
  };
};
