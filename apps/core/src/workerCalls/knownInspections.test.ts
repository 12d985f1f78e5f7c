import { expect, test } from 'vitest';
import { knownInspections } from './knownInspections.ts';

const LONG_MS = 60_000;

test('a wait for an inspection ends when its end is noted', async () => {
  const inspections = knownInspections();
  const waits = [inspections.untilEnd('one', LONG_MS), inspections.untilEnd('one', LONG_MS)];
  inspections.noteEnd('one');
  await Promise.all(waits);
  expect([inspections.hasEnded('one'), inspections.hasEnded('another')]).toEqual([true, false]);
});

test('a wait ends after its time, also when other inspections end', async () => {
  const inspections = knownInspections();
  const began = performance.now();
  const wait = inspections.untilEnd('one', 100);
  inspections.noteEnd('another');
  await wait;
  // A timer may fire one millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(99);
  expect(inspections.hasEnded('one')).toBe(false);
});

test('the oldest ends are forgotten', () => {
  const inspections = knownInspections();
  for (let id = 0; id <= 20_000; id += 1) inspections.noteEnd(String(id));
  expect([inspections.hasEnded('0'), inspections.hasEnded('1')]).toEqual([false, true]);
});
