import type { RunMaterial } from '@evaluation/core-client';
import {
  addUsage,
  GraderFailure,
  NO_CALLS,
  type Answered,
  type CallEvidence,
  type Grader,
  type Spent,
  type Usage,
} from '@evaluation/grader';
import { exact } from '@evaluation/rules';
import type { ModelPrices } from '@evaluation/platform/settings';
import { metrics } from '@evaluation/platform/telemetry';

/** Usage of a run over all its deliveries, as core stores it (core's `grading/runs/usedByRun.ts`). */
export type UsedByRun = NonNullable<RunMaterial['used']>;
type RunUsage = UsedByRun['usage'];
type Cost = { amount: string; currency: string } | null;

/**
 * Adds up the tokens and prompt versions of a run's model calls, failed calls included. Tokens of an aborted call are
 * unknown and not counted.
 * @param before usage of earlier deliveries; null if there is none
 */
export const countUsage = (
  grader: Pick<Grader, 'provider' | 'model'>,
  prices: ModelPrices,
  before: UsedByRun | null,
  lane: string,
) => {
  let own: Usage = NO_CALLS;
  const byCall: RunUsage['by_call'] = structuredClone(before?.usage.by_call ?? {});
  const versions = new Set(before?.grader.prompt_versions);
  const count = ({ call, promptVersion, usage }: Spent): void => {
    own = addUsage(own, usage);
    const cost = costOf(usage, grader.model, prices);
    if (cost !== null) metrics.modelCost.inc({ lane, currency: cost.currency }, Number(cost.amount));
    versions.add(promptVersion);
    const sofar = byCall[call] ?? { calls: 0, duration_ms: 0 };
    byCall[call] = { calls: sofar.calls + usage.calls, duration_ms: sofar.duration_ms + usage.durationMs };
  };
  return {
    counted: async <T extends Pick<Answered<unknown>, 'usage' | 'evidence'>>(
      asked: Promise<T>,
    ): Promise<T> => {
      try {
        const answered = await asked;
        const [first] = answered.evidence;
        if (first !== undefined) count({ ...first, usage: answered.usage });
        for (const { promptVersion } of answered.evidence) versions.add(promptVersion);
        return answered;
      } catch (error) {
        if (error instanceof GraderFailure) for (const spent of error.spent) count(spent);
        throw error;
      }
    },
    /** Adds the prompt versions of a cached judgement; it used no tokens in this run. */
    reused: (evidence: readonly CallEvidence[]): void => {
      for (const { promptVersion } of evidence) versions.add(promptVersion);
    },
    /** Total including earlier deliveries. Each record carries this total, so a repeated record adds nothing. */
    sofar: (): UsedByRun => ({
      // The current grader, which may differ from the one of earlier deliveries.
      grader: {
        provider: grader.provider,
        model: grader.model,
        prompt_versions: [...versions].toSorted(),
      },
      usage: {
        calls: own.calls + (before?.usage.calls ?? 0),
        input_tokens: own.inputTokens + (before?.usage.input_tokens ?? 0),
        cached_input_tokens: own.cachedInputTokens + (before?.usage.cached_input_tokens ?? 0),
        output_tokens: own.outputTokens + (before?.usage.output_tokens ?? 0),
        duration_ms: own.durationMs + (before?.usage.duration_ms ?? 0),
        cost: together(before, costOf(own, grader.model, prices)),
        by_call: structuredClone(byCall),
      },
    }),
  };
};
export type UsageCount = ReturnType<typeof countUsage>;

/** Sum of both costs; null if one has no price or the currencies differ. */
const together = (before: UsedByRun | null, own: Cost): Cost => {
  if (before === null || before.usage.calls === 0) return own;
  const { cost } = before.usage;
  if (cost === null || own === null || cost.currency !== own.currency) return null;
  return { amount: exact(cost.amount).plus(own.amount).toFixed(), currency: own.currency };
};

const TOKENS_PRICED = 1_000_000;
/** Decimals of a cost: a small model reads a typed answer for a few hundred-thousandths of a currency unit. */
const DECIMALS = 8;

/** Exact cost as a decimal without exponent, so that sums over many runs stay exact. */
export const costOf = (
  used: Pick<Usage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens'>,
  model: string,
  { currency, perMillionTokens }: ModelPrices,
): Cost => {
  const price = Object.hasOwn(perMillionTokens, model) ? perMillionTokens[model] : undefined;
  if (price === undefined) return null;
  const cached = Math.min(used.cachedInputTokens, used.inputTokens);
  const amount = exact(used.inputTokens - cached)
    .times(price.input)
    .plus(exact(cached).times(price.cached_input ?? price.input))
    .plus(exact(used.outputTokens).times(price.output))
    .dividedBy(TOKENS_PRICED)
    .toDecimalPlaces(DECIMALS);
  return { amount: amount.toFixed(), currency };
};
