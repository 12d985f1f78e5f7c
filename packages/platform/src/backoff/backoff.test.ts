import { expect, test } from 'vitest';
import { createBackoff } from './backoff.ts';
import { jittered } from './jittered.ts';

const msOf = async (work: Promise<void>): Promise<number> => {
  const began = performance.now();
  await work;
  return performance.now() - began;
};

test('jittered() stays between half and all of the pause', () => {
  const pauses = Array.from({ length: 200 }, () => jittered(100));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(100);
});

test('pause() grows, and starts again from the first pause after reset()', async () => {
  const backoff = createBackoff({ firstMs: 1, lastMs: 60_000, factor: 200 });
  const { signal } = new AbortController();
  await backoff.pause(signal);
  // A pause is at least half of 200 ms; a timer may fire one millisecond early.
  expect(await msOf(backoff.pause(signal))).toBeGreaterThanOrEqual(95);
  backoff.reset();
  await backoff.pause(signal);
  expect(await msOf(backoff.pause(signal))).toBeGreaterThanOrEqual(95);
});

test('pause() ends at its limit, and rejects at once when the signal aborts', async () => {
  const backoff = createBackoff({ firstMs: 60_000, lastMs: 60_000 });
  await backoff.pause(new AbortController().signal, 1);
  await expect(backoff.pause(AbortSignal.abort())).rejects.toThrow();
});
