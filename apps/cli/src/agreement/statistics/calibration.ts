import { isotonic } from './isotonic.ts';

interface Judged {
  confidence: number;
  agreed: boolean;
}

interface ReliabilityBin {
  from: number;
  to: number;
  n: number;
  meanConfidence: number | null;
  agreed: number | null;
}

const BINS = 10;

/** Ten bins of equal width; the last one includes 1. */
export const reliability = (judged: readonly Judged[]): ReliabilityBin[] =>
  Array.from({ length: BINS }, (_, bin) => {
    const members = judged.filter(
      ({ confidence }) => Math.min(Math.floor(confidence * BINS + 1e-9), BINS - 1) === bin,
    );
    const n = members.length;
    return {
      from: bin / BINS,
      to: (bin + 1) / BINS,
      n,
      meanConfidence: n === 0 ? null : members.reduce((sum, { confidence }) => sum + confidence, 0) / n,
      agreed: n === 0 ? null : members.filter(({ agreed }) => agreed).length / n,
    };
  });

/** Expected calibration error: the mean over bins of |share of agreement − mean confidence|, weighted by marks. */
export const expectedCalibrationError = (bins: readonly ReliabilityBin[]): number | null => {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (n === 0) return null;
  return (
    bins.reduce((sum, bin) => sum + bin.n * Math.abs((bin.agreed ?? 0) - (bin.meanConfidence ?? 0)), 0) / n
  );
};

/** Minimum number of marks in a pool; smaller pools are noise. */
const AT_LEAST = 10;

/**
 * Returns points of a non-decreasing piecewise linear curve from raw confidence to the share of agreement, by isotonic
 * regression. Shares are estimated as (agreed + 1) / (n + 2), so that ten agreements in a row do not give certainty.
 * Empty for fewer than 30 marks, which are too few.
 */
export const calibrationTable = (judged: readonly Judged[]): [raw: number, calibrated: number][] => {
  if (judged.length < 3 * AT_LEAST) return [];
  const points = pooled(judged);
  const fitted = isotonic(points);
  const table = new Map<number, number>();
  const set = (raw: number, calibrated: number): void => void table.set(round(raw), round(calibrated));
  set(0, fitted[0] ?? 0);
  points.forEach(({ x }, index) => set(x, fitted[index] ?? 0));
  set(1, fitted.at(-1) ?? 0);
  const sorted = [...table].toSorted(([a], [b]) => a - b);
  // Drops the inner points of a stretch with constant values.
  return sorted.filter(
    ([, value], index) => value !== sorted[index - 1]?.[1] || value !== sorted[index + 1]?.[1],
  );
};

/** Formats a table such as `0:0.31,0.5:0.55,1:0.9`. */
export const tableLine = (table: readonly (readonly [number, number])[]): string =>
  table.map(([raw, calibrated]) => `${raw}:${calibrated}`).join(',');

const round = (value: number): number => Math.round(value * 100) / 100;

/** Pools marks of neighbouring confidence, at least ten per pool; equal confidences stay in one pool. */
const pooled = (judged: readonly Judged[]) => {
  const sorted = judged.toSorted((a, b) => a.confidence - b.confidence);
  const pools: Judged[][] = [];
  for (const mark of sorted) {
    const pool = pools.at(-1);
    const last = pool?.at(-1);
    if (pool === undefined || (pool.length >= AT_LEAST && last?.confidence !== mark.confidence))
      pools.push([mark]);
    else pool.push(mark);
  }
  // A last pool with too few marks is merged into the one before.
  const rest = pools.at(-1) ?? [];
  if (pools.length > 1 && rest.length < AT_LEAST) {
    pools.pop();
    pools.at(-1)?.push(...rest);
  }
  return pools.map((pool) => ({
    x: pool.reduce((sum, { confidence }) => sum + confidence, 0) / pool.length,
    y: (pool.filter(({ agreed }) => agreed).length + 1) / (pool.length + 2),
    weight: pool.length,
  }));
};
