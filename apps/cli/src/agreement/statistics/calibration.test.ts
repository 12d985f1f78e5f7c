import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrationTable, expectedCalibrationError, reliability, tableLine } from './calibration.ts';
import { isotonic } from './isotonic.ts';

describe('isotonic regression', () => {
  test('pools falling values by weight', () => {
    const points = [1, 3, 2, 4].map((y, x) => ({ x, y, weight: 1 }));
    expect(isotonic(points)).toEqual([1, 2.5, 2.5, 4]);
    expect(
      isotonic([
        { x: 0, y: 3, weight: 3 },
        { x: 1, y: 1, weight: 1 },
      ]),
    ).toEqual([2.5, 2.5]);
  });

  const points = fc.array(
    fc.record({
      x: fc.constant(0),
      y: fc.double({ min: 0, max: 1, noNaN: true }),
      weight: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 30 },
  );

  test('never falls, keeps the weighted mean, and keeps rising values', () => {
    fc.assert(
      fc.property(points, (given) => {
        const fitted = isotonic(given);
        expect(fitted).toHaveLength(given.length);
        fitted.forEach((value, index) =>
          expect(value).toBeGreaterThanOrEqual((fitted[index - 1] ?? 0) - 1e-12),
        );
        const total = (values: readonly number[]) =>
          values.reduce((sum, value, index) => sum + value * (given[index]?.weight ?? 0), 0);
        expect(total(fitted)).toBeCloseTo(total(given.map(({ y }) => y)), 9);
        const rising = given.toSorted((a, b) => a.y - b.y);
        isotonic(rising).forEach((value, index) => expect(value).toBeCloseTo(rising[index]?.y ?? 0, 12));
      }),
    );
  });
});

const judged = (confidence: number, agreed: number, total: number) =>
  Array.from({ length: total }, (_, index) => ({ confidence, agreed: index < agreed }));

describe('calibration', () => {
  test('the expected error is the difference of confidence and agreement, weighted by answers', () => {
    const bins = reliability([...judged(0.9, 6, 10), ...judged(0.35, 1, 5)]);
    expect(bins[9]).toMatchObject({ n: 10, agreed: 0.6 });
    expect(bins[3]).toMatchObject({ n: 5, agreed: 0.2 });
    expect(expectedCalibrationError(bins)).toBeCloseTo((10 * 0.3 + 5 * 0.15) / 15, 12);
  });

  test('a confidence of 1 is in the last bin, one of 0.3 in the fourth; without marks the error is null', () => {
    const bins = reliability([...judged(1, 1, 1), ...judged(0.3, 1, 1)]);
    expect(bins.map(({ n }) => n)).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    expect(expectedCalibrationError(reliability([]))).toBeNull();
  });

  test('the suggested table maps confidence to the share of agreement', () => {
    const table = calibrationTable([...judged(0.4, 4, 18), ...judged(0.6, 9, 18), ...judged(0.95, 18, 18)]);
    expect(tableLine(table)).toBe('0:0.25,0.4:0.25,0.6:0.5,0.95:0.95,1:0.95');
  });

  test('the suggested table is always valid for CONFIDENCE_TABLE: it rises from 0 to 1', () => {
    const marks = fc.array(
      fc.record({
        confidence: fc.integer({ min: 0, max: 100 }).map((each) => each / 100),
        agreed: fc.boolean(),
      }),
      { minLength: 30, maxLength: 120 },
    );
    fc.assert(
      fc.property(marks, (given) => {
        const table = calibrationTable(given);
        expect(table[0]?.[0]).toBe(0);
        expect(table.at(-1)?.[0]).toBe(1);
        table.slice(1).forEach(([raw, shown], index) => {
          expect(raw).toBeGreaterThan(table[index]?.[0] ?? 1);
          expect(shown).toBeGreaterThanOrEqual(table[index]?.[1] ?? 1);
        });
      }),
    );
    expect(calibrationTable(judged(0.5, 20, 29))).toEqual([]);
  });
});
