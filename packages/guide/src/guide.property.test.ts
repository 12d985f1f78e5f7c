import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GUIDE_CONSTANTS, MOST_EXAMPLES } from './constants.ts';
import { featureReaderOf } from './features.ts';
import { chooseNext, fitGuide, leaveOneOut, predict, restoreGuide, type GuideExample } from './index.ts';
import { similarityOf } from './similarity.ts';

const WORDS = [
  'cell',
  'cells',
  'membrane',
  'water',
  'not',
  'osmosis',
  'ion',
  'the',
  'passive',
  'transport',
  '水',
];
const sentence = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const fit = (given: readonly GuideExample[]) => fitGuide(given, 5);
const text = fc.oneof(
  sentence,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', ' ', '\u200b', '.'),
);
const share = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
const example = fc.record({ id: fc.uuid(), text, graderShare: share, teacherShare: share });
const examples = fc.array(example, { maxLength: 20 });
const scale = fc
  .record({ maxMarks: fc.constantFrom(0.5, 1, 2, 3, 4, 5, 21.5, 100), step: fc.constantFrom(0.5, 1) })
  .filter(({ maxMarks, step }) => step <= maxMarks);

describe('the similarity of two texts', () => {
  test('is symmetric, at most 1, and 1 for a text with itself', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const reader = featureReaderOf(GUIDE_CONSTANTS);
        const [a, b] = [reader.read(one), reader.read(other)];
        expect(similarityOf(a, b, GUIDE_CONSTANTS)).toBe(similarityOf(b, a, GUIDE_CONSTANTS));
        expect(similarityOf(a, b, GUIDE_CONSTANTS)).toBeLessThanOrEqual(1 + 1e-12);
        expect(similarityOf(a, a, GUIDE_CONSTANTS)).toBeCloseTo(a.stems.length === 0 ? 0 : 1, 12);
      }),
    );
  });
});

describe('a guide', () => {
  test('predicts marks on the step from 0 to the max marks, whatever the examples', () => {
    fc.assert(
      fc.property(examples, text, share, scale, (given, answer, graderShare, marks) => {
        const { maxMarks, step } = marks;
        const found = predict(fit(given), { text: answer, graderShare }, marks);
        expect(found.marks).toBeGreaterThanOrEqual(0);
        expect(found.marks).toBeLessThanOrEqual(maxMarks);
        expect(found.marks === maxMarks || Number.isInteger(found.marks / step)).toBe(true);
        expect(found.share).toBeGreaterThanOrEqual(0);
        expect(found.share).toBeLessThanOrEqual(1);
        expect(found.spread).toBeGreaterThan(0);
        expect(found.agreement).toBeGreaterThanOrEqual(0);
        expect(found.agreement).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('predicts the same for any order of its examples, and again from its data', () => {
    fc.assert(
      fc.property(examples, fc.infiniteStream(fc.nat()), text, share, (given, keys, answer, graderShare) => {
        const shuffled = given
          .map((each) => ({ each, key: keys.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ each }) => each);
        const marks = { maxMarks: 5, step: 0.5 };
        const asked = { text: answer, graderShare };
        const guide = fit(given);
        const expected = predict(guide, asked, marks);
        expect(predict(fit(shuffled), asked, marks)).toEqual(expected);
        const stored: unknown = JSON.parse(JSON.stringify(guide.model));
        expect(stored).toEqual(guide.model);
        expect(predict(restoreGuide(structuredClone(guide.model)), asked, marks)).toEqual(expected);
      }),
    );
  });

  test('without examples predicts the mark of the grader', () => {
    fc.assert(
      fc.property(text, share, (answer, graderShare) => {
        expect(predict(fit([]), { text: answer, graderShare }, { maxMarks: 4, step: 0.5 }).share).toBe(
          graderShare,
        );
      }),
    );
  });

  test('stays stable when one answer is an example many times', () => {
    fc.assert(
      fc.property(
        text,
        share,
        share,
        fc.integer({ min: 2, max: 60 }),
        (same, graderShare, teacherShare, count) => {
          const given = Array.from({ length: count }, (_, index) => ({
            id: String(index),
            text: same,
            graderShare,
            teacherShare,
          }));
          const guide = fit(given);
          const found = predict(guide, { text: same, graderShare }, { maxMarks: 8, step: 1 });
          expect(Math.abs(found.share - teacherShare)).toBeLessThanOrEqual(
            Math.abs(graderShare - teacherShare),
          );
          expect(leaveOneOut(guide, { maxMarks: 8, step: 1 })).toHaveLength(count);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('without bounded weights leaves one out as if it had been fitted without it', () => {
    const free = (given: readonly GuideExample[]) =>
      fitGuide(given, 5, { ...GUIDE_CONSTANTS, influence: undefined });
    fc.assert(
      fc.property(
        fc.uniqueArray(example, { minLength: 1, maxLength: 8, selector: ({ id }) => id }),
        (given) => {
          const marks = { maxMarks: 5, step: 0.5 };
          for (const { id, share: found, spread } of leaveOneOut(free(given), marks)) {
            const left = given.find((each) => each.id === id);
            if (left === undefined) throw new Error('an example was invented');
            const without = predict(free(given.filter((each) => each.id !== id)), left, marks);
            expect(found).toBeCloseTo(without.share, 4);
            expect(spread).toBeCloseTo(without.spread, 4);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('is bounded in time for hostile texts and many examples', () => {
    const hostile = [
      'a'.repeat(1_000_000),
      'aa '.repeat(300_000),
      `${'e'.repeat(39)} `.repeat(20_000),
      'ing'.repeat(5000),
      Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' '),
      '\u0301'.repeat(100_000),
    ];
    const given: GuideExample[] = Array.from({ length: MOST_EXAMPLES + 100 }, (_, index) => ({
      id: String(index).padStart(4, '0'),
      text: hostile[index % hostile.length] ?? '',
      graderShare: 0.5,
      teacherShare: 1,
    }));
    const started = process.cpuUsage();
    const guide = fit(given);
    expect(guide.model.examples).toHaveLength(MOST_EXAMPLES);
    for (const answer of hostile)
      predict(guide, { text: answer, graderShare: 0 }, { maxMarks: 2, step: 0.5 });
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(8);
  });

  test('refuses shares that are no numbers', () => {
    expect(() => fit([{ id: '1', text: 'x', graderShare: Number.NaN, teacherShare: 1 }])).toThrow(RangeError);
  });
});

test('a choice names candidates only, each once, and none of the examples', () => {
  fc.assert(
    fc.property(
      fc.array(example, { maxLength: 5 }),
      fc.uniqueArray(fc.record({ id: fc.uuid(), text }), { maxLength: 12, selector: ({ id }) => id }),
      fc.integer({ min: 0, max: 15 }),
      (given, candidates, count) => {
        const chosen = chooseNext(given, candidates, count);
        expect(chosen).toHaveLength(Math.min(count, candidates.length));
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen.every((id) => candidates.some((each) => each.id === id))).toBe(true);
        expect(chooseNext(given, candidates.toReversed(), count)).toEqual(chosen);
      },
    ),
  );
});
