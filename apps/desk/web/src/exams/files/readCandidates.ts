import type { CandidateInput } from '@evaluation/rest-contract/schemas';
import { hasColumn, readTable, type FileProblem } from './readTable.ts';

const ALIASES = {
  external_id: ['id', 'candidate', 'candidate_id', 'student_id', 'admission_number'],
  roll_number: ['roll', 'roll_no', 'roll_no.'],
  section_or_class: ['class', 'section', 'grade'],
  name: ['student', 'full_name'],
} as const;

/** Reads candidates from a table. A table without ids takes the roll numbers as ids. */
export const readCandidates = (text: string): { candidates: CandidateInput[]; problems: FileProblem[] } => {
  const table = readTable(text, ALIASES);
  const problems = [...table.problems];
  if (table.rows.length === 0) return { candidates: [], problems };
  const idColumn = hasColumn(table, 'external_id', ...ALIASES.external_id) ? 'external_id' : 'roll_number';
  if (!hasColumn(table, idColumn, ...ALIASES[idColumn]))
    return { candidates: [], problems: [...problems, { line: 1, code: 'no_column', about: 'external_id' }] };
  const seen = new Set<string>();
  const candidates: CandidateInput[] = [];
  for (const { line, cell } of table.rows) {
    const externalId = cell(idColumn);
    if (externalId === '') problems.push({ line, code: 'empty', about: idColumn });
    else if (seen.has(externalId)) problems.push({ line, code: 'repeated', about: externalId });
    else {
      seen.add(externalId);
      const rest = ['name', 'roll_number', 'section_or_class'].map((field) => [field, cell(field)]);
      candidates.push({
        external_id: externalId,
        ...Object.fromEntries(rest.filter(([, value]) => value !== '')),
      });
    }
  }
  return { candidates, problems };
};
