import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  correlationOf,
  differenceOfStandardizedMeans,
  quadraticWeightedKappa,
  standardizedDifference,
} from './agreement.ts';
import { momentsOf } from './moments.ts';

/** Kappa by its definition: a table of categories, weights (i − j)², and the counts expected by chance. */
const byTable = (a: readonly number[], b: readonly number[], categories: number): number => {
  const n = a.length;
  const count = (marks: readonly number[], category: number) =>
    marks.filter((mark) => mark === category).length;
  let observed = 0;
  let expected = 0;
  for (let i = 0; i < categories; i += 1) {
    for (let j = 0; j < categories; j += 1) {
      const weight = (i - j) ** 2;
      observed += weight * a.filter((mark, index) => mark === i && b[index] === j).length;
      expected += (weight * count(a, i) * count(b, j)) / n;
    }
  }
  return 1 - observed / expected;
};

describe('quadratic weighted kappa', () => {
  // Examples from the manual of the EssayTools package.
  const first = [9, 7, 8, 7, 6, 8, 3, 5, 10];
  test.each([
    [[8, 8, 6, 6, 7, 6, 1, 4, 8], 0.758620689655172],
    [[3, 5, 6, 6, 7, 6, 1, 4, 8], 0.438095238095238],
  ])('equals the published value for published examples', (second, kappa) => {
    expect(quadraticWeightedKappa(first, second)).toBeCloseTo(kappa, 12);
  });

  const marks = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), {
    minLength: 2,
    maxLength: 40,
  });

  test('equals the kappa of the table of categories for any step of the marks', () => {
    fc.assert(
      fc.property(marks, fc.constantFrom(0.5, 1, 0.1), (pairs, step) => {
        const a = pairs.map(([mark]) => mark);
        const b = pairs.map(([, mark]) => mark);
        const kappa = quadraticWeightedKappa(
          a.map((mark) => mark * step),
          b.map((mark) => mark * step),
        );
        if (kappa === null) expect(new Set([...a, ...b]).size).toBe(1);
        else expect(kappa).toBeCloseTo(byTable(a, b, 7), 9);
      }),
    );
  });

  test('is symmetric, lies between −1 and 1, and is 1 only if both markers agree', () => {
    fc.assert(
      fc.property(marks, (pairs) => {
        const a = pairs.map(([mark]) => mark);
        const b = pairs.map(([, mark]) => mark);
        const kappa = quadraticWeightedKappa(a, b);
        expect(quadraticWeightedKappa(b, a)).toBe(kappa);
        if (kappa === null) return;
        expect(Math.abs(kappa)).toBeLessThanOrEqual(1 + 1e-12);
        expect(kappa > 1 - 1e-12).toBe(a.every((mark, index) => mark === b[index]));
      }),
    );
  });

  test('is null if both are the same constant', () => {
    expect(quadraticWeightedKappa([2, 2, 2], [2, 2, 2])).toBeNull();
    expect(quadraticWeightedKappa([2, 2, 2], [2, 2, 3])).toBe(0);
    expect(quadraticWeightedKappa([], [])).toBeNull();
  });
});

describe('Pearson r and differences of means', () => {
  test('have the values computed by hand', () => {
    // Means 2 and 3; squared deviations 2 and 6, products 3.
    expect(correlationOf(momentsOf([1, 2, 3], [1, 4, 4]))).toBeCloseTo(3 / Math.sqrt(2 * 6), 12);
    // σ of 1, 2, 3 with n − 1 is 1; the means differ by 1.
    expect(standardizedDifference([1, 2, 3], [1, 4, 4])).toBeCloseTo(1, 12);
    expect(standardizedDifference([2, 4], [1, 3])).toBeCloseTo(-1 / Math.SQRT2, 12);
  });

  test('are null if the marks are constant', () => {
    expect(correlationOf(momentsOf([1, 1], [1, 2]))).toBeNull();
    expect(standardizedDifference([1, 1], [1, 2])).toBeNull();
    expect(standardizedDifference([1], [2])).toBeNull();
  });

  test('the difference of standardized means is 0 for a machine that is equally severe to all', () => {
    const human = [0, 1, 2, 3, 4, 5];
    const severe = human.map((mark) => mark / 2 - 1);
    const whole = momentsOf(human, severe);
    expect(differenceOfStandardizedMeans(momentsOf(human.slice(4), severe.slice(4)), whole)).toBeCloseTo(
      0,
      12,
    );
  });

  test('the difference of standardized means is negative for a group marked down and positive for the other', () => {
    const human = [1, 2, 3, 1, 2, 3];
    const machine = [1, 2, 3, 0, 1, 2];
    const whole = momentsOf(human, machine);
    const up = differenceOfStandardizedMeans(momentsOf(human.slice(0, 3), machine.slice(0, 3)), whole);
    const down = differenceOfStandardizedMeans(momentsOf(human.slice(3), machine.slice(3)), whole);
    // z of the machine's group mean: 0.5 / sqrt(5.5 / 5); the humans' is 0.
    expect(up).toBeCloseTo(0.5 / Math.sqrt(5.5 / 5), 12);
    expect(down).toBeCloseTo(-(up ?? 0), 12);
  });
});
