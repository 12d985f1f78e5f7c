import { expect, test } from 'vitest';
import { metrics } from '@evaluation/platform/telemetry';
import { freshGauges } from './freshGauges.ts';

const series = async (): Promise<number[]> =>
  (await metrics.lanePending.get()).values.map(({ value }) => value);

test('gauges lose their values when reading fails and get new ones when it works again', async () => {
  metrics.lanePending.set({ lane: 'copy' }, 7);
  let depth: () => Promise<number> = async () => {
    throw new Error('away');
  };
  let reads = 0;
  const refresh = freshGauges([metrics.lanePending], async () => {
    reads += 1;
    metrics.lanePending.set({ lane: 'copy' }, await depth());
  });
  await expect(refresh()).rejects.toThrow('away');
  expect(await series()).toEqual([]);
  depth = async () => 3;
  await Promise.all([refresh(), refresh()]);
  expect(await series()).toEqual([3]);
  // Concurrent refreshes share one reading, a fresh reading is not repeated, and a failed reading does not count as
  // fresh.
  await refresh();
  expect(reads).toBe(2);
});
