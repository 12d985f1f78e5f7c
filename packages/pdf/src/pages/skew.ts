import type { InkMap } from './ink.ts';

const WIDEST_DEGREES = 6;
const COARSE_STEP = 0.5;
const FINE_STEP = 0.1;
/** Smaller angles are not visible, and turning costs sharpness. */
const LEAST_DEGREES = 0.4;
/** Least ratio of the best angle's score to the mean score. */
const LEAST_CONFIDENCE = 1.35;
/** Least ratio of the best angle's score to the score of the unturned page. */
const LEAST_GAIN = 1.15;
const LEAST_POINTS = 1500;
/** Share of the width that the ink must span: a drawing or a stamp has edges but no lines. */
const LEAST_REACH = 0.3;
const MOST_POINTS = 20_000;

/**
 * Returns the degrees by which the writing leans clockwise, or 0 when that is uncertain. Uses projection profiles: at
 * the right angle, rows of ink and rows of paper alternate most sharply.
 */
export const findSkew = ({ ink, width, height }: InkMap): number => {
  const points: number[] = [];
  const [edgeX, edgeY] = [Math.round(width * 0.03), Math.round(height * 0.03)];
  for (let y = edgeY; y < height - edgeY; y++) {
    for (let x = edgeX; x < width - edgeX; x++) if (ink[y * width + x] === 1) points.push(y * width + x);
  }
  if (points.length < LEAST_POINTS) return 0;
  const stride = Math.ceil(points.length / MOST_POINTS);
  const xs = new Float64Array(Math.floor(points.length / stride));
  const ys = new Float64Array(xs.length);
  for (let index = 0; index < xs.length; index++) {
    const point = points[index * stride]!;
    xs[index] = (point % width) - width / 2;
    ys[index] = Math.floor(point / width);
  }
  const sorted = xs.toSorted();
  const reach = sorted[Math.floor(sorted.length * 0.95)]! - sorted[Math.floor(sorted.length * 0.05)]!;
  if (reach < width * LEAST_REACH) return 0;
  const margin = Math.ceil((Math.tan((WIDEST_DEGREES * Math.PI) / 180) * width) / 2) + 2;
  const profile = new Float64Array(height + margin * 2);

  const sharpness = (degrees: number): number => {
    profile.fill(0);
    const slope = Math.tan((degrees * Math.PI) / 180);
    for (let index = 0; index < xs.length; index++) {
      const row = Math.round(ys[index]! - xs[index]! * slope) + margin;
      profile[row] = profile[row]! + 1;
    }
    let sum = 0;
    for (let row = 1; row < profile.length; row++) sum += (profile[row]! - profile[row - 1]!) ** 2;
    return sum;
  };

  let best = 0;
  let bestScore = 0;
  let sum = 0;
  let count = 0;
  for (let degrees = -WIDEST_DEGREES; degrees <= WIDEST_DEGREES; degrees += COARSE_STEP) {
    const score = sharpness(degrees);
    sum += score;
    count++;
    if (score > bestScore) [best, bestScore] = [degrees, score];
  }
  // A maximum at the end of the range does not count.
  if (Math.abs(best) >= WIDEST_DEGREES || bestScore < (sum / count) * LEAST_CONFIDENCE) return 0;
  const coarse = best;
  for (let degrees = coarse - 0.4; degrees <= coarse + 0.4; degrees += FINE_STEP) {
    const score = sharpness(degrees);
    if (score > bestScore) [best, bestScore] = [degrees, score];
  }
  if (bestScore < sharpness(0) * LEAST_GAIN) return 0;
  return Math.abs(best) < LEAST_DEGREES ? 0 : Math.round(best * 10) / 10;
};
