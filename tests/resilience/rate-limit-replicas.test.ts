import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../harness/api.ts';
import { eventually } from '../harness/ledger.ts';
import { startProgram, startSplitService, type Program, type SplitService } from '../harness/processes.ts';

/*
 * Two replicas of the facade as processes of their own, before one core and over a real nats-server (spec 8.2, design 3.15).
 * Test and replicas have one clock, so a request belongs to the window in which it was both sent and answered.
 */

const A_SECOND = 40;
const A_MINUTE = 120;

let service: SplitService;
let second: Program;
let replicas: [ApiClient, ApiClient];

beforeAll(async () => {
  service = await startSplitService({
    // Keys are not what is tested here: without a look-up for each request there is more load.
    KEY_CACHE_SECONDS: '30',
    RATE_LIMITS_STANDARD: `institute:reads:second=${A_SECOND},key:writes:minute=${A_MINUTE}`,
  });
  second = await startProgram('facade', service.environment);
  replicas = [service.api, apiClient(second.name, service.api.apiKey)];
});
afterAll(() => service.close());

interface Load {
  /** Admitted of those that were surely in the window. */
  byWindow: Map<number, number>;
  admitted: number;
  refused: number;
  /** Windows that had begun or not ended. */
  windows: number;
}

/** Some fifteen times what the limit lets through, from several connections each, until the time is up. */
const load = async (
  clients: readonly ApiClient[],
  seconds: number,
  ms: number,
  call: (api: ApiClient) => Promise<{ status: number }>,
): Promise<Load> => {
  const windowNow = (): number => Math.floor(Date.now() / (seconds * 1000));
  const first = windowNow();
  const untilMs = Date.now() + ms;
  const seen: Load = { byWindow: new Map(), admitted: 0, refused: 0, windows: 0 };
  const loop = async (api: ApiClient): Promise<void> => {
    while (Date.now() < untilMs) {
      const window = windowNow();
      const { status } = await call(api);
      if (status === 429) seen.refused += 1;
      else seen.admitted += 1;
      if (status !== 429 && window === windowNow())
        seen.byWindow.set(window, (seen.byWindow.get(window) ?? 0) + 1);
      // What is refused beyond that proves nothing more, and takes CPU from whoever counts.
      await wait(15);
    }
  };
  await Promise.all(clients.flatMap((api) => Array.from({ length: 6 }, () => loop(api))));
  seen.windows = windowNow() - first + 1;
  return seen;
};

const read = (api: ApiClient) => api.get('/me');
const write = (api: ApiClient) => api.post('/candidates', {});

const expectWithin = (seen: Load, limit: number): void => {
  expect(seen.refused, 'it was under load').toBeGreaterThan(limit);
  for (const admitted of seen.byWindow.values()) expect(admitted).toBeLessThanOrEqual(1.1 * limit);
  expect(seen.admitted).toBeLessThanOrEqual(1.1 * limit * seen.windows);
};

test('8.2 two replicas under load admit no more than 1.1 times the limit in any second, and together nearly all of it', async () => {
  const seen = await load(replicas, 1, 5000, read);
  expectWithin(seen, A_SECOND);
  expect(seen.admitted).toBeGreaterThanOrEqual(0.9 * A_SECOND * (seen.windows - 2));
});

test('8.2 with traffic on only one of two replicas, that one admits nearly all of the limit, and no more', async () => {
  for (const one of replicas) {
    const seen = await load([one], 1, 3000, read);
    expectWithin(seen, A_SECOND);
    expect(seen.admitted).toBeGreaterThanOrEqual(0.9 * A_SECOND * (seen.windows - 2));
  }
});

test('8.2 two replicas together keep the limit of a minute, and agree on what is left within a second', async () => {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 12_000) await wait(left + 50);
  const seen = await load(replicas, 60, 3000, write);
  expectWithin(seen, A_MINUTE);
  expect(seen.admitted).toBeGreaterThanOrEqual(0.9 * A_MINUTE);

  const { api_key } = await service.newKey();
  const [a, b] = replicas.map(({ baseUrl }) => apiClient(baseUrl, api_key));
  if (a === undefined || b === undefined) throw new Error('two replicas');
  const remaining = async (api: ApiClient) =>
    Number((await api.post('/candidates', {})).headers.get('ratelimit-remaining'));
  for (let i = 0; i < 10; i += 1) await remaining(a);
  await wait(1000);
  expect(await remaining(b)).toBe(A_MINUTE - 11);
});

test('3.15 a killed replica is forgotten, and the other has the whole limit; a new one shares it again', async () => {
  await second.kill();
  const alone = await eventually('a second with the whole limit', async () => {
    const seen = await load([service.api], 1, 2100, read);
    return Math.max(...seen.byWindow.values()) >= 0.9 * A_SECOND && seen;
  });
  expectWithin(alone, A_SECOND);
  second = await startProgram('facade', service.environment);
  replicas = [service.api, apiClient(second.name, service.api.apiKey)];
  const seen = await load(replicas, 1, 4000, read);
  expectWithin(seen, A_SECOND);
});

test('3.15 without NATS a replica starts, serves, and keeps the limit', async () => {
  const cutOff = await startProgram('facade', { ...service.environment, NATS_URL: 'nats://127.0.0.1:1' });
  const seen = await load([apiClient(cutOff.name, service.api.apiKey)], 1, 2500, read);
  expectWithin(seen, A_SECOND);
  expect(Math.max(...seen.byWindow.values())).toBeGreaterThanOrEqual(0.9 * A_SECOND);
  await cutOff.kill();
});
