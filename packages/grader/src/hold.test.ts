import { expect, test } from 'vitest';
import { createHold } from './hold.ts';

const never = new AbortController().signal;

test('a requested pause revokes the permission to begin a run, and after it calls go before runs', async () => {
  const hold = createHold();
  const before = await hold.mayBegin(never);
  hold.askedToWait(200);
  expect(before.aborted).toBe(true);
  const order: string[] = [];
  const started = Date.now();
  const permission = hold.mayBegin(never).then((signal) => {
    order.push('run');
    return signal;
  });
  await hold.over(never);
  order.push('call');
  expect(Date.now() - started).toBeGreaterThanOrEqual(199);
  expect((await permission).aborted).toBe(false);
  expect(order).toEqual(['call', 'run']);
});

test('a second request for a pause keeps runs from beginning', async () => {
  const hold = createHold();
  hold.askedToWait(100);
  const abort = new AbortController();
  const waiting = hold.mayBegin(abort.signal);
  await hold.over(never);
  hold.askedToWait(60_000);
  const settled = await Promise.race([
    waiting.then(() => 'begun'),
    hold.over(AbortSignal.timeout(400)).catch(() => 'held'),
  ]);
  expect(settled).toBe('held');
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
