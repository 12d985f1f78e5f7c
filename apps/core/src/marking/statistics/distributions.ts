import { ROUNDING_TOLERANCE } from '@evaluation/rules';

/** Marks in equal bins. A mark on the border of two bins is in the upper one; the last bin includes its upper end. */
export interface Bin {
  from: number;
  to: number;
  count: number;
}

export interface Figures {
  n: number;
  mean: number | null;
  median: number | null;
  /** Of the sample (n − 1); null below two values. */
  standard_deviation: number | null;
}

interface Counted {
  value: number;
  count: number;
}

/** Values outside `from`..`to`, such as negative totals, are counted in the first or last bin. */
export const binsOf = (
  values: readonly Counted[],
  { from, to, width }: { from: number; to: number; width: number },
): Bin[] => {
  const count = Math.max(1, Math.ceil((to - from) / width - ROUNDING_TOLERANCE));
  const bins = Array.from({ length: count }, (_, index) => ({
    from: rounded(from + index * width),
    to: rounded(Math.min(to, from + (index + 1) * width)),
    count: 0,
  }));
  for (const { value, count: times } of values) {
    const index = Math.min(Math.max(Math.floor((value - from) / width + ROUNDING_TOLERANCE), 0), count - 1);
    const bin = bins[index];
    if (bin !== undefined) bin.count += times;
  }
  return bins;
};

export const figuresOf = (values: readonly Counted[]): Figures => {
  const n = values.reduce((sum, { count }) => sum + count, 0);
  if (n === 0) return { n, mean: null, median: null, standard_deviation: null };
  const mean = values.reduce((sum, { value, count }) => sum + value * count, 0) / n;
  const squares = values.reduce((sum, { value, count }) => sum + (value - mean) ** 2 * count, 0);
  return {
    n,
    mean,
    median: medianOf(values, n),
    standard_deviation: n < 2 ? null : Math.sqrt(squares / (n - 1)),
  };
};

const medianOf = (values: readonly Counted[], n: number): number => {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  /** The value at a place of the sorted sample, from 0. */
  const at = (place: number): number => {
    let before = 0;
    for (const { value, count } of sorted) {
      before += count;
      if (place < before) return value;
    }
    return 0;
  };
  return (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2;
};

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
