import { expect, test } from 'vitest';
import { GUIDE_CONSTANTS, lowerBoundOf } from '@evaluation/guide';
import { learningCurve } from './learningCurve.ts';

/** The grader gives nothing; the teacher gives full marks to answers that name the leaf. */
const exam = (count: number) => {
  const examples = Array.from({ length: count }, (_, index) => ({
    submission_id: `s${index}`,
    run_id: `r${index}`,
    grader: 0,
    teacher: index % 2 === 0 ? 4 : 0,
    max: 4,
    sha256: '',
  }));
  const texts = new Map(
    examples.map(({ run_id, teacher }, index) => [
      run_id,
      teacher === 4
        ? `the green leaf takes in sunlight ${index}`
        : `roots drink cold water below ground ${index}`,
    ]),
  );
  return { examples, texts };
};

test('the curve rises from the agreement of the grader to that of a guide with all examples', async () => {
  const { examples, texts } = exam(60);
  const curve = await learningCurve({ examples, constants: GUIDE_CONSTANTS }, texts);
  expect(curve.map((point) => [point.examples, point.n])).toEqual([
    [0, 60],
    [3, 57],
    [5, 55],
    [10, 50],
    [20, 40],
    [40, 20],
    [60, 60],
  ]);
  expect(curve[0]?.agreement).toBe(0.5);
  expect(curve.at(-1)?.agreement).toBe(1);
  for (const { agreement, low, high, n } of curve) {
    expect(low).toBeLessThanOrEqual(agreement);
    expect(high).toBeGreaterThanOrEqual(agreement);
    expect(low).toBeCloseTo(lowerBoundOf(Math.round(agreement * n), n, 0.975), 9);
  }
});

test('the curve is the same in each order of the examples, and needs five with a text', async () => {
  const { examples, texts } = exam(30);
  const curveOf = (some: typeof examples, known = texts) =>
    learningCurve({ examples: some, constants: GUIDE_CONSTANTS }, known);
  expect(await curveOf(examples.toReversed())).toEqual(await curveOf(examples));
  expect(await curveOf(examples.slice(0, 4))).toEqual([]);
  expect(await curveOf(examples, new Map([...texts].slice(0, 4)))).toEqual([]);
  expect(await curveOf([])).toEqual([]);
});
