import { isResultsTable } from '../../../../tables/resultColumns.ts';
import {
  CANDIDATE_COLUMNS,
  candidateReader,
  problemsOfColumns,
  type DescribedCandidate,
} from './candidateFields.ts';
import type { FileProblem } from './problems.ts';
import { fieldsByName, readTable, type TableSource } from './readTable.ts';

/**
 * Reads candidates from a table. A table of results of the desk gives the candidates in it.
 * @param leavesOutUnknown the teacher has seen which columns are not known, and leaves them out
 */
export const readCandidates = (
  source: TableSource,
  leavesOutUnknown = false,
): { candidates: DescribedCandidate[]; problems: FileProblem[] } => {
  const table = readTable(source, {
    fieldOf: fieldsByName(CANDIDATE_COLUMNS),
    isOwn: isResultsTable,
    leavesOutUnknown,
  });
  const problems = [...table.problems, ...problemsOfColumns(table)];
  const read = candidateReader(problems, table.isOwn);
  const candidates = table.fields.has('external_id') ? table.rows.map(read) : [];
  return { candidates: candidates.filter((candidate) => candidate !== null), problems };
};
