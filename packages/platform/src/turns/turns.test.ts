import { assert, array, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createTurns, NoTurn } from './turns.ts';

/** Lets the continuations of all granted waiters run. */
const settled = () => new Promise(setImmediate);

test('places are granted in the order of acquire()', async () => {
  const turns = createTurns({ places: 1 });
  const order: number[] = [];
  const holders = [1, 2, 3].map(async (number) => {
    const release = await turns.acquire('a');
    order.push(number);
    release();
  });
  await Promise.all(holders);
  expect(order).toEqual([1, 2, 3]);
});

test('a new key is served after one turn of a key with many waiters', async () => {
  const turns = createTurns({ places: 1 });
  const order: string[] = [];
  const use = async (key: string) => {
    const release = await turns.acquire(key);
    order.push(key);
    await settled();
    release();
  };
  const many = Array.from({ length: 20 }, () => use('a'));
  await Promise.all([use('b'), use('b'), use('c'), ...many]);
  expect(order.slice(0, 6).toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'c']);
});

test('a key never holds more than its share', async () => {
  const turns = createTurns({ places: 6, share: 2 });
  const granted: string[] = [];
  const ask = (key: string) =>
    turns.acquire(key).then((release) => {
      granted.push(key);
      return release;
    });
  const asked = ['a', 'a', 'a', 'b', 'b', 'b', 'c'].map(ask);
  await settled();
  expect(granted.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c']);
  expect(turns.waiting()).toBe(2);
  (await asked[0])?.();
  await settled();
  expect(granted).toHaveLength(6);
  expect(granted.at(-1)).toBe('a');
});

test('an aborted waiter takes no place', async () => {
  const turns = createTurns({ places: 1 });
  const release = await turns.acquire('a');
  const abort = new AbortController();
  const given = turns.acquire('a', { signal: abort.signal });
  const next = turns.acquire('a');
  abort.abort(new Error('gone'));
  await expect(given).rejects.toThrow('gone');
  release();
  (await next)();
  (await turns.acquire('a'))();
  await expect(turns.acquire('a', { signal: abort.signal })).rejects.toThrow('gone');
});

test('releasing a place twice frees one place', async () => {
  const turns = createTurns({ places: 1 });
  const release = await turns.acquire('a');
  release();
  release();
  await turns.acquire('a');
  void turns.acquire('a');
  await settled();
  expect(turns.waiting()).toBe(1);
});

test('the number of waiters of a key and their waiting time are bounded', async () => {
  const turns = createTurns({ places: 1, mostWaiting: 2, waitMs: 20, what: 'the counter' });
  const release = await turns.acquire('a');
  const waiters = [turns.acquire('a'), turns.acquire('a')].map((one) => one.catch((error: unknown) => error));
  await expect(turns.acquire('a')).rejects.toThrow('no turn at the counter: 2 are waiting already');
  const other = turns.acquire('b').catch((error: unknown) => error);
  for (const error of await Promise.all([...waiters, other])) expect(error).toBeInstanceOf(NoTurn);
  expect(turns.waiting()).toBe(0);
  release();
  (await turns.acquire('b'))();
});

test('any mix of keys, shares, aborts and releases: bounds hold, each key keeps its order, and each waiter is served', async () => {
  const event = record({
    what: constantFrom('ask', 'ask', 'ask', 'release', 'abort'),
    key: constantFrom('a', 'b', 'c', 'd'),
    pick: integer({ min: 0, max: 50 }),
  });
  await assert(
    asyncProperty(
      integer({ min: 1, max: 6 }),
      integer({ min: 1, max: 4 }),
      array(event, { maxLength: 60 }),
      async (places, share, events) => {
        const turns = createTurns({ places, share });
        let asked = 0;
        const held: { key: string; release: () => void }[] = [];
        const open = new Map<number, { key: string; abort: AbortController }>();
        const lastOf = new Map<string, number>();
        const check = () => {
          const ofKey = (key: string) => held.filter((one) => one.key === key).length;
          expect(held.length).toBeLessThanOrEqual(places);
          for (const { key } of held) expect(ofKey(key)).toBeLessThanOrEqual(share);
          expect(turns.waiting()).toBe(open.size);
          // No waiter waits without need: all places are taken, or the key of each waiter holds its share.
          if (held.length < places) for (const { key } of open.values()) expect(ofKey(key)).toBe(share);
        };
        for (const { what, key, pick } of events) {
          if (what === 'ask') {
            const number = (asked += 1);
            const abort = new AbortController();
            open.set(number, { key, abort });
            void turns.acquire(key, { signal: abort.signal }).then(
              (release) => {
                expect(number).toBeGreaterThan(lastOf.get(key) ?? 0);
                lastOf.set(key, number);
                open.delete(number);
                held.push({ key, release });
              },
              () => open.delete(number),
            );
          } else if (what === 'release') {
            held.splice(pick % Math.max(1, held.length), 1)[0]?.release();
          } else {
            [...open.values()][pick % Math.max(1, open.size)]?.abort.abort(new Error('gone'));
          }
          await settled();
          check();
        }
        while (held.length > 0) {
          held.pop()?.release();
          await settled();
          check();
        }
        expect(open.size).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
