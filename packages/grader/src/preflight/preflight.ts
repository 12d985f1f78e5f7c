/**
 * Checks whether a model endpoint can do what runs need, before it gets runs:
 *
 *   endpoint  it answers, accepts our key and knows the model (found by the call of `schema`)
 *   schema    a reply follows a strict schema
 *   vision    the letters of a generated picture come back (copies only)
 *   context   the first and the last words of a long text come back
 *
 * The checks run in this order and stop at the first failure, which keeps a repeated preflight cheap. They are needed
 * because single replies show neither fault: a model without vision answers 200 and invents the content of a page, and
 * a server with a short context silently drops the beginning of a prompt, which has the rules of marking.
 */
import { MalformedOutput, readStrict, strictJsonSchema } from '../strictSchema.ts';
import type { Usage } from '../grader.ts';
import type { Connection } from '../openai/connection.ts';
import { isTooSlow, isUnreachable, statusOf, statusThatRefusesUs, throttledFor } from '../openai/failures.ts';
import type {
  PreflightReason,
  PreflightReport,
  PreflightRequest,
  PreflightStep,
} from '../preflightReport.ts';
import { contextQuestion, formQuestion, sightQuestion, type Question } from './questions.ts';

const TRIES = 2;
/** Replies are a few words; the limit ends a model that does not stop. */
const OUTPUT_TOKENS = 200;

/** @throws only the signal's reason */
export const preflight = async (
  connection: Connection,
  request: PreflightRequest,
  signal: AbortSignal,
): Promise<PreflightReport & { usage: Usage }> => {
  const started = performance.now();
  const usage: Usage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, durationMs: 0 };
  const ask = <Reply>(question: Question<Reply>, again = 0) =>
    askOnce(connection, question, { again, usage, signal });
  const steps: PreflightStep[] = [];
  const report = (): PreflightReport & { usage: Usage } => {
    const failed = steps.find(({ outcome }) => outcome === 'failed');
    return {
      steps,
      failed: failed === undefined ? null : { ...failed, reason: failed.reason ?? 'unreachable' },
      usage: { ...usage, durationMs: Math.round(performance.now() - started) },
    };
  };

  steps.push(...(await checkForm(ask)));
  if (report().failed === null && request.vision) steps.push(await checkSight(ask));
  if (report().failed === null) steps.push(await checkContext(ask, request.contextCharacters));
  return report();
};

/** `again`: number of unusable replies to this question so far. */
type Ask = <Reply>(question: Question<Reply>, again?: number) => Promise<Outcome>;

/** Outcome of one call: how well it answered, or its failure. `tokens`: the endpoint's count of the prompt. */
type Outcome =
  | { rating: 'right' | 'nearly' | 'wrong' | 'malformed'; tokens: number }
  | { error: unknown; tokens: number };

const askOnce = async <Reply>(
  connection: Connection,
  question: Question<Reply>,
  { again, usage, signal }: { again: number; usage: Usage; signal: AbortSignal },
): Promise<Outcome> => {
  let tokens = 0;
  try {
    const reply = await connection.complete(
      question.messages,
      { name: question.name, schema: strictJsonSchema(question.schema) },
      {
        signal,
        // One run for all preflights of a connection, so that the breaker never counts them as two runs.
        run: connection,
        isPreflight: true,
        again,
        outputTokens: OUTPUT_TOKENS,
        // The check that made the call judges the refusal.
        onRefused: () => 'unknown',
        cacheKey: question.name,
        onCall: () => (usage.calls += 1),
        onTokens: (took) => {
          tokens = took.inputTokens;
          usage.inputTokens += took.inputTokens;
          usage.cachedInputTokens += took.cachedInputTokens;
          usage.outputTokens += took.outputTokens;
        },
      },
    );
    return { rating: question.rate(readStrict(question.schema, reply)), tokens };
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof MalformedOutput ? { rating: 'malformed', tokens } : { error, tokens };
  }
};

