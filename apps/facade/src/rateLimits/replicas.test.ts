import { expect, test } from 'vitest';
import { openReplicas, SILENCE_MS } from './replicas.ts';

const NOW = 1_767_607_200_000;
const LATER = NOW + 60_000;

test('of replicas that start together the lowest id is the first, and the others wait until it has rights to give', () => {
  const a = openReplicas('a', NOW);
  const b = openReplicas('b', NOW);
  a.heard('b', b.own(), 0);
  b.heard('a', a.own(), 0);
  expect([a.mayJoin(), b.mayJoin()]).toEqual([true, false]);
  a.join();
  expect(a.sharing(NOW)).toEqual(['a']);
  b.heard('a', a.own(), 1);
  expect(b.mayJoin()).toBe(true);
  b.join();
  expect(b.others()).toEqual(['a']);
  expect(b.sharing(NOW)).toEqual(['a']);
  a.heard('b', b.own(), 2);
  for (const one of [a, b]) expect(one.sharing(LATER)).toEqual(['a', 'b']);
});

test('one that dies before it has joined is not waited for longer than any other', () => {
  const b = openReplicas('b', NOW);
  b.heard('a', { since: NOW + 1000, joining: true }, 0);
  expect(b.mayJoin()).toBe(false);
  // We hear ourselves all the time, so it is not the network.
  for (const at of [0, SILENCE_MS - 1, SILENCE_MS + 1]) b.echo(at);
  b.forget(SILENCE_MS + 1, NOW);
  expect(b.mayJoin()).toBe(true);
  b.join();
  expect(b.sharing(NOW)).toEqual(['b']);
});
