import { describe, expect, test } from 'vitest';
import { flagsOf } from './flags.ts';
import { measureGroups } from './groups.ts';
import { measure, valuesOf } from './measures.ts';
import { adjacentOf, isAdjacent, isExact, stepOf } from '@evaluation/rules';
import { bandOf, type Pair } from './pairs.ts';
import { trustOf } from './verdict.ts';

const pair = (human: number, machine: number, rest: Partial<Pair> = {}): Pair => ({
  questionId: 'q',
  maxMarks: 5,
  human,
  second: null,
  machine,
  group: null,
  confidence: null,
  rawConfidence: null,
  line: 1,
  id: null,
  ...rest,
});

describe('agreement of marks', () => {
  test.each([
    [2, 0.5, 0.5],
    [3.5, 0.5, 0.5],
    [4, 0.5, 1],
    [10, 0.5, 1],
    [15, 0.5, 1.5],
    [20, 1, 2],
    [100, 5, 10],
  ])('for %d marks the step is %d and marks are adjacent within %d', (max, step, adjacent) => {
    expect([stepOf(max), adjacentOf(max)]).toEqual([step, adjacent]);
    expect(isAdjacent(0, adjacent, max)).toBe(true);
    expect(isAdjacent(0, adjacent + 0.5, max)).toBe(false);
    expect(isExact(max, max - step, max)).toBe(false);
  });

  test('is exact for marks that round to the same step', () => {
    expect([isExact(2.25, 2.5, 5), isExact(2.25, 2, 5), isExact(61, 62, 100)]).toEqual([true, false, true]);
  });

  test('bands are thirds of the range by the human mark; both borders belong to the middle band', () => {
    expect([0, 0.99, 1, 2, 2.01, 3].map((human) => bandOf({ human, maxMarks: 3 }))).toEqual([
      'lower third',
      'lower third',
      'middle third',
      'middle third',
      'upper third',
      'upper third',
    ]);
  });

  test('has the values computed by hand', () => {
    const pairs = [pair(0, 0), pair(2, 3), pair(4, 2), pair(5, 5)];
    const values = valuesOf(pairs);
    expect(values).toMatchObject({
      exact: 0.5,
      adjacent: 0.75,
      meanError: -0.25,
      mae: 0.75,
      meanErrorShare: -0.05,
    });
    expect(values.rmse).toBeCloseTo(Math.sqrt(5 / 4), 12);
    // Sum of the squared errors: 5. Sums of the squared deviations from the means: 14.75 and 13. Difference of the
    // means: 0.25.
    expect(values.qwk).toBeCloseTo(1 - 5 / (14.75 + 13 + 4 * 0.0625), 12);
    expect([values.humanQwk, values.degradation]).toEqual([null, null]);
  });

  test('human kappa and degradation use only answers with two human marks', () => {
    const double = [pair(0, 1, { second: 0 }), pair(2, 2, { second: 2 }), pair(4, 3, { second: 5 })];
    const values = valuesOf([...double, pair(5, 0)]);
    const alone = valuesOf(double);
    expect(values.humanQwk).toBe(alone.humanQwk);
    expect(values.degradation).toBeCloseTo((alone.qwk ?? 0) - (alone.humanQwk ?? 0), 12);
    expect(values.humanExact).toBeCloseTo(2 / 3, 12);
  });

  test('of several questions uses marks as shares of max_marks', () => {
    const small = pair(1, 0, { questionId: 'a', maxMarks: 2 });
    const large = pair(10, 5, { questionId: 'b', maxMarks: 10 });
    expect(valuesOf([small, large])).toMatchObject({ meanError: -3, meanErrorShare: -0.5 });
  });
});

describe('flags', () => {
  const good = Array.from({ length: 40 }, (_, index) => pair(index % 6, index % 6));
  test('a perfect machine has no flag and is trusted; with few answers the verdict is "not shown"', () => {
    const measures = measure(good, 'good');
    expect(flagsOf('overall', null, measures)).toEqual([]);
    expect(trustOf(measures, [])).toBe('trusted');
    expect(trustOf(measure(good.slice(0, 20), 'few'), [])).toBe('not shown');
  });

  test('a machine that adds 1.5 marks to each answer gets certain flags for SMD and agreement', () => {
    const measures = measure(
      good.map((each) => ({ ...each, machine: each.human + 1.5 })),
      'generous',
    );
    const flags = flagsOf('question', 'q', measures);
    expect(flags.map(({ measure: name, certain }) => [name, certain])).toEqual([
      ['smd', true],
      ['exact', true],
      ['adjacent', true],
    ]);
    expect(trustOf(measures, flags)).toBe('not trusted');
  });

  test('a band is flagged for the two agreements only', () => {
    const flags = flagsOf('band', 'middle third', measure([pair(2, 4), pair(3, 1)], 'band'));
    expect(flags.map(({ measure: name }) => name)).toEqual(['exact', 'adjacent']);
  });

  test('a group that is marked down against the others is flagged by the difference of standardized means', () => {
    const groups = measureGroups(
      good.map((each, index) =>
        index < 20 ? { ...each, group: 'a' } : { ...each, group: 'b', machine: Math.max(0, each.human - 2) },
      ),
    );
    expect(groups.map(({ group, n }) => [group, n])).toEqual([
      ['a', 20],
      ['b', 20],
    ]);
    expect(groups[1]?.dsm.value).toBeLessThan(-0.1);
    expect(groups[0]?.dsm.value).toBeGreaterThan(0.1);
    expect(measureGroups(good.map((each) => ({ ...each, group: 'a' })))).toEqual([]);
  });
});
