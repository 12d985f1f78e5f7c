/**
 * What a raw confidence (confidence.ts) is worth: points `raw:shown` of a rising piecewise linear curve, both 0..1. Level
 * before its first point and after its last.
 */
import type { CallEvidence } from './grader.ts';
import { GraderFailure } from './grader.ts';

export interface ConfidenceTable {
  /** As it is set and as evidence keeps it: `0:0.31,0.5:0.55,1:0.9`. */
  text: string;
  points: readonly (readonly [raw: number, shown: number])[];
}

/**
 * Reasoned, not measured. Up to the line (0.60) the formula is taken at its word, so that the line stays where its rules
 * put it. Above, it is drawn down: what models say of themselves is skewed to the top, by 0.17 as published and by 0.10
 * at best, so "all certain" (raw 0.95) is shown as 0.85. Whoever has marks of their own measures the real curve
 * (`npm run agreement`) and sets CONFIDENCE_TABLE.
 */
export const DEFAULT_TABLE = '0:0,0.6:0.6,0.95:0.85,1:0.85';

/** Raw confidence as it is: what a table is measured with. */
export const NO_TABLE = '0:0,1:1';

const NUMBER = /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/;

/** @throws GraderFailure permanent when the text is no such table */
export function readTable(text: string): ConfidenceTable {
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
}

/** The table that a judgement's evidence names; evidence from before there were tables was settled as it is. */
export function tableOf(settings: CallEvidence['settings']): ConfidenceTable {
  const text = settings['confidence_table'];
  return readTable(typeof text === 'string' ? text : NO_TABLE);
}

/** Never falls as `raw` rises. */
export function readOff({ points }: ConfidenceTable, raw: number): number {
  const above = points.findIndex(([at]) => at >= raw);
  const right = points[above];
  if (right === undefined) return points.at(-1)?.[1] ?? 0;
  const left = points[above - 1];
  if (left === undefined) return right[1];
  return left[1] + ((right[1] - left[1]) * (raw - left[0])) / (right[0] - left[0]);
}

function noTable(): GraderFailure {
  return new GraderFailure(
    'permanent',
    'a confidence table is points raw:shown from 0 to 1, rising: 0:0.31,0.5:0.55,1:0.9',
  );
}
