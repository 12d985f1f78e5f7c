import { createBackoff } from '@evaluation/platform/backoff';
import type { Traffic } from './retrying.ts';

/**
 * A signed-in person at the desk, without a browser: calls as the page sends them, repeated as the page repeats them.
 */
export interface DeskClient {
  /** @param key of a command; the same key in each repetition. @throws Error for a refusal or after two minutes */
  call<T>(procedure: string, input: object, key?: string): Promise<T>;
}

const OWN = { 'x-evaluation-desk': '1', 'content-type': 'application/json' };
const TRY_MS = 10_000;
const GIVE_UP_MS = 120_000;
const LONGEST_PAUSE_MS = 2_000;

interface Answer {
  status: number;
  cookie: string | undefined;
  body: unknown;
}

export const openDeskClient = (
  url: string,
  account: { email: string; password: string },
  traffic: Traffic,
): DeskClient => {
  let cookie = '';

  const post = async (
    path: string,
    input: object,
    headers: Record<string, string>,
  ): Promise<Answer | null> => {
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...OWN, cookie, ...headers },
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(TRY_MS),
      });
      const [given] = response.headers.get('set-cookie')?.split(';') ?? [];
      return { status: response.status, cookie: given, body: await response.json() };
    } catch {
      return null;
    }
  };

  /** @returns the answer; null if the same call may succeed later */
  const once = async (procedure: string, input: object, headers: Record<string, string>) => {
    const answer = await post(`/trpc/${procedure}`, input, headers);
    if (answer?.status === 401) {
      const signedIn = await post('/session', account, {});
      if (signedIn?.cookie !== undefined) ({ cookie } = signedIn);
      return null;
    }
    const isForLater =
      answer === null ||
      answer.status >= 500 ||
      answer.status === 429 ||
      codeOf(answer.body) === 'request_in_progress';
    return isForLater ? null : answer;
  };

  return {
    call: async <T>(procedure: string, input: object, key?: string): Promise<T> => {
      const began = performance.now();
      const backoff = createBackoff({ firstMs: 100, lastMs: LONGEST_PAUSE_MS });
      traffic.requests += 1;
      for (let tries = 1; ; tries += 1) {
        const answer = await once(procedure, input, key === undefined ? {} : { 'idempotency-key': key });
        if (answer !== null) {
          if (tries > 1) traffic.repeatedMs.push(performance.now() - began);
          const data = dataIn(answer.body);
          if (answer.status !== 200 || data === undefined)
            throw new Error(
              `the desk answered ${procedure} with ${answer.status} ${JSON.stringify(answer.body)}`,
            );
          // Unchecked: a scenario compares the fields that it reads.
          return data as T;
        }
        traffic.repeats.set('desk', (traffic.repeats.get('desk') ?? 0) + 1);
        if (performance.now() - began > GIVE_UP_MS) {
          const said = `desk ${procedure}: no answer after ${tries} tries`;
          traffic.gaveUp.push(said);
          throw new Error(said);
        }
        await backoff.pause(new AbortController().signal);
      }
    },
  };
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

const dataIn = (body: unknown): unknown => fieldOf(fieldOf(body, 'result'), 'data');

const codeOf = (body: unknown): unknown =>
  fieldOf(fieldOf(fieldOf(fieldOf(body, 'error'), 'data'), 'failure'), 'code');
