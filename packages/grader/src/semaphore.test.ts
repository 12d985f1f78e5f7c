import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const never = new AbortController().signal;

test('places are given in the order asked for', async () => {
  const semaphore = createSemaphore(1);
  const order: number[] = [];
  const holders = [1, 2, 3].map(async (number) => {
    const release = await semaphore.acquire(never);
    order.push(number);
    release();
  });
  await Promise.all(holders);
  expect(order).toEqual([1, 2, 3]);
});

test('a waiter that is aborted takes no place', async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire(never);
  const abort = new AbortController();
  const given = semaphore.acquire(abort.signal);
  const next = semaphore.acquire(never);
  abort.abort(new Error('gone'));
  await expect(given).rejects.toThrow('gone');
  release();
  (await next)();
  (await semaphore.acquire(never))();
});

test('giving a place back twice makes no second place', async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire(never);
  release();
  release();
  await semaphore.acquire(never);
  const abort = new AbortController();
  const second = semaphore.acquire(abort.signal);
  abort.abort(new Error('still waiting'));
  await expect(second).rejects.toThrow('still waiting');
});

test('fewer places are given away once enough came back, more at once to those who wait', async () => {
  const semaphore = createSemaphore(2);
  const [first, second] = await Promise.all([semaphore.acquire(never), semaphore.acquire(never)]);
  const granted: string[] = [];
  const third = semaphore.acquire(never).then(() => granted.push('third'));
  const fourth = semaphore.acquire(never).then(() => granted.push('fourth'));
  semaphore.resize(1);
  first();
  await new Promise(setImmediate);
  expect(granted).toEqual([]);
  second();
  await third;
  expect(granted).toEqual(['third']);
  semaphore.resize(2);
  await fourth;
});
