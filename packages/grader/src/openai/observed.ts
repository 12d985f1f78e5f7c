import { describeSpan, inSpan, metrics, SpanKind } from '@evaluation/platform/telemetry';
import type { Usage } from '../grader.ts';
import { MalformedOutput } from '../strictSchema.ts';
import { isUnreachable, TimedOut } from './failures.ts';

type Outcome = 'answered' | 'malformed' | 'refused' | 'unreachable' | 'timed_out' | 'aborted';

interface Asked {
  lane: string;
  /** Name of the schema; has few values. */
  call: string;
  model: string;
  signal: AbortSignal;
}

export const observed = async <T>(asked: Asked, request: () => Promise<T>): Promise<T> => {
  const { lane, call, model, signal } = asked;
  const started = performance.now();
  let outcome: Outcome = 'answered';
  return await inSpan(
    `model ${call}`,
    { 'evaluation.lane': lane, 'gen_ai.request.model': model },
    async () => {
      try {
        return await request();
      } catch (error) {
        outcome = outcomeOf(error, signal);
        throw error;
      } finally {
        describeSpan({ 'evaluation.outcome': outcome });
        metrics.modelDuration.observe({ lane, call, outcome }, (performance.now() - started) / 1000);
      }
    },
    { kind: SpanKind.CLIENT },
  );
};

export const observeTokens = (
  lane: string,
  tokens: Pick<Usage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens'>,
): void => {
  describeSpan({
    'gen_ai.usage.input_tokens': tokens.inputTokens,
    'gen_ai.usage.output_tokens': tokens.outputTokens,
  });
  metrics.modelTokens.inc({ lane, direction: 'input' }, tokens.inputTokens);
  metrics.modelTokens.inc({ lane, direction: 'cached_input' }, tokens.cachedInputTokens);
  metrics.modelTokens.inc({ lane, direction: 'output' }, tokens.outputTokens);
};

const outcomeOf = (error: unknown, signal: AbortSignal): Outcome => {
  if (signal.aborted) return 'aborted';
  if (error instanceof MalformedOutput) return 'malformed';
  if (error instanceof TimedOut) return 'timed_out';
  return isUnreachable(error) ? 'unreachable' : 'refused';
};
