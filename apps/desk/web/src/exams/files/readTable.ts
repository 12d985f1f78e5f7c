import { textInCsv } from '../../../../tables/formulaCells.ts';
import { damageOf, DATE_MARK } from './cellProblems.ts';
import { csvRows, type Rows } from './csvRows.ts';
import type { FileProblem } from './problems.ts';
import { lookOf, seenText } from './sameText.ts';

/** A pasted text, the text of a CSV file, or the cells of a workbook. */
export type TableSource = string | Rows;

export interface TableRow {
  line: number;
  /** Text of a cell by field; empty if the table lacks the column. */
  cell(field: string): string;
  /** The cell with the white space and unseen characters that it has in the file. */
  asWritten(field: string): string;
}

export interface Table {
  fields: ReadonlySet<string>;
  isOwn: boolean;
  rows: TableRow[];
  problems: FileProblem[];
}

/** Columns that a reader takes. */
interface Columns {
  /** The field that a heading stands for; null for a heading that the reader does not know. */
  fieldOf(heading: string): string | null;
  /** True for a table that the desk itself wrote. Its other columns are left out, and its texts are no damage. */
  isOwn?(headings: readonly string[]): boolean;
  /** Unknown columns are no problem. */
  leavesOutUnknown?: boolean;
}

/** Rows of one file. More would be more than one request of the API takes. */
const MOST_ROWS = 2000;

/** Rows above the headings, such as a title. */
const MOST_ABOVE = 10;

/** Headings are compared without regard to case, unseen characters and signs: `Roll-number ` is `roll_number`. */
export const plain = (heading: string): string =>
  lookOf(heading.normalize('NFKC'))
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

/** Finds fields by their names, or by other names for them. */
export const fieldsByName =
  (names: Readonly<Record<string, readonly string[]>>) =>
  (heading: string): string | null => {
    const wanted = plain(heading);
    return Object.entries(names).find(([field, others]) => [field, ...others].includes(wanted))?.[0] ?? null;
  };

/**
 * Reads a table with headings: any separator, `sep=` of Excel, and rows above the headings. Each row whose cells cannot
 * be what the writer meant is a problem; the callers take nothing of a table with problems.
 */
export const readTable = (
  source: TableSource,
  { fieldOf, isOwn = () => false, leavesOutUnknown = false }: Columns,
): Table => {
  // Only CSV files of the desk have apostrophes before such texts; in a workbook an apostrophe is part of the text.
  const textIn = typeof source === 'string' ? textInCsv : (cell: string) => cell;
  const known = (row: readonly string[] = []): number =>
    row.filter((cell) => cell.trim() !== '' && fieldOf(cell) !== null).length;
  const quality = (found: Rows): number => Math.max(...found.slice(0, MOST_ABOVE).map(known), 0);
  const { rows, problems } =
    typeof source === 'string' ? csvRows(source, quality) : { rows: source, problems: [] };
  const none = (code: FileProblem['code']): Table => ({
    fields: new Set(),
    isOwn: false,
    rows: [],
    problems: [{ line: 1, code }],
  });
  if (problems.length > 0) return { ...none('bad_quotes'), problems };
  const at = placeOfHeadings(rows, known);
  const headings = (rows[at] ?? []).map(seenText);
  if (headings.every((heading) => heading === '')) return none('not_a_table');
  const own = isOwn(headings);
  const { columns, problems: found } = columnsOf(headings, at + 1, fieldOf, own || leavesOutUnknown);
  const filled = rows
    .map((cells, index) => ({ cells, line: index + 1 }))
    .slice(at + 1)
    .filter(({ cells }) => cells.some((cell) => seenText(cell) !== ''));
  if (filled.length === 0) found.push({ line: at + 1, code: 'no_rows' });
  if (filled.length > MOST_ROWS)
    found.push({ line: filled[MOST_ROWS]?.line ?? 0, code: 'too_many_rows', about: String(MOST_ROWS) });
  return {
    fields: new Set(columns.values()),
    isOwn: own,
    problems: [...found, ...filled.flatMap((row) => problemsOf(row, headings, columns, !own))],
    rows: filled.map(({ cells, line }) => {
      const placeOf = new Map([...columns].map(([place, field]) => [field, place]));
      const asWritten = (field: string) => textIn(cells[placeOf.get(field) ?? -1] ?? '');
      return { line, asWritten, cell: (field) => seenText(asWritten(field)) };
    }),
  };
};

/** The row with most known headings, if those above it can be a title; else the first row with a text. */
const placeOfHeadings = (rows: Rows, known: (row: readonly string[]) => number): number => {
  const first = Math.max(
    rows.findIndex((row) => row.some((cell) => seenText(cell) !== '')),
    0,
  );
  const above = rows.slice(first, first + MOST_ABOVE);
  const [best = 0] = [...above.keys()].toSorted(
    (one, other) => known(above[other] ?? []) - known(above[one] ?? []),
  );
  const isTitle = above.slice(0, best).every((row) => known(row) === 0);
  return isTitle ? first + best : first;
};

const columnsOf = (
  headings: readonly string[],
  line: number,
  fieldOf: Columns['fieldOf'],
  leavesOutOthers: boolean,
): { columns: Map<number, string>; problems: FileProblem[] } => {
  const columns = new Map<number, string>();
  const problems: FileProblem[] = [];
  for (const [place, heading] of headings.entries()) {
    if (heading === '') continue;
    const field = fieldOf(heading);
    if (field === null) {
      if (!leavesOutOthers) problems.push({ line, code: 'unknown_column', about: heading });
    } else if ([...columns.values()].includes(field))
      problems.push({ line, code: 'repeated_column', about: heading });
    else columns.set(place, field);
  }
  return { columns, problems };
};

const problemsOf = (
  { cells, line }: { cells: readonly string[]; line: number },
  headings: readonly string[],
  columns: ReadonlyMap<number, string>,
  isDamageLookedFor: boolean,
): FileProblem[] =>
  cells.flatMap((cell, place): FileProblem[] => {
    const text = seenText(cell);
    if (text === '') return [];
    const about = text.replace(DATE_MARK, '').slice(0, 60);
    if ((headings[place] ?? '') === '') return [{ line, code: 'surplus', about }];
    const damage = isDamageLookedFor && columns.has(place) ? damageOf(text) : null;
    return damage === null ? [] : [{ line, code: damage, about }];
  });
