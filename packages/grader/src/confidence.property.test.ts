import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confidenceOf, reviewReasons } from './confidence.ts';
import type { ConfidenceInput } from './confidence.ts';
import { DEFAULT_TABLE, readOff, readTable } from './confidenceTable.ts';

const certainty = fc.constantFrom('unsure', 'likely', 'certain') satisfies fc.Arbitrary<
  ConfidenceInput['criteria'][number]['certainty']
>;
const share = fc.double({ min: 0, max: 1, noNaN: true });
const marks = fc.integer({ min: 1, max: 2000 }).map((halves) => halves / 2);
const criterion = fc
  .record({
    max: marks,
    part: share,
    certainty,
    evidenceFound: fc.boolean(),
  })
  .map(({ max, part, ...rest }) => ({ max, awarded: Math.round(part * max * 2) / 2, ...rest }));
const input: fc.Arbitrary<ConfidenceInput> = fc.record({
  criteria: fc.array(criterion, { minLength: 1, maxLength: 8 }),
  legibility: fc.option(share),
  disagreement: fc.option(share),
  marksCorrected: fc.boolean(),
  isReading: fc.boolean(),
});
const table = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 8 }).chain((raws) =>
  fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: raws.length, maxLength: raws.length })
    .map((shown) => {
      const rising = shown.toSorted((a, b) => a - b);
      return readTable(
        raws
          .toSorted((a, b) => a - b)
          .map((raw, index) => `${raw / 100}:${(rising[index] ?? 0) / 100}`)
          .join(','),
      );
    }),
);

const ORDER = ['unsure', 'likely', 'certain'] as const;
const better = (value: (typeof ORDER)[number]) => ORDER[Math.min(ORDER.indexOf(value) + 1, 2)] ?? value;

describe('any report of a model and any table', () => {
  const holds = (
    property: (input: ConfidenceInput, confidence: (input: ConfidenceInput) => number) => void,
  ) =>
    fc.assert(
      fc.property(input, table, (given, points) => property(given, (varied) => confidenceOf(varied, points))),
    );

  test('confidence stays within 0..1, in hundredths', () => {
    holds((given, confidence) => {
      const value = confidence(given);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(Math.round(value * 100) / 100).toBe(value);
    });
  });

  test('it never falls when a criterion becomes more certain, or its quotation is found', () => {
    holds((given, confidence) => {
      const value = confidence(given);
      for (const index of given.criteria.keys()) {
        const improved = (change: (each: ConfidenceInput['criteria'][number]) => object) => ({
          ...given,
          criteria: given.criteria.map((each, at) => (at === index ? { ...each, ...change(each) } : each)),
        });
        expect(
          confidence(improved((each) => ({ certainty: better(each.certainty) }))),
        ).toBeGreaterThanOrEqual(value);
        expect(confidence(improved(() => ({ evidenceFound: true })))).toBeGreaterThanOrEqual(value);
      }
    });
  });

  test('it never falls when the page is more legible, the looks agree more, or no mark was corrected', () => {
    holds((given, confidence) => {
      const value = confidence(given);
      for (const change of [
        { legibility: given.legibility === null ? null : (given.legibility + 1) / 2 },
        { legibility: null },
        { disagreement: given.disagreement === null ? null : given.disagreement / 2 },
        { disagreement: null },
        { marksCorrected: false },
      ]) {
        expect(confidence({ ...given, ...change })).toBeGreaterThanOrEqual(value);
      }
    });
  });

  test('a reading without a quotation has the same confidence whatever it earned', () => {
    holds((given, confidence) => {
      const earning = (awarded: number) =>
        confidence({
          ...given,
          isReading: true,
          criteria: given.criteria.map((each) => ({ ...each, awarded, evidenceFound: false })),
        });
      expect(earning(0)).toBe(earning(1));
    });
  });

  test('a quarter of the marks unsure or different in the second look, or a corrected mark, needs a teacher', () => {
    holds((given, confidence) => {
      const total = given.criteria.reduce((sum, { max }) => sum + max, 0);
      const unsure = given.criteria.some((each) => each.certainty === 'unsure' && each.max >= total / 4);
      const held = unsure || given.marksCorrected || (given.disagreement ?? 0) >= 0.25;
      if (held) expect(reviewReasons(confidence(given), [])).toEqual(['low_confidence']);
    });
  });
});

describe('the table of the code', () => {
  const standard = readTable(DEFAULT_TABLE);

  test('keeps the review line of the formula', () => {
    fc.assert(
      fc.property(share, (raw) => {
        expect(readOff(standard, raw) >= 0.6).toBe(raw >= 0.6);
      }),
    );
  });

  test.each([
    [0, 0],
    [0.3, 0.3],
    [0.6, 0.6],
    [0.75, 0.707],
    [0.95, 0.85],
    [1, 0.85],
  ])('shows %f as %f', (raw, shown) => {
    expect(readOff(standard, raw)).toBeCloseTo(shown, 3);
  });

  test('a table is constant beyond its points', () => {
    const narrow = readTable('0.4:0.3,0.8:0.7');
    expect([0, 0.4, 0.8, 1].map((raw) => readOff(narrow, raw))).toEqual([0.3, 0.3, 0.7, 0.7]);
    expect(readOff(narrow, 0.6)).toBeCloseTo(0.5, 10);
  });

  test.each([
    '',
    '0:0',
    '0:0,',
    '0:0,1',
    '0:0,0:1',
    '1:1,0:0',
    '0:0.5,1:0.4',
    '0:0,1:2',
    'a:b,c:d',
    '0:0:0,1:1',
  ])('"%s" is no table', (text) => {
    expect(() => readTable(text)).toThrow('confidence table');
  });
});
