import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundAwards } from './criterionMarks.ts';

const two = [
  { name: 'Definition', marks: 2 },
  { name: 'Example', marks: 1.3 },
];

describe('roundAwards() decides the marks of criteria', () => {
  test('valid awards are kept and summed', () => {
    expect(
      roundAwards(two, [
        { number: 2, awarded: 0.5 },
        { number: 1, awarded: 1.5 },
      ]),
    ).toEqual({
      criteria: [
        { name: 'Definition', max: 2, awarded: 1.5 },
        { name: 'Example', max: 1.3, awarded: 0.5 },
      ],
      awarded: 2,
      problems: [],
    });
  });

  test.each([
    ['above the maximum', 7, 2, 2],
    ['below zero', -1, 2, 0],
    ['between steps, nearer to the lower one', 1.2, 2, 1],
    ['between steps, nearer to the higher one', 1.3, 2, 1.5],
    ['halfway between steps, rounded up', 0.25, 2, 0.5],
    ['near an odd maximum', 1.2, 1.3, 1.3],
    ['between the last step and an odd maximum', 1.1, 1.3, 1],
    ['not a number', Number.NaN, 2, 0],
    ['infinite', Number.POSITIVE_INFINITY, 2, 2],
  ])('an award is corrected and reported: %s', (_, award, marks, expected) => {
    const settled = roundAwards([{ name: 'Only', marks }], [{ number: 1, awarded: award }]);
    expect(settled.awarded).toBe(expected);
    expect(settled.problems).toHaveLength(1);
  });

  test('full marks that are not a multiple of MARK_STEP are allowed and give no problem', () => {
    const settled = roundAwards([{ name: 'Only', marks: 1.3 }], [{ number: 1, awarded: 1.3 }]);
    expect(settled).toMatchObject({ awarded: 1.3, problems: [] });
  });

  test('missing, unknown and repeated numbers are reported, and the first of two counts', () => {
    const settled = roundAwards(two, [
      { number: 1, awarded: 1 },
      { number: 1, awarded: 2 },
      { number: 3, awarded: 2 },
      { number: 0, awarded: 2 },
      { number: 1.5, awarded: 2 },
    ]);
    expect(settled.awarded).toBe(1);
    expect(settled.problems).toEqual([
      'criterion 1 was awarded twice',
      'criterion 3 does not exist',
      'criterion 0 does not exist',
      'criterion 1.5 does not exist',
      'criterion 2 was not awarded',
    ]);
  });

  test.each([
    ['full marks stay', 2, 2, 0],
    ['0 stays', 0, 0, 0],
    ['half of the marks become 0, reported', 1, 0, 1],
    ['nearly all marks become 0, reported', 1.5, 0, 1],
    ['marks that would round to full marks become 0, reported', 1.9, 0, 1],
    ['more than full marks become full marks, reported', 3, 2, 1],
  ])('without partial marking: %s', (_, award, expected, problems) => {
    const settled = roundAwards([{ name: 'Only', marks: 2 }], [{ number: 1, awarded: award }], {
      partial: false,
    });
    expect(settled.awarded).toBe(expected);
    expect(settled.problems).toHaveLength(problems);
  });

  test('fifty criteria of twenty marks add up to a thousand, and no award makes it more', () => {
    const fifty = Array.from({ length: 50 }, (_, index) => ({ name: `c${index}`, marks: 20 }));
    const roundedTo = (awarded: number) =>
      roundAwards(
        fifty,
        fifty.map((_, index) => ({ number: index + 1, awarded })),
      ).awarded;
    expect([
      roundedTo(20),
      roundedTo(1e308),
      roundedTo(Number.MAX_VALUE),
      roundedTo(-1e308),
      roundedTo(5e-324),
    ]).toEqual([1000, 1000, 1000, 0, 0]);
  });

  test('thirds of marks sum exactly', () => {
    const thirds = [0.1, 0.2, 0.7].map((marks, index) => ({ name: `c${index}`, marks }));
    const awards = thirds.map(({ marks }, index) => ({ number: index + 1, awarded: marks }));
    expect(roundAwards(thirds, awards).awarded).toBe(1);
  });

  test('whatever is proposed, an award stays within 0..marks, and only full marks may leave the half steps', () => {
    const marks = fc.integer({ min: 1, max: 10_000 }).map((hundredths) => hundredths / 100);
    const award = fc.record({ number: fc.integer({ min: -1, max: 8 }), awarded: fc.double() });
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 6 }), fc.array(award, { maxLength: 10 }), (list, awards) => {
        const settled = roundAwards(
          list.map((each, index) => ({ name: `c${index}`, marks: each })),
          awards,
        );
        for (const { awarded, max } of settled.criteria) {
          expect(awarded).toBeGreaterThanOrEqual(0);
          expect(awarded).toBeLessThanOrEqual(max);
          expect(awarded === max || Number.isInteger(awarded * 2)).toBe(true);
        }
      }),
    );
  });
});
