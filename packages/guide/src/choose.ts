import { GUIDE_CONSTANTS } from './constants.ts';
import { featureReaderOf } from './features.ts';
import { covarianceFrom, noiseOf, varianceOf, type GuideExample } from './fit.ts';
import { indexTexts } from './similarity.ts';

interface Candidate {
  id: string;
  text: string;
}

/** Number of candidates that are compared. Time and memory grow with the square: 1,000 take about 8 MB. */
const MOST_CANDIDATES = 1000;

/**
 * The answers whose marks would teach most, the first one first: each choice takes the candidate that most reduces the
 * summed variance of all candidates, given the examples and the earlier choices. No mark of a candidate is needed.
 * Only the first `MOST_CANDIDATES` by id are compared.
 */
export const chooseNext = (
  examples: readonly Pick<GuideExample, 'id' | 'text'>[],
  candidates: readonly Candidate[],
  count: number,
): string[] => {
  const known = new Set(examples.map(({ id }) => id));
  const open = candidates
    .filter(({ id }) => !known.has(id))
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .slice(0, MOST_CANDIDATES);
  const posterior = posteriorOf(examples, open);
  const chosen: string[] = [];
  const taken = new Set<number>();
  while (chosen.length < Math.min(count, open.length)) {
    const best = bestOf(posterior, open.length, taken);
    taken.add(best);
    chosen.push(open[best]?.id ?? '');
    learn(posterior, open.length, best);
  }
  return chosen;
};

/** Covariance of the candidates given the examples: each example is one more row, learned first and then dropped. */
const posteriorOf = (
  examples: readonly { text: string }[],
  open: readonly { text: string }[],
): Float64Array => {
  const reader = featureReaderOf(GUIDE_CONSTANTS);
  const features = [...open, ...examples].map(({ text }) => reader.read(text));
  const index = indexTexts(features, GUIDE_CONSTANTS);
  const size = features.length;
  const matrix = new Float64Array(size * size);
  for (const [row, text] of features.entries()) {
    for (const [column, similarity] of index.similaritiesTo(text).entries()) {
      matrix[row * size + column] = covarianceFrom(similarity, GUIDE_CONSTANTS);
    }
    matrix[row * size + row] = varianceOf(text, GUIDE_CONSTANTS);
  }
  for (let row = open.length; row < size; row += 1) learn(matrix, size, row);
  const left = new Float64Array(open.length * open.length);
  for (let row = 0; row < open.length; row += 1) {
    left.set(matrix.subarray(row * size, row * size + open.length), row * open.length);
  }
  return left;
};

/** Updates a covariance as if the answer of a row were marked. */
const learn = (matrix: Float64Array, size: number, row: number): void => {
  const seen = matrix.slice(row * size, row * size + size);
  const variance = (seen[row] ?? 0) + noiseOf(GUIDE_CONSTANTS);
  for (let a = 0; a < size; a += 1) {
    const factor = (seen[a] ?? 0) / variance;
    if (factor === 0) continue;
    for (let b = 0; b < size; b += 1) {
      matrix[a * size + b] = (matrix[a * size + b] ?? 0) - factor * (seen[b] ?? 0);
    }
  }
};

/** The row whose mark reduces the sum of the variances most; the first of equal ones. */
const bestOf = (matrix: Float64Array, size: number, taken: ReadonlySet<number>): number => {
  let best = -1;
  let most = -1;
  for (let row = 0; row < size; row += 1) {
    if (taken.has(row)) continue;
    let squares = 0;
    for (let column = 0; column < size; column += 1) squares += (matrix[row * size + column] ?? 0) ** 2;
    const reduction = squares / ((matrix[row * size + row] ?? 0) + noiseOf(GUIDE_CONSTANTS));
    if (reduction > most + 1e-12) {
      best = row;
      most = reduction;
    }
  }
  return best;
};
