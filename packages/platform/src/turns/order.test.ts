import { array, assert, boolean, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOrder, type Waiter } from './order.ts';

const waiters = (...names: string[]): (Waiter & { name: string })[] =>
  names.map((name) => ({
    name,
    grant: () => {},
    among: name === '-' ? null : { group: name.slice(0, 1), alike: name.slice(1, 2) },
    passed: 0,
  }));

/** Takes all waiters out of the queue, one after the other. @returns their names in that order */
const drained = (named: (Waiter & { name: string })[], mostPassed: number): string[] => {
  const order = createOrder(mostPassed);
  const queue: Waiter[] = [...named];
  return named.map(() => {
    const next = order.next(queue);
    order.granted(next?.among ?? null);
    return named.find((waiter) => waiter === next)?.name ?? 'none';
  });
};

describe('waiters of one queue', () => {
  test('waiters of one group that are alike go one after the other, in their order', () => {
    expect(drained(waiters('a1x', 'a2x', 'a1y', 'a2y', 'a1z', 'a3x'), 8)).toEqual([
      'a1x',
      'a1y',
      'a1z',
      'a2x',
      'a2y',
      'a3x',
    ]);
  });

  test('another group keeps its turns, and a waiter without a group keeps its place', () => {
    expect(drained(waiters('a1', 'b1', '-', 'a2', 'b2', 'a1', 'b1'), 8)).toEqual([
      'a1',
      'b1',
      '-',
      'a1',
      'b1',
      'a2',
      'b2',
    ]);
  });

  test('the first waiter of a group is passed at most `mostPassed` times', () => {
    expect(drained(waiters('a1', 'a2', 'a1', 'a1', 'a1', 'a1'), 2)).toEqual([
      'a1',
      'a1',
      'a1',
      'a2',
      'a1',
      'a1',
    ]);
    expect(drained(waiters('a1', 'a2', 'a1'), 0)).toEqual(['a1', 'a2', 'a1']);
  });

  test('any mix of waiters: groups keep their order, each waiter is served, and no waiter is passed too often', () => {
    const arrival = record({
      group: constantFrom('a', 'b', 'c'),
      alike: constantFrom('1', '2', '3'),
      goes: boolean(),
    });
    assert(
      property(integer({ min: 0, max: 4 }), array(arrival, { maxLength: 40 }), (mostPassed, arrivals) => {
        const order = createOrder(mostPassed);
        const queue: Waiter[] = [];
        const groups: string[] = [];
        const went: Waiter[] = [];
        const take = () => {
          const expected = groups.shift();
          const next = order.next(queue);
          if (next === undefined) return expect(expected).toBeUndefined();
          order.granted(next.among);
          went.push(next);
          expect(next.among?.group).toBe(expected);
          expect(next.passed).toBeLessThanOrEqual(mostPassed);
        };
        for (const { group, alike, goes } of arrivals) {
          queue.push({ grant: () => {}, among: { group, alike }, passed: 0 });
          groups.push(group);
          if (goes) take();
        }
        while (queue.length > 0) take();
        expect(new Set(went).size).toBe(arrivals.length);
      }),
    );
  });
});
