import type { GuideConstants } from './constants.ts';
import { inverseDiagonal } from './linear.ts';

/*
 * Limits the influence of a single example. When a model obeyed a demand in one answer, the mark of that answer shows
 * nothing about other answers, and a teacher's correction of it must not be learned as severity. Weights of examples
 * are therefore bounded, as in a Huber regression: an example that contradicts the others has a bounded effect, and
 * effects of examples that agree add up.
 */

/**
 * Bound of a weight. It grows with the half step of a mark, as a share of the max marks, and with the usual difference
 * of teacher and grader, because a smaller bound would keep a guide from learning the errors of a grader that is often
 * far off. Infinity if the constants have no bound.
 * @param weights of the examples without a bound
 */
export const weightBoundOf = (
  { influence }: GuideConstants,
  maxMarks: number,
  lower: Float64Array,
  weights: Float64Array,
): number => {
  if (influence === undefined) return Infinity;
  const inverse = inverseDiagonal(lower, weights.length);
  // Prediction of each example from the other examples, less the teacher's mark.
  const usual = medianOf(Array.from(weights, (weight, place) => Math.abs(weight / (inverse[place] ?? 1))));
  const share = Math.max(influence.halfStep / maxMarks, influence.leastShare);
  return influence.force * share * Math.max(1, (usual / influence.usualDifference) ** 2);
};

/** Sweeps over all weights. Fifty examples need some dozens. */
const MOST_SWEEPS = 300;
const SMALLEST_MOVE = 1e-8;

/**
 * The weights within ± `bound` that fit the differences best: minimizes ½·w·M·w − w·d, one weight after the other.
 * The minimum is unique, because M is positive definite.
 * @param matrix covariance of the examples with noise
 * @param start the weights without a bound, which solve M·w = d
 */
export const boundedWeights = (
  matrix: Float64Array,
  differences: Float64Array,
  start: Float64Array,
  bound: number,
): Float64Array => {
  if (start.every((weight) => Math.abs(weight) <= bound)) return start;
  const size = start.length;
  const weights = start.map((weight) => clamped(weight, bound));
  const left = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    let sum = differences[row] ?? 0;
    for (let column = 0; column < size; column += 1) {
      sum -= (matrix[row * size + column] ?? 0) * (weights[column] ?? 0);
    }
    left[row] = sum;
  }
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
    let largest = 0;
    for (let row = 0; row < size; row += 1) {
      const weight = weights[row] ?? 0;
      const next = clamped(weight + (left[row] ?? 0) / (matrix[row * size + row] ?? 1), bound);
      const move = next - weight;
      if (move === 0) continue;
      weights[row] = next;
      for (let column = 0; column < size; column += 1) {
        left[column] = (left[column] ?? 0) - (matrix[row * size + column] ?? 0) * move;
      }
      largest = Math.max(largest, Math.abs(move));
    }
    if (largest < SMALLEST_MOVE) break;
  }
  return weights;
};

const clamped = (weight: number, bound: number): number => Math.min(Math.max(weight, -bound), bound);

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const above = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (below + above) / 2;
};
