import { damageOf, hasLostLetters, isShortenedNumber } from './cellProblems.ts';
import type { FileProblem } from './problems.ts';
import type { Table, TableRow } from './readTable.ts';
import { lookOf } from './sameText.ts';

/** Fields of a candidate in a table, with other names of their columns. */
export const CANDIDATE_COLUMNS = {
  external_id: ['id', 'candidate', 'candidate_id', 'student_id', 'admission_number'],
  name: ['student', 'full_name', 'student_name', 'candidate_name'],
  first_name: ['given_name', 'forename'],
  last_name: ['family_name', 'surname'],
  roll_number: ['roll', 'roll_no', 'roll_no.'],
  section_or_class: ['class', 'section', 'grade'],
} as const;

/** Headings that the page names, as teachers write them. */
export const CANDIDATE_HEADINGS = ['id', 'name', 'first name', 'last name', 'roll number', 'class'] as const;

/** A candidate as a row describes them; fields that the row leaves empty are absent. */
export interface DescribedCandidate {
  line: number;
  external_id: string;
  /** The id with the white space of the file. It counts if a candidate with this very id is stored. */
  idAsWritten: string;
  /** Problems of the row, unless the candidate is stored like this. */
  doubts: readonly FileProblem[];
  name?: string;
  roll_number?: string;
  section_or_class?: string;
}

/**
 * Reads the candidate of each row. An id that is empty, shortened by a spreadsheet, or looks like one of an earlier row
 * is a problem.
 * @param isOfResults the desk wrote the table: it may have several rows of a candidate, of which the first is read, ids
 * that look the same, and texts that are a problem only if they are not stored like this
 */
export const candidateReader = (
  problems: FileProblem[],
  isOfResults = false,
): ((row: TableRow) => DescribedCandidate | null) => {
  const seen = new Map<string, string>();
  return ({ line, cell, asWritten }) => {
    const id = cell('external_id');
    if (id === '') {
      problems.push({ line, code: 'empty', about: 'id' });
      return null;
    }
    const look = isOfResults ? asWritten('external_id') : lookOf(id);
    const before = seen.get(look);
    if (before !== undefined) {
      const code = before === asWritten('external_id') ? 'repeated' : 'looks_same';
      if (!isOfResults) problems.push({ line, code, about: id });
      return null;
    }
    seen.set(look, asWritten('external_id'));
    const parts = [cell('first_name'), cell('last_name')].filter((part) => part !== '');
    const rest = {
      name: cell('name') === '' ? parts.join(' ') : cell('name'),
      roll_number: cell('roll_number'),
      section_or_class: cell('section_or_class'),
    };
    const doubts = problemsOfTexts(line, { external_id: id, ...rest }, isOfResults);
    if (!isOfResults) problems.push(...doubts);
    return {
      line,
      external_id: id,
      idAsWritten: asWritten('external_id'),
      doubts: isOfResults ? doubts : [],
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
    };
  };
};

/** Greatest lengths of the fields, in characters. */
const LONGEST = { external_id: 128, name: 255, roll_number: 64, section_or_class: 64 } as const;
const FIELDS = ['external_id', 'name', 'roll_number', 'section_or_class'] as const;

/** @param isDamageLookedFor `readTable` has looked for damage in other tables */
const problemsOfTexts = (
  line: number,
  texts: Record<keyof typeof LONGEST, string>,
  isDamageLookedFor: boolean,
): FileProblem[] =>
  FIELDS.flatMap((field): FileProblem[] => {
    const [text, isNumber] = [texts[field], field === 'external_id' || field === 'roll_number'];
    const damage = isDamageLookedFor ? damageOf(text) : null;
    const codes: FileProblem['code'][] = [
      ...(damage === null ? [] : [damage]),
      ...(hasLostLetters(text) ? (['broken_text'] as const) : []),
      ...(isNumber && isShortenedNumber(text) ? (['changed_number'] as const) : []),
      ...([...text].length > LONGEST[field] ? (['too_long'] as const) : []),
      ...(field !== 'external_id' && /[<>]/.test(text) ? (['bad_characters'] as const) : []),
    ];
    return codes.map((code) => ({ line, code, about: text.slice(0, 60) }));
  });

/** A table with rows needs ids, and names in one column or in the two for first and last names. */
export const problemsOfColumns = (table: Pick<Table, 'fields' | 'rows'>): FileProblem[] => {
  const has = (field: string): boolean => table.fields.has(field);
  const problems: FileProblem[] = [];
  if (table.rows.length > 0 && !has('external_id'))
    problems.push({ line: 1, code: 'no_column', about: 'id' });
  if (has('name') && (has('first_name') || has('last_name')))
    problems.push({ line: 1, code: 'repeated_column', about: 'name' });
  return problems;
};
