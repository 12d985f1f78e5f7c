import {
  differenceOfStandardizedMeans,
  momentsOf,
  standardizedDifferenceOf,
  type Moments,
} from '@evaluation/rules';
import { bootstrap, type Estimate } from '../statistics/bootstrap.ts';
import { randomFrom } from '../statistics/random.ts';
import type { Pair } from './pairs.ts';

interface GroupMeasures {
  group: string;
  n: number;
  humanMean: number | null;
  machineMean: number | null;
  smd: Estimate;
  /** Difference of standardized means against all answers that have a group; this measure is flagged. */
  dsm: Estimate;
}

/** Measures of each group against all groups; [] if there are fewer than two. */
export const measureGroups = (pairs: readonly Pair[]): GroupMeasures[] => {
  const grouped = pairs.filter(({ group }) => group !== null);
  const groups = [...new Set(grouped.map(({ group }) => group ?? ''))].toSorted();
  if (groups.length < 2) return [];
  const strata = groups.map((group) => grouped.filter((pair) => pair.group === group));
  const estimates = bootstrap(
    strata,
    (sample) => {
      const whole = moments(sample);
      return Object.fromEntries(
        groups.flatMap((group) => {
          const part = moments(sample.filter((pair) => pair.group === group));
          return [
            [`smd ${group}`, standardizedDifferenceOf(part)],
            [`dsm ${group}`, differenceOfStandardizedMeans(part, whole)],
          ];
        }),
      );
    },
    randomFrom('groups'),
  );
  const none: Estimate = { value: null, low: null, high: null };
  return groups.map((group, index) => {
    const part = moments(strata[index] ?? []);
    return {
      group,
      n: part.n,
      humanMean: part.n === 0 ? null : part.meanA,
      machineMean: part.n === 0 ? null : part.meanB,
      smd: estimates[`smd ${group}`] ?? none,
      dsm: estimates[`dsm ${group}`] ?? none,
    };
  });
};

const moments = (pairs: readonly Pair[]): Moments =>
  momentsOf(
    pairs.map(({ human, maxMarks }) => human / maxMarks),
    pairs.map(({ machine, maxMarks }) => machine / maxMarks),
  );
