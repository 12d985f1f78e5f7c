import { describe, expect, test } from 'vitest';
import { bootstrap, quantile } from './bootstrap.ts';
import { randomFrom } from './random.ts';

const mean = (items: readonly number[]): number => items.reduce((sum, item) => sum + item, 0) / items.length;

describe('bootstrap intervals', () => {
  test('contain the true value about as often as their level', () => {
    const random = randomFrom('coverage');
    // Sum of four uniform numbers, with mean 2.
    const draw = (): number => random() + random() + random() + random();
    let held = 0;
    const trials = 200;
    for (let trial = 0; trial < trials; trial += 1) {
      const sample = Array.from({ length: 40 }, draw);
      const { m } = bootstrap([sample], (items) => ({ m: mean(items) }), random, 300);
      if ((m.low ?? 3) <= 2 && (m.high ?? 1) >= 2) held += 1;
    }
    expect(held / trials).toBeGreaterThan(0.88);
    expect(held / trials).toBeLessThan(0.99);
  });

  test('are the same for the same name and differ for another', () => {
    const sample = [1, 2, 3, 4, 5, 6, 7, 8];
    const estimate = (name: string) =>
      bootstrap([sample], (items) => ({ m: mean(items) }), randomFrom(name)).m;
    expect(estimate('a')).toEqual(estimate('a'));
    expect(estimate('a')).not.toEqual(estimate('b'));
  });

  test('each resample has as many items of each stratum as the data', () => {
    const sizes = new Set<string>();
    bootstrap(
      [
        [1, 1, 1],
        [10, 10],
      ],
      (items) => {
        sizes.add(items.toSorted((a, b) => a - b).join());
        return { m: mean(items) };
      },
      randomFrom('strata'),
      50,
    );
    expect([...sizes]).toEqual(['1,1,1,10,10']);
  });

  test('are null if most resamples have no value, and for a single item', () => {
    const rare = (items: readonly number[]) => ({ m: new Set(items).size === 3 ? 1 : null });
    expect(bootstrap([[1, 2, 3]], rare, randomFrom('rare')).m).toEqual({ value: 1, low: null, high: null });
    expect(bootstrap([[1]], (items) => ({ m: mean(items) }), randomFrom('one')).m).toEqual({
      value: 1,
      low: null,
      high: null,
    });
  });

  test('quantiles lie between the two nearest values', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect([quantile([1, 2], 0), quantile([1, 2], 1)]).toEqual([1, 2]);
  });
});
