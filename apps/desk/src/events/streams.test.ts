import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openStreams } from './streams.ts';

const stream = () => ({ send: () => {}, end: () => {} });
const newStreams = () => openStreams({ broadcast: async () => {}, onBroadcast: () => () => {} });

test('a person has 20 streams over all sessions, and ended ones are free again', () => {
  const streams = newStreams();
  const owner = { instituteId: 'A', staffId: randomUUID() };
  const open = Array.from({ length: 20 }, () => streams.open(owner, stream()));
  expect(open.every((end) => end !== null)).toBe(true);
  expect(streams.open(owner, stream())).toBeNull();
  expect(streams.open({ ...owner, staffId: randomUUID() }, stream())).not.toBeNull();
  open[0]?.();
  expect(streams.open(owner, stream())).not.toBeNull();
});

test('one institute leaves a third of the streams to the others', () => {
  const streams = newStreams();
  let own = 0;
  while (streams.open({ instituteId: 'A', staffId: randomUUID() }, stream()) !== null) own += 1;
  expect(own).toBe(3334);
  expect(streams.open({ instituteId: 'B', staffId: randomUUID() }, stream())).not.toBeNull();
});
