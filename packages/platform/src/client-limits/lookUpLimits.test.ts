import { expect, test } from 'vitest';
import { lookUpLimits } from './lookUpLimits.ts';

const start = (perMinute: { address: number; all: number }) => {
  let now = 0;
  const limits = lookUpLimits(perMinute, () => now);
  const taken = (address: string, times: number): number =>
    Array.from({ length: times }, () => limits.take(address)).filter((seconds) => seconds === null).length;
  return { limits, taken, pass: (ms: number) => (now += ms) };
};

test('each address has its own look-ups per minute, which are refilled evenly', () => {
  const { limits, taken, pass } = start({ address: 6, all: 100 });
  expect(taken('192.0.2.1', 20)).toBe(6);
  expect(limits.take('192.0.2.1')).toBe(10);
  expect(taken('192.0.2.2', 20)).toBe(6);
  pass(10_000);
  expect(taken('192.0.2.1', 20)).toBe(1);
  pass(600_000);
  expect(taken('192.0.2.1', 20)).toBe(6);
});

test('all addresses together have a limit too', () => {
  const { limits, taken } = start({ address: 6, all: 10 });
  const all = Array.from({ length: 20 }, (_, index) => taken(`192.0.2.${index}`, 1));
  expect(all.filter((count) => count === 1)).toHaveLength(10);
  expect(limits.take('198.51.100.1')).toBe(6);
});

test('a look-up that finds a key uses no token', () => {
  const { limits } = start({ address: 2, all: 2 });
  for (let time = 0; time < 50; time += 1) {
    expect(limits.take('192.0.2.1')).toBeNull();
    limits.giveBack('192.0.2.1');
  }
});

test.each([
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2'],
  ['2001:db8::1', '2001:db8:0:0:1:2:3:4'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '::2'],
])('%s and %s are one client', (one, other) => {
  const { taken } = start({ address: 6, all: 100 });
  expect(taken(one, 6)).toBe(6);
  expect(taken(other, 1)).toBe(0);
});

test('two networks of IPv6 are two clients', () => {
  const { taken } = start({ address: 6, all: 100 });
  expect([taken('2001:db8:0:1::1', 9), taken('2001:db8:0:2::1', 9)]).toEqual([6, 6]);
});
