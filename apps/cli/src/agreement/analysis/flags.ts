import { ROUNDING_TOLERANCE } from '@evaluation/rules';
import type { Estimate } from '../statistics/bootstrap.ts';
import type { Measure, Measures } from './measures.ts';

/**
 * Published thresholds of educational testing, as in ETS's RSMTool: a person should look at a measure beyond its line
 * before the grader is used.
 */
export const LINES = {
  qwk: { least: 0.7 },
  r: { least: 0.7 },
  degradation: { least: -0.1 },
  smd: { within: 0.15 },
  exact: { least: 0.5 },
  adjacent: { least: 0.95 },
} as const satisfies Partial<Record<Measure, Line>>;
/** RSMTool's threshold for subgroups. */
export const GROUP_LINE = { within: 0.1 } as const;

type Line = { least: number } | { within: number };
export type FlaggedMeasure = keyof typeof LINES | 'dsm';

export interface Flag {
  scope: 'overall' | 'question' | 'band' | 'group';
  name: string | null;
  measure: FlaggedMeasure;
  estimate: Estimate;
  line: Line;
  certain: boolean;
}

export const crosses = (value: number | null, line: Line): boolean => {
  if (value === null) return false;
  return 'least' in line
    ? value < line.least - ROUNDING_TOLERANCE
    : Math.abs(value) > line.within + ROUNDING_TOLERANCE;
};

const certainlyCrosses = ({ low, high }: Estimate, line: Line): boolean => {
  if (low === null || high === null) return false;
  if ('least' in line) return high < line.least;
  return low > line.within || high < -line.within;
};

export const flag = (
  scope: Flag['scope'],
  name: string | null,
  measure: FlaggedMeasure,
  estimate: Estimate,
  line: Line,
): Flag[] =>
  crosses(estimate.value, line)
    ? [{ scope, name, measure, estimate, line, certain: certainlyCrosses(estimate, line) }]
    : [];

/**
 * Returns the measures beyond their lines. A band is checked only for the two agreements: kappa, r and SMD depend on
 * the spread of the marks, which is small within a third of the range.
 */
export const flagsOf = (
  scope: 'overall' | 'question' | 'band',
  name: string | null,
  measures: Measures,
): Flag[] => {
  const asked = scope === 'band' ? (['exact', 'adjacent'] as const) : ALL;
  return asked.flatMap((each) => flag(scope, name, each, measures[each], LINES[each]));
};

const ALL = ['qwk', 'r', 'degradation', 'smd', 'exact', 'adjacent'] as const;
