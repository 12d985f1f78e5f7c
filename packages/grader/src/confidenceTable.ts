/** Maps raw to shown confidence: points `raw:shown` of a rising piecewise linear curve, constant at both ends. */
import type { CallEvidence } from './grader.ts';
import { GraderFailure } from './grader.ts';

export interface ConfidenceTable {
  /** The text from the settings, as kept in evidence: `0:0.31,0.5:0.55,1:0.9`. */
  text: string;
  points: readonly (readonly [raw: number, shown: number])[];
}

/**
 * Reasoned, not measured. Up to the review line (0.60) the curve keeps the formula's value. Above, it lowers the value,
 * because models overrate themselves: by 0.17 in published studies, 0.10 at best. So "all certain" (raw 0.95) is shown
 * as 0.85. An operator with teachers' marks can measure the curve (`npm run agreement`) and set CONFIDENCE_TABLE.
 */
export const DEFAULT_TABLE = '0:0,0.6:0.6,0.95:0.85,1:0.85';

/** Shows raw confidence unchanged, for measuring a table. */
export const NO_TABLE = '0:0,1:1';

const NUMBER = /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/;

/** @throws GraderFailure permanent when the text is no such table */
export const readTable = (text: string): ConfidenceTable => {
  const points = text.split(',').map((point): [number, number] => {
    const [raw = '', shown = '', more] = point.trim().split(':');
    if (!NUMBER.test(raw) || !NUMBER.test(shown) || more !== undefined) throw noTable();
    return [Number(raw), Number(shown)];
  });
  if (points.length < 2) throw noTable();
  for (const [index, [raw, shown]] of points.entries()) {
    const before = points[index - 1];
    if (before !== undefined && (raw <= before[0] || shown < before[1])) throw noTable();
  }
  return { text, points };
};

/** The table named in a judgement's evidence; evidence without a name was settled with `NO_TABLE`. */
export const tableOf = (settings: CallEvidence['settings']): ConfidenceTable => {
  const text = settings['confidence_table'];
  return readTable(typeof text === 'string' ? text : NO_TABLE);
};

/** Reads the shown confidence for `raw` off the curve. It never falls when `raw` rises. */
export const readOff = ({ points }: ConfidenceTable, raw: number): number => {
  const above = points.findIndex(([at]) => at >= raw);
  const right = points[above];
  if (right === undefined) return points.at(-1)?.[1] ?? 0;
  const left = points[above - 1];
  if (left === undefined) return right[1];
  return left[1] + ((right[1] - left[1]) * (raw - left[0])) / (right[0] - left[0]);
};

const noTable = (): GraderFailure =>
  new GraderFailure(
    'permanent',
    'a confidence table is points raw:shown from 0 to 1, rising: 0:0.31,0.5:0.55,1:0.9',
  );
