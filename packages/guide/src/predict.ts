import { covarianceFrom, noiseOf, varianceOf, type FittedGuide } from './fit.ts';
import { inverseDiagonal, solveLower, squaresOf } from './linear.ts';
import type { MarkScale } from './scale.ts';

export interface Prediction {
  /** On the mark step, from 0 to the max marks. */
  marks: number;
  /** The prediction before rounding, as a share of the max marks, 0..1. */
  share: number;
  /** Standard deviation of the teacher's mark around the prediction, as a share of the max marks. */
  spread: number;
  /** Probability that the teacher's mark lies within the tolerance of `marks`. */
  agreement: number;
}

/** The mark that the teacher would probably give. */
export const predict = (
  guide: FittedGuide,
  answer: { text: string; graderShare: number },
  scale: MarkScale,
): Prediction => {
  const { constants } = guide.model;
  const features = guide.reader.read(answer.text);
  const row = guide.index.similaritiesTo(features);
  let difference = 0;
  for (let place = 0; place < row.length; place += 1) {
    const covariance = covarianceFrom(row[place] ?? 0, constants);
    row[place] = covariance;
    difference += covariance * (guide.weights[place] ?? 0);
  }
  const explained = squaresOf(solveLower(guide.lower, row.length, row));
  const variance = Math.max(varianceOf(features, constants) - explained, 0) + noiseOf(constants);
  return predictionOf(answer.graderShare + difference, variance, scale);
};

/**
 * Predicts each example from the others, in the order of `guide.model.examples`, by the closed form of a Gaussian
 * process. Exact if no weight is at its bound. Otherwise an approximation: the other weights at the bound are assumed
 * to stay there without the example.
 */
export const leaveOneOut = (
  guide: FittedGuide,
  scale: MarkScale,
): (Prediction & { id: string; teacherShare: number })[] => {
  const size = guide.weights.length;
  const noise = noiseOf(guide.model.constants);
  const inverse = inverseDiagonal(guide.lower, size);
  return guide.model.examples.map(({ id, graderShare, teacherShare }, place) => {
    const variance = 1 / (inverse[place] ?? 1);
    const weight = guide.weights[place] ?? 0;
    let difference = -weight * noise;
    for (let column = 0; column < size; column += 1) {
      difference += (guide.matrix[place * size + column] ?? 0) * (guide.weights[column] ?? 0);
    }
    const share = graderShare + difference - weight * (variance - noise);
    return { id, teacherShare, ...predictionOf(share, variance, scale) };
  });
};

const predictionOf = (
  mean: number,
  variance: number,
  { maxMarks, step, tolerance }: MarkScale,
): Prediction => {
  const share = sixDigits(Math.min(Math.max(mean, 0), 1));
  const spread = sixDigits(Math.sqrt(variance));
  const marks = snap(share * maxMarks, maxMarks, step);
  const reach = Math.floor((tolerance ?? step) / step + 1e-9) * step + step / 2;
  // A teacher's mark is the step nearest to the drawn value. The lowest and the highest step also take all values
  // beyond.
  const above = marks + reach > maxMarks ? 1 : normalBelow(((marks + reach) / maxMarks - share) / spread);
  const below = marks - reach < 0 ? 0 : normalBelow(((marks - reach) / maxMarks - share) / spread);
  return { marks, share, spread, agreement: sixDigits(above - below) };
};

/**
 * The nearest multiple of `step` from 0 to `maxMarks`, ties upwards. Exact, because half marks are binary fractions.
 */
const snap = (marks: number, maxMarks: number, step: number): number => {
  if (marks <= 0) return 0;
  if (marks >= maxMarks) return maxMarks;
  const below = Math.floor(marks / step) * step;
  const above = Math.min(below + step, maxMarks);
  return marks - below < above - marks ? below : above;
};

/** Rounds to six digits, because later digits depend on the order of additions and differ between machines. */
const sixDigits = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Distribution function of the standard normal: error below 1e-7 (Abramowitz and Stegun, 26.2.17). */
const normalBelow = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z >= 0 ? 1 - tail : tail;
};
