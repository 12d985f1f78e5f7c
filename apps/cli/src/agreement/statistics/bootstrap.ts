import type { Random } from './random.ts';

/** An estimate with its 95 % interval; the ends are null if too few resamples had a value. */
export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

const REPLICATES = 1000;

/** Minimum share of resamples with a value; with fewer, the interval would be too narrow. */
const ENOUGH = 0.8;

/**
 * Percentile bootstrap: the statistics of the items with their 2.5 % and 97.5 % quantiles over resamples with
 * replacement. Whole answers are resampled, so that human and machine marks stay paired. They are resampled within
 * their stratum, so that each resample has as many answers of each question as the data.
 */
export const bootstrap = <T, K extends string>(
  strata: readonly (readonly T[])[],
  statistics: (items: readonly T[]) => Record<K, number | null>,
  random: Random,
  replicates = REPLICATES,
): Record<K, Estimate> => {
  const items = strata.flat();
  const values = statistics(items);
  const drawn = new Map<string, number[]>(Object.keys(values).map((name) => [name, []]));
  const resample = items.slice();
  if (items.length > 1) {
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      let at = 0;
      for (const stratum of strata) {
        for (let i = 0; i < stratum.length; i += 1) {
          const item = stratum[Math.floor(random() * stratum.length)];
          if (item !== undefined) resample[at] = item;
          at += 1;
        }
      }
      for (const [name, value] of Object.entries<number | null>(statistics(resample))) {
        if (value !== null) drawn.get(name)?.push(value);
      }
    }
  }
  const estimates: Partial<Record<K, Estimate>> = {};
  for (const name in values) {
    const sorted = Float64Array.from(drawn.get(name) ?? []).sort();
    const isKnown = values[name] !== null && sorted.length > 0 && sorted.length >= ENOUGH * replicates;
    estimates[name] = {
      value: values[name],
      low: isKnown ? quantile(sorted, 0.025) : null,
      high: isKnown ? quantile(sorted, 0.975) : null,
    };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop above has set each key of `values`
  return estimates as Record<K, Estimate>;
};

export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
};
