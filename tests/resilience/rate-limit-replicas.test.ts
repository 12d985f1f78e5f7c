import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../harness/api.ts';
import { startProgram, startSplitService, type Program, type SplitService } from '../harness/processes.ts';

/*
 * Two replicas of the facade as separate processes, before one core and a real nats-server. Test and replicas share a
 * clock, so a request belongs to a window if it was sent and answered in it.
 */

// Low enough for a busy machine to exceed it.
const A_SECOND = 15;
const A_MINUTE = 120;

let service: SplitService;
let second: Program;
let replicas: [ApiClient, ApiClient];

beforeAll(async () => {
  service = await startSplitService({
    // Cached keys, so that the replicas can serve more load.
    KEY_CACHE_SECONDS: '30',
    RATE_LIMITS_STANDARD: `institute:reads:second=${A_SECOND},key:writes:minute=${A_MINUTE}`,
  });
  second = await startProgram('facade', service.environment);
  replicas = [service.api, apiClient(second.name, service.api.apiKey)];
});
afterAll(() => service.close());

interface Window {
  /** Admitted requests that were both sent and answered in the window. */
  sure: number;
  /** Admitted requests that were under way during the window. */
  possible: number;
  refusing: Set<ApiClient>;
}

interface Load {
  windows: Map<number, Window>;
  admitted: number;
  refused: number;
}

const LONGEST_LOAD_MS = 50_000;

/**
 * Sends several times the limit, over several connections per client, until `usedUp` windows are used up. A window is
 * used up if the replica of each client refused a request in it and 90% of the limit was admitted.
 */
const load = async (
  clients: readonly ApiClient[],
  { seconds, limit }: { seconds: number; limit: number },
  usedUp: number,
  call: (api: ApiClient) => Promise<{ status: number }>,
): Promise<Load> => {
  const windowNow = (): number => Math.floor(Date.now() / (seconds * 1000));
  const seen: Load = { windows: new Map(), admitted: 0, refused: 0 };
  const windowOf = (at: number): Window => {
    const known = seen.windows.get(at) ?? { sure: 0, possible: 0, refusing: new Set() };
    seen.windows.set(at, known);
    return known;
  };
  const isUsedUp = ({ possible, refusing }: Window): boolean =>
    refusing.size === clients.length && possible >= 0.9 * limit;
  const isEnough = (): boolean => [...seen.windows.values()].filter(isUsedUp).length >= usedUp;
  const begun = performance.now();
  const loop = async (api: ApiClient): Promise<void> => {
    while (!isEnough()) {
      if (performance.now() - begun > LONGEST_LOAD_MS)
        throw new Error(
          `too few windows were used up: ${[...seen.windows.values()]
            .map(({ possible, refusing }) => `${possible} of ${limit}, ${refusing.size} refused`)
            .join('; ')}`,
        );
      const sent = windowNow();
      const { status } = await call(api);
      const answered = windowNow();
      if (status === 429) {
        seen.refused += 1;
        if (sent === answered) windowOf(sent).refusing.add(api);
      } else {
        seen.admitted += 1;
        if (sent === answered) windowOf(sent).sure += 1;
        for (let at = sent; at <= answered; at += 1) windowOf(at).possible += 1;
      }
      await wait(30);
    }
  };
  await Promise.all(clients.flatMap((api) => Array.from({ length: 4 }, () => loop(api))));
  const numbers = [...seen.windows.keys()];
  const spanned = Math.max(...numbers) - Math.min(...numbers) + 1;
  expect(seen.refused, 'it was under load').toBeGreaterThan(0);
  for (const { sure } of seen.windows.values()) expect(sure).toBeLessThanOrEqual(limit);
  expect(seen.admitted).toBeLessThanOrEqual(limit * spanned);
  return seen;
};

const reads = { seconds: 1, limit: A_SECOND };
const read = (api: ApiClient) => api.get('/me');
const write = (api: ApiClient) => api.post('/candidates', {});

test('two replicas under load admit no more than the limit in any second, and together nearly all of it', async () => {
  await load(replicas, reads, 3, read);
});

test('with traffic on only one of two replicas, it admits nearly all of the limit, and no more', async () => {
  for (const one of replicas) await load([one], reads, 2, read);
});

test('two replicas together keep the limit of a minute, and agree on the remainder', async () => {
  const minute = (): number => Math.floor(Date.now() / 60_000);
  const withinAMinute = async <T>(work: (clients: [ApiClient, ApiClient]) => Promise<T>): Promise<T> => {
    for (;;) {
      const left = 60_000 - (Date.now() % 60_000);
      if (left < 12_000) await wait(left + 50);
      const begun = minute();
      const { api_key } = await service.newKey();
      const [a, b] = replicas;
      const done = await work([apiClient(a.baseUrl, api_key), apiClient(b.baseUrl, api_key)]);
      if (minute() === begun) return done;
    }
  };
  await withinAMinute((clients) => load(clients, { seconds: 60, limit: A_MINUTE }, 1, write));

  const remaining = async (api: ApiClient) => Number((await write(api)).headers.get('ratelimit-remaining'));
  await withinAMinute(async ([a, b]) => {
    for (let i = 0; i < 10; i += 1) await remaining(a);
    expect(await remaining(b)).toBe(A_MINUTE - 11);
  });
});

test('after one replica is killed the other admits the whole limit, and a new one shares it', async () => {
  await second.kill();
  await load([service.api], reads, 1, read);
  second = await startProgram('facade', service.environment);
  replicas = [service.api, apiClient(second.name, service.api.apiKey)];
  await load(replicas, reads, 3, read);
});

test('without NATS a replica starts, serves, and keeps the limit by itself', async () => {
  const cutOff = await startProgram('facade', { ...service.environment, NATS_URL: 'nats://127.0.0.1:1' });
  await load([apiClient(cutOff.name, service.api.apiKey)], reads, 1, read);
  await cutOff.kill();
});
