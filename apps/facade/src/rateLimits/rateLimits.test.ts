import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, type EmbeddedNats } from '@evaluation/embedded';
import { openLanes, type Lanes } from '@evaluation/lanes';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Demand } from './decision.ts';
import { openRateLimits, type RateLimits } from './rateLimits.ts';

/* Replicas in one process, each with its own connection to a real nats-server. Their wall clock stands still. */

const REPLICAS = 4;
const LIMIT = 40;
const NOW_MS = 1_800_000_000_250;

let folder: string;
let server: EmbeddedNats;
let lanes: Lanes[];
let replicas: RateLimits[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rate-limits-'));
  server = await startNats({ dataDir: folder });
  lanes = Array.from({ length: REPLICAS }, () =>
    openLanes({ url: server.url, namespace: 'rates', name: 'core' }),
  );
  await lanes[0]?.ensureStreams();
  replicas = lanes.map((one) => openRateLimits(one, { now: () => NOW_MS }));
});
afterAll(async () => {
  await Promise.all(lanes.map((one) => one.close()));
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const newSubject = (): string => `key:${randomUUID()}:reads`;
const demand = (subject: string, more: Partial<Demand> = {}): Demand => ({
  subject,
  seconds: 60,
  limit: LIMIT,
  cost: 1,
  ...more,
});
const replica = (at: number): RateLimits => {
  const one = replicas[at];
  if (one === undefined) throw new Error(`no replica ${at}`);
  return one;
};
const lanesOf = (at: number): Lanes => {
  const one = lanes[at];
  if (one === undefined) throw new Error(`no replica ${at}`);
  return one;
};
const millisecondsOf = async (wanted: Demand): Promise<number> => {
  const begun = performance.now();
  expect((await replica(0).admit([wanted])).kind).toBe('admitted');
  return performance.now() - begun;
};
const admittedOf = async (requests: ReturnType<RateLimits['admit']>[]): Promise<number> =>
  (await Promise.all(requests)).filter(({ kind }) => kind === 'admitted').length;

test('a burst over several replicas at once is admitted up to the limit and never above it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const wanted = demand(newSubject());
    const burst = Array.from({ length: 3 * LIMIT }, (_, at) => replica(at % REPLICAS).admit([wanted]));
    const admitted = await admittedOf(burst);
    expect(admitted).toBe(LIMIT);
  }
});

test('one replica with all of the traffic admits the whole limit', async () => {
  const wanted = demand(newSubject());
  for (let at = 0; at < LIMIT; at += 1)
    expect(await replica(0).admit([wanted])).toMatchObject({
      kind: 'admitted',
      tightest: { limit: LIMIT, remaining: LIMIT - 1 - at },
    });
  expect(await replica(1).admit([wanted])).toMatchObject({
    kind: 'refused',
    by: { limit: LIMIT, remaining: 0, resetSeconds: 60 },
  });
});

test('a request refused by one window counts in no window', async () => {
  const narrow = demand(newSubject(), { limit: 1 });
  const wide = demand(newSubject());
  expect((await replica(0).admit([narrow, wide])).kind).toBe('admitted');
  for (let at = 0; at < 5; at += 1)
    expect((await replica(at % REPLICAS).admit([narrow, wide])).kind).toBe('refused');
  expect(await replica(1).admit([wide])).toMatchObject({ tightest: { remaining: LIMIT - 2 } });
});

test('a request that needs more than the remaining limit is refused with the remaining number and counts nothing', async () => {
  const subject = newSubject();
  await replica(0).admit([demand(subject, { cost: 30 })]);
  expect(await replica(1).admit([demand(subject, { cost: 11 })])).toMatchObject({
    kind: 'refused',
    by: { remaining: 10 },
  });
  expect(await replica(2).admit([demand(subject, { cost: 10 })])).toMatchObject({
    tightest: { remaining: 0 },
  });
});

test('a released cost is available again in every replica', async () => {
  const wanted = demand(newSubject(), { cost: LIMIT });
  const first = await replica(0).admit([wanted]);
  if (first.kind !== 'admitted') throw new Error('an empty window refused');
  await replica(0).release(first.places);
  expect((await replica(1).admit([wanted])).kind).toBe('admitted');
});

test('a request without a limit counts in the window for requests with a limit', async () => {
  const subject = newSubject();
  await replica(0).admit([demand(subject, { limit: null, cost: LIMIT - 1 })]);
  expect(await replica(1).admit([demand(subject)])).toMatchObject({ tightest: { remaining: 0 } });
  expect((await replica(2).admit([demand(subject, { limit: null })])).kind).toBe('admitted');
});

test('requests that wait for one answer are counted together, and each is judged by its own place in the order', async () => {
  const count = vi.fn<Lanes['count']>(lanesOf(0).count);
  const limits = openRateLimits({ count }, { now: () => NOW_MS });
  const wanted = demand(newSubject());
  const [first, ...rest] = await Promise.all(Array.from({ length: LIMIT }, () => limits.admit([wanted])));
  expect(count.mock.calls.length).toBeLessThan(LIMIT / 4);
  const left = [first, ...rest].map((one) => (one?.kind === 'admitted' ? one.tightest?.remaining : null));
  expect(left.every((remaining) => remaining !== null && remaining !== undefined)).toBe(true);
  expect((await limits.admit([wanted])).kind).toBe('refused');
  expect((await replica(1).admit([wanted])).kind).toBe('refused');
});

test('while NATS is down each replica continues from its last totals; afterwards the replicas share counters again', async () => {
  const wanted = demand(newSubject());
  for (let at = 0; at < 10; at += 1) await replica(0).admit([wanted]);
  const [name = ''] = await readdir(join(folder, 'ports'));
  const pid = Number(/_(\d+)\.ports$/.exec(name)?.[1]);
  process.kill(pid, 'SIGSTOP');
  try {
    // nats-server may still answer for a moment after it is paused; the request that times out takes over 500 ms.
    await vi.waitUntil(async () => (await millisecondsOf(demand(newSubject()))) > 500, { timeout: 20_000 });
    const burst = Array.from({ length: 2 * LIMIT }, () => replica(0).admit([wanted]));
    expect(await admittedOf(burst)).toBe(LIMIT - 10);
    expect(await millisecondsOf(demand(newSubject()))).toBeLessThan(500);
    expect((await replica(0).admit([wanted])).kind).toBe('refused');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const other = demand(newSubject());
  await vi.waitFor(
    async () => {
      expect((await replica(0).admit([other])).kind).toBe('admitted');
      const seen = await replica(1).admit([other]);
      expect(seen.kind === 'admitted' && (seen.tightest?.remaining ?? LIMIT) < LIMIT - 1).toBe(true);
    },
    { timeout: 30_000, interval: 300 },
  );
});
