import { momentsOf, NO_VARIANCE, type Moments } from './moments.ts';

/**
 * Quadratic weighted kappa from moments: 1 − E[(a−b)²] / (Var a + Var b + (mean a − mean b)²).
 *
 * On marks in equal steps this is the kappa of the table of categories with weights (i−j)², to the last digit, whatever
 * the size of the step; off the steps it needs no rounding. It does not change when both are divided by one number.
 * @returns −1..1; null where both are one and the same constant, of which no agreement beyond chance can be told
 */
export const kappaOf = ({ n, meanA, meanB, varianceA, varianceB, covariance }: Moments): number | null => {
  const shift = (meanA - meanB) ** 2;
  const byChance = varianceA + varianceB + shift;
  if (n === 0 || byChance < NO_VARIANCE) return null;
  return 1 - (varianceA + varianceB - 2 * covariance + shift) / byChance;
};

/** Pearson's r, −1..1; null where either does not vary. */
export const correlationOf = ({ n, varianceA, varianceB, covariance }: Moments): number | null =>
  n < 2 || varianceA < NO_VARIANCE || varianceB < NO_VARIANCE
    ? null
    : covariance / Math.sqrt(varianceA * varianceB);

/**
 * Standardized mean difference (mean b − mean a) / σ a, with the sample's σ (n − 1): positive when `b`, the machine, is
 * the more generous. null where `a` does not vary.
 */
export const standardizedDifferenceOf = ({ n, meanA, meanB, varianceA }: Moments): number | null =>
  n < 2 || varianceA < NO_VARIANCE ? null : (meanB - meanA) / Math.sqrt((varianceA * n) / (n - 1));

export const quadraticWeightedKappa = (a: ArrayLike<number>, b: ArrayLike<number>): number | null =>
  kappaOf(momentsOf(a, b));

export const pearson = (a: ArrayLike<number>, b: ArrayLike<number>): number | null =>
  correlationOf(momentsOf(a, b));

export const standardizedDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number | null =>
  standardizedDifferenceOf(momentsOf(a, b));

/**
 * Difference of standardized means of a part: the mean over it of z(b) − z(a), where z takes mean and σ of the whole.
 * 0 when the machine stands to this part as it stands to all. null where either does not vary over the whole.
 */
export const differenceOfStandardizedMeans = (part: Moments, whole: Moments): number | null => {
  if (part.n === 0 || whole.n < 2 || whole.varianceA < NO_VARIANCE || whole.varianceB < NO_VARIANCE)
    return null;
  const sample = whole.n / (whole.n - 1);
  const zB = (part.meanB - whole.meanB) / Math.sqrt(whole.varianceB * sample);
  return zB - (part.meanA - whole.meanA) / Math.sqrt(whole.varianceA * sample);
};
