import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { errors } from 'undici';
import * as z from 'zod/v4';
import { GraderFailure } from '../grader.ts';
import type { Lost } from './material.ts';

/** Statuses of transient failures, besides 5xx. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);
/** Faults of key, account, model name or address, not of the request. */
const REFUSES_US = new Set([401, 402, 403, 404]);
/** Faults of the request: not accepted, too large, or filtered for its content. */
const REFUSES_REQUEST = new Set([400, 413, 422]);
/** Codes that decide in any status, because gateways answer 400 for an unknown key, model or parameter. */
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
/** Codes that certainly concern this request: too long, or filtered for its content. */
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
/** Gateway time-outs; 524 is Cloudflare's. */
const TOO_SLOW = new Set([504, 524]);

/** A status 200 without a model's output: a gateway's page, no body, or an object without `choices`. */
export class NoModelOutput extends Error {
  constructor() {
    super('the model endpoint answered without a model');
  }
}

/** A call exceeded its own time limit and was aborted by us. */
export class TimedOut extends Error {
  constructor() {
    super('the model did not answer in time');
  }
}

/** Time before the retry of a call that lost material; a preflight comes first. */
const LOST_RETRY_MS = 5000;

/** The endpoint counted fewer tokens than the request can have: it dropped pictures or cut the prompt. */
export class LostMaterial extends Error {
  readonly what: Lost;
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

/** A gateway that sent status 200 reports a later failure in the body; `{"error": {"code": 429}}` counts as 429. */
export const insteadOfOutput = (body: unknown): Error => {
  const failure = errorIn.safeParse(body).data;
  const status = failure?.error.code ?? 0;
  return status >= 400 && status < 600
    ? APIError.generate(status, failure, undefined, new Headers())
    : new NoModelOutput();
};

/**
 * Classifies an error of a call (docs/architecture.md#deadlines-and-retries: unknown errors are not retried). Messages
 * are our own, and the error is not kept as cause, because the endpoint's text may repeat parts of the key or prompt.
 */
export const classify = (error: unknown): GraderFailure => {
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
};

/** Whether the endpoint gave no answer: no connection, a time-out, 5xx, or no model's output. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof TimedOut || error instanceof APIConnectionError) return true;
  if (error instanceof NoModelOutput || isCutOff(error)) return true;
  return error instanceof APIError && typeof error.status === 'number' && error.status >= 500;
};

/**
 * Status of a refusal that concerns us and not the request; null for other errors. An operator may correct it at any
 * time (a renewed key, new credit). OpenAI reports a used-up account as a 429 with a code of its own.
 */
export const statusThatRefusesUs = (error: unknown): number | null => {
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  if (isFlagged(error)) return null;
  return REFUSES_US.has(error.status) || hasCodeOf(error, CODES_THAT_REFUSE_US) ? error.status : null;
};

/** Status of a refusal of the request; null for other errors. */
export const statusThatRefusesRequest = (error: unknown): number | null => {
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  if (statusThatRefusesUs(error) !== null) return null;
  return REFUSES_REQUEST.has(error.status) || isFlagged(error) ? error.status : null;
};

/** Whether the endpoint names a fault of this request. If it does not, the outcome of other requests decides. */
export const isOfThisRequest = (error: unknown): boolean => {
  if (!(error instanceof APIError)) return false;
  return error.status === 413 || isFlagged(error) || hasCodeOf(error, CODES_THAT_REFUSE_THE_REQUEST);
};

const hasCodeOf = ({ code, type }: APIError, codes: ReadonlySet<string>): boolean =>
  [code, type].some((name) => typeof name === 'string' && codes.has(name));

/** Form of a reason that can be neither a key nor text of a prompt. */
const REASON = /^[a-z_]{1,60}$/;

/** The endpoint's code of the error, else the system's (`econnrefused`); null if none is fit for the log. */
export const reasonIn = (error: unknown): string | null => {
  if (error instanceof APIConnectionError || isCutOff(error)) return codeOfCause(error);
  if (!(error instanceof APIError)) return null;
  return [error.code, error.type].find((name) => typeof name === 'string' && REASON.test(name)) ?? null;
};

const codeOfCause = (error: unknown): string | null => {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code.toLowerCase() : '';
    if (REASON.test(code)) return code;
    cause = cause.cause;
  }
  return null;
};

const count = z.int().min(0).optional().catch(undefined);
const tokenNumbers = z.object({ n_ctx: count, n_prompt_tokens: count });

/** Numbers of an error that help an operator to choose settings (llama.cpp). */
export const numbersIn = (
  error: unknown,
): {
  n_ctx?: number | undefined;
  n_prompt_tokens?: number | undefined;
} => (error instanceof APIError ? tokenNumbers.safeParse(error.error).data : undefined) ?? {};

export const statusOf = (error: unknown): number | null =>
  error instanceof APIError && typeof error.status === 'number' ? error.status : null;

/** OpenRouter reports its content filter as 403 with reasons. */
const flagged = z.object({ metadata: z.object({ reasons: z.array(z.unknown()) }) });
const isFlagged = ({ status, error }: APIError): boolean =>
  status === 403 && flagged.safeParse(error).success;

export const isDown = (error: unknown): boolean =>
  isUnreachable(error) || statusThatRefusesUs(error) !== null;

/** Whether our time limit or a gateway's was over; a smaller request may succeed. */
export const isTooSlow = (error: unknown): boolean => {
  if (error instanceof TimedOut || error instanceof APIConnectionTimeoutError) return true;
  return error instanceof APIError && typeof error.status === 'number' && TOO_SLOW.has(error.status);
};

/** The pause requested by an overloaded endpoint; null for other errors. */
export const throttledFor = (error: unknown): { retryAfterMs: number | undefined } | null =>
  error instanceof APIError && error.status === 429 ? { retryAfterMs: retryAfterMs(error.headers) } : null;

/** The pause requested with a 503, in milliseconds; null if none. */
export const leftAloneFor = (error: unknown): number | null =>
  error instanceof APIError && error.status === 503 ? (retryAfterMs(error.headers) ?? null) : null;

/** Requested pause: retry-after-ms, else retry-after in seconds or as a date, else the reset time of the limit. */
export const retryAfterMs = (headers: Headers | undefined): number | undefined => {
  const exact = headers?.get('retry-after-ms');
  if (exact !== null && exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const after = headers?.get('retry-after');
  if (headers === undefined || after === null || after === undefined) return resetMs(headers);
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
};

/** OpenAI's reset time: `x-ratelimit-remaining-tokens: 0`, `x-ratelimit-reset-tokens: 6m0s`. */
const resetMs = (headers: Headers | undefined): number | undefined => {
  const waits = ['requests', 'tokens'].flatMap((limit) => {
    if (headers?.get(`x-ratelimit-remaining-${limit}`) !== '0') return [];
    const wait = durationMs(headers.get(`x-ratelimit-reset-${limit}`) ?? '');
    return wait === undefined ? [] : [wait];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
};

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Parses `1s`, `6m0s`, `1.5s`, `250ms`; undefined for other forms. */
const durationMs = (text: string): number | undefined => {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g);
  return Math.ceil(
    [...parts].reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? 0), 0),
  );
};

/** The connection broke during the body of a streamed response. */
const isCutOff = (error: unknown): boolean =>
  error instanceof errors.UndiciError ||
  (error instanceof Error && 'code' in error && error.code === 'ECONNRESET');
