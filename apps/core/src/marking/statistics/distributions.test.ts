import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binsOf, figuresOf } from './distributions.ts';

const counted = (values: readonly number[]) => values.map((value) => ({ value, count: 1 }));

test('a mark on a border counts in the upper bin, the largest mark in the last bin, and a value outside in the nearest bin', () => {
  expect(binsOf(counted([-1, 0, 0.5, 1, 1.5, 2, 2.5]), { from: 0, to: 2, width: 0.5 })).toEqual([
    { from: 0, to: 0.5, count: 2 },
    { from: 0.5, to: 1, count: 1 },
    { from: 1, to: 1.5, count: 1 },
    { from: 1.5, to: 2, count: 3 },
  ]);
  expect(binsOf([], { from: 0, to: 2.5, width: 1 }).at(-1)).toEqual({ from: 2, to: 2.5, count: 0 });
});

test('bins count each value once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -20, max: 120, noNaN: true })),
      fc.constantFrom(0.5, 5, 7),
      (values, width) => {
        const bins = binsOf(counted(values), { from: 0, to: 100, width });
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      },
    ),
    { numRuns: 50 },
  );
});

test('figures count repeated values as often as they occur', () => {
  const figures = figuresOf([
    { value: 4, count: 1 },
    { value: 1, count: 3 },
  ]);
  expect(figures).toEqual({ n: 4, mean: 1.75, median: 1, standard_deviation: 1.5 });
  expect(figuresOf(counted([1, 2])).median).toBe(1.5);
  expect(figuresOf([])).toEqual({ n: 0, mean: null, median: null, standard_deviation: null });
  expect(figuresOf(counted([3])).standard_deviation).toBeNull();
});
