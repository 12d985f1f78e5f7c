import { momentsOf, NO_VARIANCE, type Moments } from './moments.ts';

/**
 * Quadratic weighted kappa from moments: 1 − E[(a−b)²] / (Var a + Var b + (mean a − mean b)²).
 *
 * For marks in equal steps, this equals the kappa of the table of categories with weights (i−j)², for any size of the
 * step; other marks need no rounding. Dividing both marks by the same number does not change it.
 * @returns −1..1; null if both are the same constant, for which agreement beyond chance is undefined
 */
export const kappaOf = ({ n, meanA, meanB, varianceA, varianceB, covariance }: Moments): number | null => {
  const shift = (meanA - meanB) ** 2;
  const byChance = varianceA + varianceB + shift;
  if (n === 0 || byChance < NO_VARIANCE) return null;
  return 1 - (varianceA + varianceB - 2 * covariance + shift) / byChance;
};

/** Pearson's r, −1..1; null if a or b is constant. */
export const correlationOf = ({ n, varianceA, varianceB, covariance }: Moments): number | null =>
  n < 2 || varianceA < NO_VARIANCE || varianceB < NO_VARIANCE
    ? null
    : covariance / Math.sqrt(varianceA * varianceB);

/**
 * Standardized mean difference (mean b − mean a) / σ a, with the sample's σ (n − 1): positive if `b`, the machine,
 * gives more marks. null if `a` is constant.
 */
export const standardizedDifferenceOf = ({ n, meanA, meanB, varianceA }: Moments): number | null =>
  n < 2 || varianceA < NO_VARIANCE ? null : (meanB - meanA) / Math.sqrt((varianceA * n) / (n - 1));

export const quadraticWeightedKappa = (a: ArrayLike<number>, b: ArrayLike<number>): number | null =>
  kappaOf(momentsOf(a, b));

export const standardizedDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number | null =>
  standardizedDifferenceOf(momentsOf(a, b));

/**
 * Difference of standardized means of a part: the mean over the part of z(b) − z(a), with mean and σ of the whole. 0 if
 * the machine treats the part like the whole. null if a or b is constant over the whole.
 */
export const differenceOfStandardizedMeans = (part: Moments, whole: Moments): number | null => {
  if (part.n === 0 || whole.n < 2 || whole.varianceA < NO_VARIANCE || whole.varianceB < NO_VARIANCE)
    return null;
  const sample = whole.n / (whole.n - 1);
  const zB = (part.meanB - whole.meanB) / Math.sqrt(whole.varianceB * sample);
  return zB - (part.meanA - whole.meanA) / Math.sqrt(whole.varianceA * sample);
};
