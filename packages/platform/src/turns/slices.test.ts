import { expect, test } from 'vitest';
import { inSlices } from './slices.ts';

test('inSlices() lets a due timer fire during long work once the slice is used up', async () => {
  let fired = false;
  setTimeout(() => {
    fired = true;
  }, 0);
  const pause = inSlices(1);
  const until = performance.now() + 5000;
  while (!fired && performance.now() < until) await pause();
  expect(fired).toBe(true);
});

test('inSlices() does not yield to the event loop within a slice', async () => {
  let others = 0;
  setImmediate(() => (others += 1));
  const pause = inSlices(60_000);
  for (let piece = 0; piece < 100; piece += 1) await pause();
  expect(others).toBe(0);
});
