import { setTimeout as wait } from 'node:timers/promises';
import { initClient, tsRestFetchApi, type ApiFetcher } from '@ts-rest/core';
import { contract, ErrorEnvelope, FieldError } from '@evaluation/rest-contract';
import * as z from 'zod/v4';
import { DemoFailure } from './failure.ts';

/**
 * Client of the public API as an institute's backend uses it: the typed client of the contract, over HTTP, with a key.
 * The client does not encode path parameters, so only ids returned by the service may be passed.
 */

/** The service refused a call; the message has the error code and the failing fields, line by line. */
export class ApiRefusal extends DemoFailure {
  readonly code: string;

  constructor(what: string, status: number, body: unknown) {
    const { error } = ErrorEnvelope.safeParse(body).data ?? {};
    super(
      error === undefined
        ? `${what}: the service answered ${status}.`
        : [`${what}: ${error.code}: ${error.message}`, ...fieldLines(error.details)].join('\n'),
    );
    this.name = 'ApiRefusal';
    this.code = error?.code ?? String(status);
  }
}

const FieldErrors = z.object({ errors: z.array(FieldError) });

/** Formats `details.errors` one line per field; other details as JSON. */
const fieldLines = (details: Record<string, unknown> | undefined): string[] => {
  if (details === undefined) return [];
  const fields = FieldErrors.safeParse(details);
  if (!fields.success) return [`  ${JSON.stringify(details)}`];
  const width = Math.max(...fields.data.errors.map(({ field }) => field.length));
  return fields.data.errors.map(
    ({ field, code, message }) => `  ${field.padEnd(width)}  ${code}: ${message}`,
  );
};

const CALL_TIMEOUT_MS = 60_000;
const LONGEST_WAIT_SECONDS = 60;
const ATTEMPTS = 5;

/**
 * Sends one call and retries after Retry-After: a 429 always, because it had no effect; a 503 only for reads. Does not
 * wait longer than `LONGEST_WAIT_SECONDS`, for example for a daily quota.
 */
const politeFetch =
  (baseUrl: string, signal: AbortSignal): ApiFetcher =>
  async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      const fetchOptions = { signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]) };
      const answer = await tsRestFetchApi({ ...call, fetchOptions }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new DemoFailure(`The service at ${baseUrl} does not answer: ${reasonOf(error)}.`);
      });
      const mayRepeat = answer.status === 429 || (answer.status === 503 && call.method === 'GET');
      const seconds = Number(answer.headers.get('retry-after') ?? 1);
      if (!mayRepeat || attempt === ATTEMPTS || !(seconds <= LONGEST_WAIT_SECONDS)) return answer;
      await wait(seconds * 1000, undefined, { signal });
    }
  };

/** Returns the innermost cause, because `fetch failed` is not informative. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
};

export const apiClient = (options: { baseUrl: string; apiKey: string; signal: AbortSignal }) =>
  initClient(contract, {
    baseUrl: options.baseUrl,
    baseHeaders: { 'x-api-key': options.apiKey },
    api: politeFetch(options.baseUrl, options.signal),
  });
export type ApiClient = ReturnType<typeof apiClient>;

/** @throws ApiRefusal for any status but the expected one, with a message that begins with `what` */
export const bodyOf = <A extends { status: number; body: unknown }, S extends A['status']>(
  answer: A,
  status: S,
  what: string,
): Extract<A, { status: S }>['body'] => {
  if (!isAnswer(answer, status)) throw new ApiRefusal(what, answer.status, answer.body);
  return answer.body;
};

const isAnswer = <A extends { status: number }, S extends A['status']>(
  answer: A,
  status: S,
): answer is Extract<A, { status: S }> => answer.status === status;
