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
import type { ModelPrices } from '@evaluation/settings';
import { metrics } from '@evaluation/telemetry';

/** What a run has used, over all its deliveries: as core stores it (core's `runs/usedByRun.ts`). */
export type UsedByRun = NonNullable<RunMaterial['used']>;
export type RunUsage = UsedByRun['usage'];
type Cost = { amount: string; currency: string } | null;

/**
 * What a run has used of the model, and by which prompts, added up over its calls, those that came to nothing included.
 * Prompts are counted by name, tokens to the one; what a call used that was aborted nobody tells.
 * @param before what earlier deliveries of the run recorded; a core of the release before tells none
 */
export const countUsage = (
  grader: Pick<Grader, 'provider' | 'model'>,
  prices: ModelPrices,
  before: UsedByRun | null | undefined,
  lane: string,
) => {
  let own: Usage = NO_CALLS;
  const byCall: NonNullable<RunUsage['by_call']> = structuredClone(before?.usage.by_call ?? {});
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
    /** Waits for an answer and counts what it took, or what its failure did. */
    counted: async <T extends Pick<Answered<unknown>, 'usage' | 'evidence'>>(
      asked: Promise<T>,
    ): Promise<T> => {
      try {
        const answered = await asked;
        const [first] = answered.evidence;
        // Nothing was asked where there is no evidence.
        if (first !== undefined) count({ ...first, usage: answered.usage });
        for (const { promptVersion } of answered.evidence) versions.add(promptVersion);
        return answered;
      } catch (error) {
        if (error instanceof GraderFailure) for (const spent of error.spent) count(spent);
        throw error;
      }
    },
    /** A judgement that was made for another run cost nothing, but the marks rest on its prompt. */
    reused: (evidence: readonly CallEvidence[]): void => {
      for (const { promptVersion } of evidence) versions.add(promptVersion);
    },
    /** Goes with each record: the sum until now, earlier deliveries included, so that sending it twice adds nothing. */
    sofar: (): UsedByRun => ({
      // Who marks now: a worker with other settings may have begun.
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
        cost: together(before ?? null, costOf(own, grader.model, prices)),
        by_call: structuredClone(byCall),
      },
    }),
  };
};
export type UsageCount = ReturnType<typeof countUsage>;

/** null when a part of it has no price, or another currency. */
const together = (before: UsedByRun | null, own: Cost): Cost => {
  if (before === null || before.usage.calls === 0) return own;
  const { cost } = before.usage;
  if (cost == null || own === null || cost.currency !== own.currency) return null;
  return { amount: exact(cost.amount).plus(own.amount).toFixed(), currency: own.currency };
};

const TOKENS_PRICED = 1_000_000;
/** A small model reads a typed answer for some hundred-thousandths. */
const DECIMALS = 8;

/** Exact, as a decimal without exponent: added up over a year's runs it must still be right. */
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
