/** Means, variances and covariance of pairs (a, b). */
export interface Moments {
  n: number;
  meanA: number;
  meanB: number;
  /** Mean squared deviations, divided by n. */
  varianceA: number;
  varianceB: number;
  covariance: number;
}

/** Moments of pairs (a[i], b[i]); both lists have the same length. Two passes avoid cancellation. */
export const momentsOf = (a: ArrayLike<number>, b: ArrayLike<number>): Moments => {
  const n = a.length;
  let sumA = 0;
  let sumB = 0;
  for (let i = 0; i < n; i += 1) {
    sumA += a[i] ?? 0;
    sumB += b[i] ?? 0;
  }
  const meanA = n === 0 ? 0 : sumA / n;
  const meanB = n === 0 ? 0 : sumB / n;
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let i = 0; i < n; i += 1) {
    const offA = (a[i] ?? 0) - meanA;
    const offB = (b[i] ?? 0) - meanB;
    squaresA += offA * offA;
    squaresB += offB * offB;
    products += offA * offB;
  }
  const each = n === 0 ? 1 : n;
  return {
    n,
    meanA,
    meanB,
    varianceA: squaresA / each,
    varianceB: squaresB / each,
    covariance: products / each,
  };
};

/** A variance below this is the rounding error of equal values. */
export const NO_VARIANCE = 1e-12;
