import { expect, test } from 'vitest';
import { knownInspections } from './knownInspections.ts';

const LONG_MS = 60_000;

const upload = (upload_id: string, institute_id = 'school') => ({ institute_id, upload_id });

test('a wait for an inspection ends when its end is noted', async () => {
  const inspections = knownInspections();
  const waits = [inspections.untilEnd(upload('one'), LONG_MS), inspections.untilEnd(upload('one'), LONG_MS)];
  inspections.noteEnd(upload('one'));
  await Promise.all(waits);
  expect([inspections.hasEnded(upload('one')), inspections.hasEnded(upload('another'))]).toEqual([
    true,
    false,
  ]);
});

test('a wait ends after its time, also when other inspections end', async () => {
  const inspections = knownInspections();
  const began = performance.now();
  const wait = inspections.untilEnd(upload('one'), 100);
  inspections.noteEnd(upload('another'));
  await wait;
  // A timer may fire one millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(99);
  expect(inspections.hasEnded(upload('one'))).toBe(false);
});

test('the end of an inspection is unknown to other institutes', () => {
  const inspections = knownInspections();
  inspections.noteEnd(upload('one'));
  expect(inspections.hasEnded(upload('one', 'another school'))).toBe(false);
});

test('the oldest ends are forgotten', () => {
  const inspections = knownInspections();
  for (let id = 0; id <= 20_000; id += 1) inspections.noteEnd(upload(String(id)));
  expect([inspections.hasEnded(upload('0')), inspections.hasEnded(upload('1'))]).toEqual([false, true]);
});
