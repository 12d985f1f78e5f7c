import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Demand } from './decision.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { openReplicas } from './replicas.ts';

/* One replica by itself. Several: `sharing.property.test.ts`. */

const START = Date.UTC(2026, 0, 5, 10, 0, 0);

const alone = (options: { maxCounters?: number } = {}): { ledger: Ledger; at(ms: number): void } => {
  let nowMs = START;
  const replicas = openReplicas(randomUUID(), START - 10_000);
  replicas.join();
  const ledger = openLedger({
    replicas,
    onUrgent: () => {},
    now: () => nowMs,
    steady: () => nowMs,
    ...options,
  });
  return { ledger, at: (ms) => (nowMs = START + ms) };
};

const demand = (subject: string, limit: number | null, more: Partial<Demand> = {}): Demand => ({
  subject,
  seconds: 1,
  limit,
  cost: 1,
  ...more,
});

const admitted = (ledger: Ledger, demands: readonly Demand[]): boolean =>
  ledger.take(demands).kind === 'admitted';

test('8.2 one replica admits exactly the limit, in each window anew', () => {
  const { ledger, at } = alone();
  for (const ms of [0, 1000, 60_000]) {
    at(ms + 999);
    const outcomes = Array.from({ length: 50 }, () => admitted(ledger, [demand('a', 40)]));
    expect(outcomes.filter(Boolean)).toHaveLength(40);
    expect(outcomes.indexOf(false)).toBe(40);
  }
});

test('8.2 windows are aligned to the clock: one that opens in between is whole', () => {
  const { ledger, at } = alone();
  at(59_999);
  expect(ledger.take([demand('a', 1, { seconds: 60 })])).toMatchObject({
    kind: 'admitted',
    tightest: { limit: 1, remaining: 0, resetSeconds: 1 },
  });
  expect(admitted(ledger, [demand('a', 1, { seconds: 60 })])).toBe(false);
  at(60_000);
  expect(ledger.take([demand('a', 1, { seconds: 60 })])).toMatchObject({
    kind: 'admitted',
    tightest: { resetSeconds: 60 },
  });
});

test('8.2 a refused request consumes no budget, in no window', () => {
  const { ledger } = alone();
  const [roomy, full] = [demand('roomy', 10), demand('full', 1, { seconds: 60 })];
  expect(admitted(ledger, [roomy, full])).toBe(true);
  for (let i = 0; i < 5; i += 1) expect(admitted(ledger, [roomy, full])).toBe(false);
  expect(ledger.take([roomy])).toMatchObject({ tightest: { remaining: 8 } });
});

test('8.2 the tightest window is the one with the least of its limit left; of equals, the one that ends later', () => {
  const { ledger } = alone();
  expect(ledger.take([demand('a', 100), demand('b', 10, { seconds: 60 })])).toMatchObject({
    tightest: { limit: 10, remaining: 9 },
  });
  // 98 of 100 against 8 of 10, then c with 1 of 2.
  expect(ledger.take([demand('a', 100), demand('b', 10, { seconds: 60 }), demand('c', 2)])).toMatchObject({
    tightest: { limit: 2, remaining: 1, resetSeconds: 1 },
  });
  expect(ledger.take([demand('d', 10), demand('e', 100, { cost: 10, seconds: 60 })])).toMatchObject({
    tightest: { limit: 100, remaining: 90, resetSeconds: 60 },
  });
});

test('8.2 a refusal names the window that refused, and of two the one that ends later', () => {
  const { ledger, at } = alone();
  const [second, minute] = [demand('a', 1), demand('b', 1, { seconds: 60 })];
  expect(admitted(ledger, [second])).toBe(true);
  expect(ledger.take([second, demand('c', 5, { seconds: 60 })])).toEqual({
    kind: 'refused',
    by: { limit: 1, remaining: 0, resetSeconds: 1 },
  });
  expect(admitted(ledger, [minute])).toBe(true);
  at(500);
  expect(ledger.take([second, minute])).toEqual({
    kind: 'refused',
    by: { limit: 1, remaining: 0, resetSeconds: 60 },
  });
});

test('8.2 requests of a tier without a limit count for those of a tier with one', () => {
  const { ledger } = alone();
  for (let i = 0; i < 3; i += 1) expect(ledger.take([demand('i', null)])).toMatchObject({ tightest: null });
  expect(ledger.take([demand('i', 5)])).toMatchObject({ tightest: { limit: 5, remaining: 1 } });
  expect(admitted(ledger, [demand('i', 5)])).toBe(true);
  expect(admitted(ledger, [demand('i', 5)])).toBe(false);
  expect(admitted(ledger, [demand('i', null)])).toBe(true);
});

test('8.2 what is held keeps its place, and counts only when it is counted', () => {
  const { ledger } = alone();
  const hold = () => {
    const outcome = ledger.take([demand('a', 100, { cost: 60 })], { hold: true });
    return outcome.kind === 'admitted' ? outcome.places : null;
  };
  const first = hold();
  expect(first).not.toBeNull();
  expect(hold()).toBeNull();
  ledger.release(first ?? []);
  const again = hold();
  ledger.count(again ?? []);
  expect(ledger.take([demand('a', 100, { cost: 41 })])).toMatchObject({
    kind: 'refused',
    by: { remaining: 40 },
  });
  expect(ledger.take([demand('a', 100, { cost: 40 })])).toMatchObject({ tightest: { remaining: 0 } });
});

test('windows that are over are forgotten, and memory has a bound', () => {
  const { ledger, at } = alone({ maxCounters: 100 });
  for (let i = 0; i < 1000; i += 1) expect(admitted(ledger, [demand(`k${i}`, 1)])).toBe(true);
  expect(ledger.size()).toBe(100);
  at(10_000);
  expect(admitted(ledger, [demand('k', 1)])).toBe(true);
  expect(ledger.size()).toBe(1);
  expect(admitted(ledger, [demand('k', 1)])).toBe(false);
});

test('a message that comes twice or late, or from a clock far off, counts nothing twice and nothing wrong', () => {
  const { ledger, at } = alone();
  const replica = randomUUID();
  const said = (used: number, startMs = START) => ({
    version: 1 as const,
    replica,
    since: START - 5000,
    windows: [{ subject: 'a', seconds: 1 as const, start: startMs / 1000, used }],
  });
  const left = () => {
    const outcome = ledger.take([demand('a', 100, { cost: 0 })]);
    return outcome.kind === 'admitted' ? outcome.tightest?.remaining : null;
  };
  ledger.receive(said(7));
  ledger.receive(said(7));
  expect(left()).toBe(93);
  ledger.receive(said(9));
  ledger.receive(said(7));
  expect(left()).toBe(91);
  for (const off of [-60_000, 60_000, 500]) ledger.receive(said(50, START + off));
  expect(left()).toBe(91);
  expect(ledger.size()).toBe(1);
  at(1000);
  expect(left()).toBe(100);
});