/** Checks whether replies follow the schema; a model may miss it once. */
const checkForm = async (ask: Ask): Promise<PreflightStep[]> => {
  const there: PreflightStep = { check: 'endpoint', outcome: 'passed', reason: null, detail: {} };
  for (let tries = 1; ; tries += 1) {
    const outcome = await ask(formQuestion(), tries - 1);
    if ('error' in outcome) {
      const { error } = outcome;
      const trouble = troubleIn(error);
      if (trouble !== null) return [{ ...there, outcome: 'failed', reason: trouble, detail: status(error) }];
      return [
        there,
        { check: 'schema', outcome: 'failed', reason: 'request_refused', detail: status(error) },
      ];
    }
    if (outcome.rating !== 'malformed') {
      return [there, { check: 'schema', outcome: 'passed', reason: null, detail: {} }];
    }
    if (tries === TRIES) {
      return [there, { check: 'schema', outcome: 'failed', reason: 'schema_not_kept', detail: {} }];
    }
  }
};

/** Passes if one word is read without a mistake, or two with one mistake each. A guess passes once in 50,000. */
const checkSight = async (ask: Ask): Promise<PreflightStep> => {
  const step = { check: 'vision' } as const;
  let nearly = 0;
  let tokens = 0;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const outcome = await ask(await sightQuestion());
    tokens = outcome.tokens;
    if ('error' in outcome) {
      const { error } = outcome;
      const trouble = troubleIn(error);
      // A server without vision may answer a picture with 500 (llama.cpp without mmproj). The previous call was
      // answered.
      const isOfPicture = trouble === null || (trouble === 'unreachable' && statusOf(error) !== null);
      if (isOfPicture && tries < TRIES) continue;
      const reason = isOfPicture ? 'pictures_refused' : trouble;
      return { ...step, outcome: 'failed', reason, detail: status(error) };
    }
    if (outcome.rating === 'right') return { ...step, outcome: 'passed', reason: null, detail: { tokens } };
    if (outcome.rating === 'nearly') nearly += 1;
  }
  return nearly === TRIES
    ? { ...step, outcome: 'passed', reason: null, detail: { tokens } }
    : { ...step, outcome: 'failed', reason: 'blind', detail: { tokens } };
};

/**
 * Checks whether the endpoint keeps a long text. A time-out passes, because a long text takes minutes without GPU; lost
 * material is found later (openai/material.ts).
 */
const checkContext = async (ask: Ask, characters: number): Promise<PreflightStep> => {
  const step = { check: 'context' } as const;
  for (let tries = 1; ; tries += 1) {
    const question = contextQuestion(characters);
    const outcome = await ask(question);
    const detail = { characters, tokens: outcome.tokens };
    if ('error' in outcome) {
      const { error } = outcome;
      const trouble = troubleIn(error);
      if (trouble === 'too_slow') return { ...step, outcome: 'unknown', reason: trouble, detail };
      return {
        ...step,
        outcome: 'failed',
        reason: trouble ?? 'context_refused',
        detail: { ...detail, ...status(error) },
      };
    }
    if (outcome.rating === 'right') return { ...step, outcome: 'passed', reason: null, detail };
    // A tokenizer makes at least one token of a word: with that many tokens the text was complete but not understood.
    const reason = outcome.tokens >= question.words ? 'too_weak' : 'context_cut';
    if (tries === TRIES) return { ...step, outcome: 'failed', reason, detail };
  }
};

/** Fault that stops all calls; null if the endpoint answered or refused only this request. */
const troubleIn = (
  error: unknown,
): Extract<PreflightReason, 'unreachable' | 'too_slow' | 'throttled' | 'refused'> | null => {
  if (statusThatRefusesUs(error) !== null) return 'refused';
  if (throttledFor(error) !== null) return 'throttled';
  if (isTooSlow(error)) return 'too_slow';
  return isUnreachable(error) ? 'unreachable' : null;
};

const status = (error: unknown): Record<string, number> => {
  const found = statusOf(error);
  return found === null ? {} : { status: found };
};
