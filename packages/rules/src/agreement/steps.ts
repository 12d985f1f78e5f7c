/**
 * Step within which marks of a question count as equal: a twentieth of max_marks in whole half marks, at least half a
 * mark (up to 19 marks: 0.5; 20: 1; 100: 5), because human markers do not distinguish 61 from 61.5 of 100.
 */
export const stepOf = (maxMarks: number): number => Math.max(0.5, Math.floor(maxMarks / 10) / 2);

/**
 * Largest difference that counts as adjacent: half a mark below 4 marks, otherwise a tenth of max_marks in whole half
 * marks and at least one mark (4 to 14 marks: 1; 15: 1.5; 20: 2; 100: 10).
 */
export const adjacentOf = (maxMarks: number): number =>
  maxMarks < 4 ? 0.5 : Math.max(1, Math.floor(maxMarks / 5) / 2);

/** Tolerance for rounding errors of marks, such as sums of thirds, and of shares. */
export const ROUNDING_TOLERANCE = 1e-9;

export const isExact = (a: number, b: number, maxMarks: number): boolean => {
  const step = stepOf(maxMarks);
  return Math.floor(a / step + 0.5 + ROUNDING_TOLERANCE) === Math.floor(b / step + 0.5 + ROUNDING_TOLERANCE);
};

/** Returns true if two marks differ by at most `most`. */
export const isWithin = (a: number, b: number, most: number): boolean =>
  Math.abs(a - b) <= most + ROUNDING_TOLERANCE;

export const isAdjacent = (a: number, b: number, maxMarks: number): boolean =>
  isWithin(a, b, adjacentOf(maxMarks));
