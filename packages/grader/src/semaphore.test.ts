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
