import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { z } from 'zod/v4';
import { GraderFailure } from '../grader.ts';
import type { Lost } from './material.ts';

/** Statuses that pass: the endpoint is busy, restarting, or its gateway lost it. 5xx is added below. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);
/** Not let in, not paid for, not there: wrong of the key, the account, the model's name or the address, not of what is asked. */
const REFUSES_US = new Set([401, 402, 403, 404]);
/** Not like this: a request that the endpoint does not take, is too large for it, or is filtered for what is in it. */
const REFUSES_REQUEST = new Set([400, 413, 422]);
/**
 * Codes and types of errors that mean the same in any status: gateways answer 400 for a key or a model that they do not
 * know, and for a parameter that the model does not take.
 */
const CODES_THAT_REFUSE_US = new Set([
  'account_deactivated',
  'auth_error',
  'authentication_error',
  'billing_not_active',
  'budget_exceeded',
  'insufficient_quota',
  'invalid_api_key',
  'invalid_authentication',
  'key_model_access_denied',
  'model_not_found',
  'no_db_connection',
  'permission_error',
  'team_model_access_denied',
  'unsupported_parameter',
  'unsupported_value',
]);
/** Of this one request for certain: it is too long, or filtered for what is in it. */
const CODES_THAT_REFUSE_THE_REQUEST = new Set([
  'content_filter',
  'content_policy_violation',
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'image_content_policy_violation',
  'request_too_large',
  'string_above_max_length',
]);
/** A gateway that waited for its model no longer. The last is Cloudflare's. */
const TOO_SLOW = new Set([504, 524]);

/** A status of 200, and nothing that a model said: a gateway's page, no body, an object without `choices`. */
export class NoModelOutput extends Error {
  constructor() {
    super('the model endpoint answered without a model');
  }
}

/** A call took longer than its own time limit, and was ended by us. */
export class TimedOut extends Error {
  constructor() {
    super('the model did not answer in time');
  }
}

/** A call that lost material is asked again after the preflight that it brings about. */
const LOST_RETRY_MS = 5000;

/** The endpoint counts fewer tokens than what was sent can have: it drops pictures or cuts prompts, and its reply is not used. */
export class LostMaterial extends Error {
  readonly what: Lost;
  /** The endpoint's count of the prompt. */
  readonly tokens: number;

  constructor(what: Lost, tokens: number) {
    super(`the model endpoint lost ${what} of what was sent`);
    this.what = what;
    this.tokens = tokens;
  }
}

const errorIn = z.object({
  error: z.object({ code: z.union([z.int(), z.string().regex(/^\d{3}$/)]).transform(Number) }),
});

/**
 * What is thrown for a body of status 200 without a model's output. Gateways that had begun to answer tell so what became
 * of it, `{"error": {"code": 429}}`: that is taken for the status that it would have been.
 */
export function insteadOfOutput(body: unknown): Error {
  const said = errorIn.safeParse(body).data;
  const status = said?.error.code ?? 0;
  return status >= 400 && status < 600
    ? APIError.generate(status, said, undefined, new Headers())
    : new NoModelOutput();
}

/**
 * Classifies what a call threw (docs/architecture.md#deadlines-and-retries: unknown errors are not retried). Messages are ours: an endpoint's
 * own words may repeat a part of the key or of the prompt, so nothing of them is kept, nor is the error as a cause.
 */
export function classify(error: unknown): GraderFailure {
  if (error instanceof GraderFailure) return error;
  if (error instanceof TimedOut) return new GraderFailure('transient', error.message);
  if (error instanceof LostMaterial) return new GraderFailure('transient', error.message, LOST_RETRY_MS);
  if (error instanceof APIConnectionError || isCutOff(error)) {
    return new GraderFailure(
      'transient',
      'the model endpoint could not be reached or did not answer in time',
    );
  }
  if (error instanceof NoModelOutput) return new GraderFailure('transient', error.message);
  if (error instanceof APIError && typeof error.status === 'number') {
    const reason = reasonIn(error);
    const transient =
      error.status >= 500 || TRANSIENT_STATUSES.has(error.status) || statusThatRefusesUs(error) !== null;
    return new GraderFailure(
      transient ? 'transient' : 'permanent',
      reason === null
        ? `the model endpoint answered ${error.status}`
        : `the model endpoint answered ${error.status} (${reason})`,
      transient ? retryAfterMs(error.headers) : undefined,
    );
  }
  const name = error instanceof Error ? error.name : typeof error;
  return new GraderFailure('permanent', `the model call failed in an unknown way (${name})`);
}

/** Whether nobody was there to answer, as far as one call can tell: no connection, no answer in time, 5xx, no model's output. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof TimedOut || error instanceof APIConnectionError) return true;
  if (error instanceof NoModelOutput || isCutOff(error)) return true;
  return error instanceof APIError && typeof error.status === 'number' && error.status >= 500;
}

/**
 * The status with which the endpoint refuses us and not what was asked; null when it was something else. It may be mended
 * any moment (a key renewed, an account filled up), and nothing else can be asked meanwhile. OpenAI tells of an account
 * that is used up by a 429 of its own.
 */
