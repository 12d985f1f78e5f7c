import type { Candidate, CandidateInput } from '@evaluation/rest-contract/schemas';
import { withoutApostrophe } from '../../../../tables/formulaCells.ts';
import { client } from '../../app/calls.ts';
import type { DescribedCandidate } from './candidateFields.ts';
import type { FileProblem } from './problems.ts';
import { lookOf, seenText } from './sameText.ts';

export const COMPARED_FIELDS = ['name', 'roll_number', 'section_or_class'] as const;
type ComparedField = (typeof COMPARED_FIELDS)[number];

interface Change {
  line: number;
  external_id: string;
  field: ComparedField;
  before: string;
  after: string;
}

/** Candidates of a file beside those that the institute has stored. */
export interface Comparison {
  /** What is sent: new candidates, and of the known ones only the id and the fields that change. */
  candidates: { line: number; candidate: CandidateInput }[];
  added: readonly DescribedCandidate[];
  changes: readonly Change[];
  counts: { added: number; changed: number; same: number };
  problems: readonly FileProblem[];
}

/** The most ids that core looks up at once. */
const AT_ONCE = 500;

/**
 * Spellings of an id that look the same; one of them may be stored. A CSV file of the desk that was saved as a workbook
 * has its apostrophes still.
 */
const spellings = ({ external_id: id, idAsWritten }: DescribedCandidate): string[] => {
  const all = [idAsWritten, idAsWritten.trim(), id, id.normalize('NFD'), lookOf(id), withoutApostrophe(id)];
  return [...new Set(all)].filter((spelling) => spelling.trim() !== '' && [...spelling].length <= 128);
};

const readStored = async (ids: readonly string[]): Promise<Map<string, Candidate>> => {
  const stored = new Map<string, Candidate>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const { data } = await client.candidates.search.mutate({
      body: { external_ids: ids.slice(from, from + AT_ONCE) },
    });
    for (const candidate of data) stored.set(candidate.external_id, candidate);
  }
  return stored;
};

/**
 * Finds what a file would create and change; writes nothing. A row means the stored candidate whose id looks the same,
 * with the stored spelling. If several do and none is spelled as in the file, the row is a problem.
 */
export const compareCandidates = async (described: readonly DescribedCandidate[]): Promise<Comparison> => {
  const stored = await readStored([...new Set(described.flatMap(spellings))]);
  const problems: FileProblem[] = [];
  const rows = described.map((candidate) => {
    const found = spellings(candidate).flatMap((spelling) => stored.get(spelling) ?? []);
    const exact = found.find(({ external_id }) => external_id === candidate.idAsWritten);
    if (exact === undefined && found.length > 1)
      problems.push({ line: candidate.line, code: 'looks_same', about: candidate.external_id });
    const known = exact ?? found[0] ?? null;
    if (known === null || changesOf(candidate, known).length > 0) problems.push(...candidate.doubts);
    return { candidate, known };
  });
  const changes = rows.flatMap(({ candidate, known }) => (known === null ? [] : changesOf(candidate, known)));
  const changed = new Set(changes.map(({ line }) => line));
  const added = rows.flatMap(({ candidate, known }) => (known === null ? [candidate] : []));
  return {
    candidates: rows.map(({ candidate, known }) => ({
      line: candidate.line,
      candidate: {
        external_id: known?.external_id ?? candidate.external_id,
        ...Object.fromEntries(changedFields(candidate, known).map((field) => [field, candidate[field]])),
      },
    })),
    added,
    changes,
    counts: {
      added: added.length,
      changed: changed.size,
      same: rows.length - added.length - changed.size,
    },
    problems,
  };
};

/** Texts that differ only in what cannot be seen, or in the apostrophe of a CSV file, are the same. */
const differs = (written: string, stored: string | null): boolean =>
  ![written, withoutApostrophe(written)].map(seenText).includes(seenText(stored ?? ''));

/** Fields that the row leaves empty stay as they are. */
const changedFields = (candidate: DescribedCandidate, known: Candidate | null): ComparedField[] =>
  COMPARED_FIELDS.filter((field) => {
    const written = candidate[field];
    return written !== undefined && (known === null || differs(written, known[field]));
  });

const changesOf = (candidate: DescribedCandidate, known: Candidate): Change[] =>
  changedFields(candidate, known).map((field) => ({
    line: candidate.line,
    external_id: known.external_id,
    field,
    before: known[field] ?? '',
    after: candidate[field] ?? '',
  }));
