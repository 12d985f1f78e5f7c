/**
 * Asks a model endpoint, before runs are trusted to it, whether it can do what they need of it:
 *
 *   endpoint  it answers, lets us in and knows the model (found out by the call of `schema`)
 *   schema    a reply comes in the form of a strict schema
 *   vision    the letters of a generated picture come back (copies only)
 *   context   the first and the last words of a long text come back
 *
 * The checks run in this order and stop at the first that fails, so that asking again costs little. A model without sight
 * answers 200 and invents what a page says, and a server with a short context drops the beginning of a prompt, where the
 * rules of marking stand, and says nothing: neither shows in any single reply.
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
/** Replies are a few words; a model that does not stop ends here. */
const OUTPUT_TOKENS = 200;

/** @throws the signal's reason, nothing else */
export async function preflight(
  connection: Connection,
  request: PreflightRequest,
  signal: AbortSignal,
): Promise<PreflightReport & { usage: Usage }> {
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
}

/** `again`: how many replies to this same question could not be used. */
type Ask = <Reply>(question: Question<Reply>, again?: number) => Promise<Outcome>;

/** What one call came to: how well it answered, or what it failed with. `tokens`: the endpoint's count of the prompt. */
type Outcome =
  { rating: 'right' | 'nearly' | 'wrong' | 'malformed'; tokens: number } | { error: unknown; tokens: number };

async function askOnce<Reply>(
  connection: Connection,
  question: Question<Reply>,
  { again, usage, signal }: { again: number; usage: Usage; signal: AbortSignal },
): Promise<Outcome> {
  let tokens = 0;
  try {
    const reply = await connection.complete(
      question.messages,
      { name: question.name, schema: strictJsonSchema(question.schema) },
      {
        signal,
        // One for all preflights of a connection: alone they never look like the failures of two runs.
        run: connection,
        isPreflight: true,
        again,
        outputTokens: OUTPUT_TOKENS,
        // The check that asked tells it, and alone knows whether a request like that may be refused.
        onRefused: () => 'unknown',
        cacheKey: question.name,
        institute: '',
        // Asked for, so that an endpoint that refuses them is known before the first answer.
        ...(question.name === 'preflight_schema' ? { onSaid: () => {} } : {}),
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
}

/** A model may miss the form once. */
async function checkForm(ask: Ask): Promise<PreflightStep[]> {
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
}

/**
 * Passes when one word is read without a mistake, or two words with one mistake each: a poor reader is no blind one, and a
 * guess that would do is 1 in 50,000.
 */
async function checkSight(ask: Ask): Promise<PreflightStep> {
  const step = { check: 'vision' } as const;
  let nearly = 0;
  let tokens = 0;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const outcome = await ask(await sightQuestion());
    tokens = outcome.tokens;
    if ('error' in outcome) {
      const { error } = outcome;
      const trouble = troubleIn(error);
      // A server without sight may answer a picture with 500 (llama.cpp without mmproj). The call before had an answer.
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
}

/**
 * A slow endpoint is let off: on a machine without GPU a long text takes minutes, and to be slow is not to forget. What its
 * calls lose is then noticed by its count of tokens (openai/material.ts).
 */
async function checkContext(ask: Ask, characters: number): Promise<PreflightStep> {
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
    // No tokenizer makes less than a token of a word: with that many counted, the text was there and was not read.
    const reason = outcome.tokens >= question.words ? 'too_weak' : 'context_cut';
    if (tries === TRIES) return { ...step, outcome: 'failed', reason, detail };
  }
}

/** What keeps any call from an answer; null when the endpoint answered this one with a refusal of what it asked. */
function troubleIn(
  error: unknown,
): Extract<PreflightReason, 'unreachable' | 'too_slow' | 'throttled' | 'refused'> | null {
  if (statusThatRefusesUs(error) !== null) return 'refused';
  if (throttledFor(error) !== null) return 'throttled';
  if (isTooSlow(error)) return 'too_slow';
  return isUnreachable(error) ? 'unreachable' : null;
}

function status(error: unknown): Record<string, number> {
  const found = statusOf(error);
  return found === null ? {} : { status: found };
}
