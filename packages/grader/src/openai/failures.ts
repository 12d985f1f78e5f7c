import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { z } from 'zod/v4';
import { GraderFailure } from '../grader.ts';

/** Statuses that pass: the endpoint is busy, restarting, or its gateway lost it. 5xx is added below. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429]);
/** Not let in, not paid for, not there: wrong of the key, the account, the model's name or the address, not of what is asked. */
const REFUSES_US = new Set([401, 402, 403, 404]);
/** Not like this: a request that the endpoint does not take, is too large for it, or is filtered for what is in it. */
const REFUSES_REQUEST = new Set([400, 413, 422]);
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
 * Classifies what a call threw (design chapter 3.10: unknown errors are not retried). Messages are ours: an endpoint's
 * own words may repeat a part of the key or of the prompt, so nothing of them is kept, nor is the error as a cause.
 */
export function classify(error: unknown): GraderFailure {
  if (error instanceof GraderFailure) return error;
  if (error instanceof TimedOut) return new GraderFailure('transient', error.message);
  if (error instanceof APIConnectionError || isCutOff(error)) {
    return new GraderFailure(
      'transient',
      'the model endpoint could not be reached or did not answer in time',
    );
  }
  if (error instanceof NoModelOutput) return new GraderFailure('transient', error.message);
  if (error instanceof APIError && typeof error.status === 'number') {
    const transient =
      error.status >= 500 || TRANSIENT_STATUSES.has(error.status) || statusThatRefusesUs(error) !== null;
    return new GraderFailure(
      transient ? 'transient' : 'permanent',
      `the model endpoint answered ${error.status}`,
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
  if (error.status === 429) return isUsedUp(error) ? error.status : null;
  return REFUSES_US.has(error.status) && !isFlagged(error) ? error.status : null;
}

/** The status with which the endpoint refuses to look at what was asked; null when it was something else. */
export function statusThatRefusesRequest(error: unknown): number | null {
  if (!(error instanceof APIError) || typeof error.status !== 'number') return null;
  return REFUSES_REQUEST.has(error.status) || isFlagged(error) ? error.status : null;
}

const isUsedUp = ({ code, type }: APIError): boolean =>
  code === 'insufficient_quota' || type === 'insufficient_quota';

/** OpenRouter's way of a content filter: a 403 with the reasons. */
const flagged = z.object({ metadata: z.object({ reasons: z.array(z.unknown()) }) });
const isFlagged = ({ status, error }: APIError): boolean =>
  status === 403 && flagged.safeParse(error).success;

/** Whether the endpoint is not there, or not there for us. */
export function isDown(error: unknown): boolean {
  return isUnreachable(error) || statusThatRefusesUs(error) !== null;
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
