import type { Estimate } from '../statistics/bootstrap.ts';
import type { Measure, Measures } from './measures.ts';

/**
 * The published lines of the testing field, as ETS's RSMTool draws them: what crosses one is looked at by a person
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
/** RSMTool's line for subgroups. */
export const GROUP_LINE = { within: 0.1 } as const;

export type Line = { least: number } | { within: number };
export type FlaggedMeasure = keyof typeof LINES | 'dsm';

export interface Flag {
  scope: 'overall' | 'question' | 'band' | 'group';
  /** Of the question, band or group; null over all. */
  name: string | null;
  measure: FlaggedMeasure;
  estimate: Estimate;
  line: Line;
  /** The whole interval lies beyond the line: other answers of this kind would have crossed it too. */
  certain: boolean;
}

export const crosses = (value: number | null, line: Line): boolean => {
  if (value === null) return false;
  return 'least' in line ? value < line.least - 1e-9 : Math.abs(value) > line.within + 1e-9;
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
 * All lines for the whole and for questions. In a band only the two agreements count: kappa, r and SMD compare with the
 * spread of the marks, of which a third of the range has little.
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