export function statusThatRefusesUs(error: unknown): number | null {
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  if (isFlagged(error)) return null;
  return REFUSES_US.has(error.status) || saysOneOf(error, CODES_THAT_REFUSE_US) ? error.status : null;
}

/** The status with which the endpoint refuses to look at what was asked; null when it was something else. */
export function statusThatRefusesRequest(error: unknown): number | null {
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  if (statusThatRefusesUs(error) !== null) return null;
  return REFUSES_REQUEST.has(error.status) || isFlagged(error) ? error.status : null;
}

/**
 * Whether a refused request is refused for what it is, by what the endpoint says of it. Where it says nothing, the other
 * requests tell: an endpoint that refuses all of them refuses us.
 */
export function isOfThisRequest(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  return error.status === 413 || isFlagged(error) || saysOneOf(error, CODES_THAT_REFUSE_THE_REQUEST);
}

const saysOneOf = ({ code, type }: APIError, codes: ReadonlySet<string>): boolean =>
  [code, type].some((said) => typeof said === 'string' && codes.has(said));

/** Neither a key nor a word of a prompt looks like this. */
const REASON = /^[a-z_]{1,60}$/;

/** The endpoint's own word for why, else the system's (`econnrefused`); null when it has none that may be told. */
export function reasonIn(error: unknown): string | null {
  if (error instanceof APIConnectionError || isCutOff(error)) return codeOfCause(error);
  if (!(error instanceof APIError)) return null;
  return [error.code, error.type].find((said) => typeof said === 'string' && REASON.test(said)) ?? null;
}

function codeOfCause(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code.toLowerCase() : '';
    if (REASON.test(code)) return code;
    cause = cause.cause;
  }
  return null;
}

const count = z.int().min(0).optional().catch(undefined);
const told = z.object({ n_ctx: count, n_prompt_tokens: count });

/** Numbers that tell an operator what to set (llama.cpp). */
export function numbersIn(error: unknown): {
  n_ctx?: number | undefined;
  n_prompt_tokens?: number | undefined;
} {
  return (error instanceof APIError ? told.safeParse(error.error).data : undefined) ?? {};
}

/** The HTTP status that a call ended with; null when none came. */
export function statusOf(error: unknown): number | null {
  return error instanceof APIError && typeof error.status === 'number' ? error.status : null;
}

/** OpenRouter's way of a content filter: a 403 with the reasons. */
const flagged = z.object({ metadata: z.object({ reasons: z.array(z.unknown()) }) });
const isFlagged = ({ status, error }: APIError): boolean =>
  status === 403 && flagged.safeParse(error).success;

/** Whether the endpoint is not there, or not there for us. */
export function isDown(error: unknown): boolean {
  return isUnreachable(error) || statusThatRefusesUs(error) !== null;
}

/** Whether the same request may be answered in a while, and says nothing of what was asked. */
export function passes(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof APIError && TRANSIENT_STATUSES.has(error.status ?? 0));
}

/** Whether time ran out over an answer, ours or that of a gateway: asked for less, the endpoint may come to an end. */
export function isTooSlow(error: unknown): boolean {
  if (error instanceof TimedOut || error instanceof APIConnectionTimeoutError) return true;
  return error instanceof APIError && typeof error.status === 'number' && TOO_SLOW.has(error.status);
}

/** Whether the endpoint has too much to do, and how long it asked to be left alone; null when it was something else. */
export function throttledFor(error: unknown): { retryAfterMs: number | undefined } | null {
  return error instanceof APIError && error.status === 429
    ? { retryAfterMs: retryAfterMs(error.headers) }
    : null;
}

/** How long an endpoint that is overloaded or down for a while (503) wants to be left alone; null when it did not say. */
export function leftAloneFor(error: unknown): number | null {
  return error instanceof APIError && error.status === 503 ? (retryAfterMs(error.headers) ?? null) : null;
}

/**
 * How long the endpoint asks us to wait: retry-after-ms, else retry-after in seconds or as a date, else until the limit
 * that is used up begins anew.
 */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = headers?.get('retry-after-ms');
  if (exact !== null && exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const after = headers?.get('retry-after');
  if (headers === undefined || after === null || after === undefined) return resetMs(headers);
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** OpenAI's way, which many follow: `x-ratelimit-remaining-tokens: 0`, `x-ratelimit-reset-tokens: 6m0s`. */
function resetMs(headers: Headers | undefined): number | undefined {
  const waits = ['requests', 'tokens'].flatMap((limit) => {
    if (headers?.get(`x-ratelimit-remaining-${limit}`) !== '0') return [];
    const wait = durationMs(headers.get(`x-ratelimit-reset-${limit}`) ?? '');
    return wait === undefined ? [] : [wait];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** `1s`, `6m0s`, `1.5s`, `250ms`; undefined when it is written in another way. */
function durationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g);
  return Math.ceil(
    [...parts].reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? 0), 0),
  );
}

/** The connection broke while the body was on its way: fetch then throws a bare TypeError. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && (error.message === 'terminated' || error.cause !== undefined);
}
