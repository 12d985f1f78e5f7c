import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createBackoff } from '@evaluation/platform/backoff';
import type { ErrorBody } from '../../../tests/harness/api.ts';

/**
 * A client that follows docs/api/conventions.md#retries: repeats `409 request_in_progress`, `429`, `5xx` and requests
 * without an answer, after `Retry-After` or a growing pause, with the same Idempotency-Key.
 */
export interface RetryingClient {
  get<T>(path: string): Promise<Reply<T>>;
  /** @param key Idempotency-Key; default: a new one */
  post<T>(path: string, body?: unknown, key?: string): Promise<Reply<T>>;
  patch<T>(path: string, body: unknown): Promise<Reply<T>>;
  delete<T>(path: string): Promise<Reply<T>>;
  download(path: string): Promise<Reply<Uint8Array>>;
}

export interface Reply<T> {
  status: number;
  body: T;
  tries: number;
}

/** What all clients of a run have seen. */
export interface Traffic {
  requests: number;
  /** Repeated requests by reason: a status, or `no answer`. */
  repeats: Map<string, number>;
  /** Milliseconds from the first try to the answer, of each request that was repeated. */
  repeatedMs: number[];
  gaveUp: string[];
}

export const newTraffic = (): Traffic => ({ requests: 0, repeats: new Map(), repeatedMs: [], gaveUp: [] });

const TRY_MS = 10_000;
const GIVE_UP_MS = 120_000;

export const retryingClient = (baseUrl: string, apiKey: string, traffic: Traffic): RetryingClient => {
  const once = async (path: string, init: RequestInit): Promise<Response | null> => {
    try {
      return await fetch(`${baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(TRY_MS) });
    } catch {
      return null;
    }
  };
  const request = async <T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<Reply<T>> => {
    const began = performance.now();
    const backoff = createBackoff({ firstMs: 100, lastMs: 2_000 });
    traffic.requests += 1;
    for (let tries = 1; ; tries += 1) {
      const response = await once(path, init);
      const answer = response === null ? null : await reading(response, read);
      const repeat = answer === null ? 'no answer' : whyRepeat(answer.status, answer.body);
      if (answer !== null && repeat === null) {
        if (tries > 1) traffic.repeatedMs.push(performance.now() - began);
        return { ...answer, tries };
      }
      traffic.repeats.set(repeat ?? '', (traffic.repeats.get(repeat ?? '') ?? 0) + 1);
      if (performance.now() - began > GIVE_UP_MS) {
        const said = `${init.method} ${path}: ${repeat} after ${tries} tries: ${JSON.stringify(answer?.body)}`;
        traffic.gaveUp.push(said);
        throw new Error(said);
      }
      const after = Number(response?.headers.get('retry-after') ?? 0);
      if (after > 0) await wait(Math.min(after, 5) * 1000);
      else await backoff.pause(new AbortController().signal);
    }
  };
  const json = async <T>(path: string, method: string, body?: unknown, key?: string): Promise<Reply<T>> =>
    request(
      path,
      {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      // Unchecked: a scenario compares the fields that it reads.
      async (response) => (await response.json()) as T,
    );
  return {
    get: (path) => json(path, 'GET'),
    post: (path, body, key = randomUUID()) => json(path, 'POST', body, key),
    patch: (path, body) => json(path, 'PATCH', body),
    delete: (path) => json(path, 'DELETE'),
    download: (path) =>
      request(
        path,
        { method: 'GET', headers: { 'x-api-key': apiKey } },
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),
  };
};

/** @returns null when the connection broke in the middle of the body */
const reading = async <T>(
  response: Response,
  read: (response: Response) => Promise<T>,
): Promise<{ status: number; body: T } | null> => {
  try {
    return { status: response.status, body: await read(response) };
  } catch {
    return null;
  }
};

const whyRepeat = (status: number, body: unknown): string | null => {
  if (status >= 500 || status === 429) return String(status);
  if (status === 409 && codeOf(body) === 'request_in_progress') return 'request_in_progress';
  return null;
};

export const codeOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body
    ? (body as Partial<ErrorBody>).error?.code
    : undefined;
