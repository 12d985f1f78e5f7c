import { boundedWeights, weightBoundOf } from './bounded.ts';
import { GUIDE_CONSTANTS, LEAST_NOISE, MOST_EXAMPLES, type GuideConstants } from './constants.ts';
import { featureReaderOf, type FeatureReader, type Features } from './features.ts';
import { choleskyOf, solveLower, solveUpper } from './linear.ts';
import { indexTexts, type TextIndex } from './similarity.ts';

/** An answer with the grader's and the teacher's mark, as shares of the max marks. */
export interface GuideExample {
  id: string;
  text: string;
  graderShare: number;
  teacherShare: number;
}

/** A guide as plain data. The same data always predicts the same marks. */
export interface GuideModel {
  constants: GuideConstants;
  /** Max marks of the question. */
  maxMarks: number;
  examples: readonly GuideExample[];
}

/** A guide and the values computed from its data, ready to predict. Its cache changes no result. */
export interface FittedGuide {
  model: GuideModel;
  reader: FeatureReader;
  features: readonly Features[];
  index: TextIndex;
  /** Cholesky factor of the covariance of the examples, with noise. */
  lower: Float64Array;
  /** Covariance of the examples, with noise. */
  matrix: Float64Array;
  /** Differences of teacher and grader, weighed by the inverse covariance and bounded. */
  weights: Float64Array;
}

/**
 * Learns the difference between the teacher's and the grader's share of the marks, as a Gaussian process over the
 * texts.
 */
export const fitGuide = (
  examples: readonly GuideExample[],
  maxMarks: number,
  constants = GUIDE_CONSTANTS,
): FittedGuide => restoreGuide({ constants, maxMarks, examples });

/**
 * Fits a guide from its data. The order of the examples does not matter. Only the first `MOST_EXAMPLES` by id are used.
 * @throws RangeError if a share is not a number
 */
export const restoreGuide = (model: GuideModel): FittedGuide => {
  const steps = restoreSteps(model);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/**
 * Like `restoreGuide`, in steps of at most some 20 ms, because 200 long answers take a second and other requests wait.
 */
export function* restoreSteps({
  constants,
  maxMarks,
  examples,
}: GuideModel): Generator<undefined, FittedGuide> {
  const used = examples.toSorted(byContent).slice(0, MOST_EXAMPLES).map(checked);
  const reader = featureReaderOf(constants);
  const features: Features[] = [];
  for (const { text } of used) {
    features.push(reader.read(text));
    yield;
  }
  const index = indexTexts(features, constants);
  yield;
  const matrix = new Float64Array(used.length ** 2);
  for (const [row, text] of features.entries()) {
    for (const [column, similarity] of index.similaritiesTo(text).entries()) {
      matrix[row * used.length + column] = covarianceFrom(similarity, constants);
    }
    matrix[row * used.length + row] = varianceOf(text, constants) + noiseOf(constants);
    yield;
  }
  const lower = choleskyOf(matrix, used.length);
  yield;
  const differences = Float64Array.from(used, ({ graderShare, teacherShare }) => teacherShare - graderShare);
  const unbounded = solveUpper(lower, used.length, solveLower(lower, used.length, differences));
  const bound = weightBoundOf(constants, maxMarks, lower, unbounded);
  yield;
  const weights = boundedWeights(matrix, differences, unbounded, bound);
  return { model: { constants, maxMarks, examples: used }, reader, features, index, lower, matrix, weights };
}

/** Covariance of the true differences of two texts, from their similarity. */
export const covarianceFrom = (similarity: number, { shiftVariance, textVariance }: GuideConstants): number =>
  shiftVariance + textVariance * similarity;

/** Variance of the true difference of one text; for a text without words, that of the shift alone. */
export const varianceOf = ({ stems }: Features, { shiftVariance, textVariance }: GuideConstants): number =>
  shiftVariance + (stems.length === 0 ? 0 : textVariance);

export const noiseOf = ({ noiseVariance }: GuideConstants): number => Math.max(noiseVariance, LEAST_NOISE);

/** Orders by id, then by content, by code units. */
const byContent = (a: GuideExample, b: GuideExample): number => {
  return (
    compare(a.id, b.id) ||
    compare(a.text, b.text) ||
    a.graderShare - b.graderShare ||
    a.teacherShare - b.teacherShare
  );
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const checked = (example: GuideExample): GuideExample => {
  const { id, text, graderShare, teacherShare } = example;
  if (!Number.isFinite(graderShare) || !Number.isFinite(teacherShare)) {
    throw new RangeError('the shares of an example must be finite numbers');
  }
  return { id, text, graderShare, teacherShare };
};
