import { isotonic } from './isotonic.ts';

/** A mark with what the grader thought of it, and whether a human agreed. */
export interface Judged {
  /** 0..1 */
  confidence: number;
  agreed: boolean;
}

export interface ReliabilityBin {
  from: number;
  to: number;
  n: number;
  meanConfidence: number | null;
  /** Share of the bin's marks that were agreed with. */
  agreed: number | null;
}

const BINS = 10;

/** Ten bins of equal width; 1 is in the last. */
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

/** Expected calibration error: how far the confidence of a bin lies from its share of agreement, weighted by bins. */
export const expectedCalibrationError = (bins: readonly ReliabilityBin[]): number | null => {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (n === 0) return null;
  return (
    bins.reduce((sum, bin) => sum + bin.n * Math.abs((bin.agreed ?? 0) - (bin.meanConfidence ?? 0)), 0) / n
  );
};

/** Marks of nearly one confidence are put together until there are so many: a table made of single marks is noise. */
const AT_LEAST = 10;

/**
 * What a raw confidence has been worth on these marks: points of a rising piecewise linear curve from 0 to 1, by isotonic
 * regression of agreement on confidence. Shares are taken as (agreed + 1) / (n + 2), so that ten agreements in a row do
 * not promise certainty. Empty when there are fewer than 30 marks, which can carry no table.
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
  // On a level stretch only its ends say something.
  return sorted.filter(
    ([, value], index) => value !== sorted[index - 1]?.[1] || value !== sorted[index + 1]?.[1],
  );
};

/** `0:0.31,0.5:0.55,1:0.9` */
export const tableLine = (table: readonly (readonly [number, number])[]): string =>
  table.map(([raw, calibrated]) => `${raw}:${calibrated}`).join(',');

const round = (value: number): number => Math.round(value * 100) / 100;

/** Neighbours in confidence, at least ten together, and never two of one confidence apart. */
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
  // What is left at the end is too little to stand alone.
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
