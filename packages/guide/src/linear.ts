/** Square matrices as rows in one array. */

/**
 * Lower triangle L with L·Lᵀ = matrix (Cholesky). The matrix must be positive definite, which the noise on the
 * diagonal of a covariance guarantees. @throws RangeError if it is not
 */
export const choleskyOf = (matrix: Float64Array, size: number): Float64Array => {
  const lower = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * size + column] ?? 0;
      for (let k = 0; k < column; k += 1) {
        sum -= (lower[row * size + k] ?? 0) * (lower[column * size + k] ?? 0);
      }
      if (row !== column) {
        lower[row * size + column] = sum / (lower[column * size + column] ?? 1);
        continue;
      }
      if (!(sum > 0)) throw new RangeError('the matrix is not positive definite');
      lower[row * size + row] = Math.sqrt(sum);
    }
  }
  return lower;
};

/** x with L·x = right. */
export const solveLower = (lower: Float64Array, size: number, right: Float64Array): Float64Array => {
  const solved = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    let sum = right[row] ?? 0;
    const at = row * size;
    for (let k = 0; k < row; k += 1) sum -= (lower[at + k] ?? 0) * (solved[k] ?? 0);
    solved[row] = sum / (lower[at + row] ?? 1);
  }
  return solved;
};

/** x with Lᵀ·x = right. */
export const solveUpper = (lower: Float64Array, size: number, right: Float64Array): Float64Array => {
  const solved = new Float64Array(size);
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = right[row] ?? 0;
    for (let k = row + 1; k < size; k += 1) sum -= (lower[k * size + row] ?? 0) * (solved[k] ?? 0);
    solved[row] = sum / (lower[row * size + row] ?? 1);
  }
  return solved;
};

/** Diagonal of (L·Lᵀ)⁻¹: the squared lengths of the columns of L⁻¹. */
export const inverseDiagonal = (lower: Float64Array, size: number): Float64Array => {
  const diagonal = new Float64Array(size);
  for (let column = 0; column < size; column += 1) {
    const unit = new Float64Array(size);
    unit[column] = 1;
    diagonal[column] = squaresOf(solveLower(lower, size, unit));
  }
  return diagonal;
};

/** Squared length of a vector. */
export const squaresOf = (vector: Float64Array): number => {
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (vector[index] ?? 0) ** 2;
  return sum;
};
