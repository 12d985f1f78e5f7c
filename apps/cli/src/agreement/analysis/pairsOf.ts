import { readOff, readTable } from '@evaluation/grader';
import type { DataSet } from '../data/readData.ts';
import type { Outcome } from '../grading/run.ts';
import type { Pair } from './pairs.ts';

/** Pairs each answer's first judgement with its human marks; a blank answer gets 0, as in the service. */
export const pairsOf = (
  data: DataSet,
  outcomes: readonly Outcome[],
  confidenceTable: string | null,
): Pair[] => {
  const table = confidenceTable === null ? null : readTable(confidenceTable);
  const first = new Map(
    outcomes.flatMap(({ kind, facts, result }) => (kind === 'first' ? [[facts.line, result]] : [])),
  );
  return data.answers.flatMap((facts) => {
    const result = first.get(facts.line) ?? null;
    if (result === null && !facts.blank) return [];
    const { line, id, questionId, maxMarks, human, second, group } = facts;
    const raw = result === null || result.held ? null : result.raw_confidence;
    // A stored judgement may have been made with another table, so the confidence is computed again.
    const shown = raw === null || table === null ? (result?.confidence ?? null) : readOff(table, raw);
    const marks = { machine: result?.awarded ?? 0, confidence: shown, rawConfidence: raw };
    return [{ line, id, questionId, maxMarks, human, second, group, ...marks }];
  });
};
