import { expect, test } from 'vitest';
import { createEndpointPause } from './endpointPause.ts';

const never = new AbortController().signal;

test('a requested pause revokes the permission to begin a run, and after the pause calls are sent before runs begin', async () => {
  const pause = createEndpointPause();
  const before = await pause.mayBegin(never);
  pause.extend(200);
  expect(before.aborted).toBe(true);
  const order: string[] = [];
  const started = Date.now();
  const permission = pause.mayBegin(never).then((signal) => {
    order.push('run');
    return signal;
  });
  await pause.over(never);
  order.push('call');
  expect(Date.now() - started).toBeGreaterThanOrEqual(199);
  expect((await permission).aborted).toBe(false);
  expect(order).toEqual(['call', 'run']);
});

test('a second request for a pause keeps runs from beginning', async () => {
  const pause = createEndpointPause();
  pause.extend(100);
  const abort = new AbortController();
  const waiting = pause.mayBegin(abort.signal);
  await pause.over(never);
  pause.extend(60_000);
  const settled = await Promise.race([
    waiting.then(() => 'begun'),
    pause.over(AbortSignal.timeout(400)).catch(() => 'held'),
  ]);
  expect(settled).toBe('held');
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
