import Papa from 'papaparse';
import { withoutApostrophe } from '../../../../tables/formulaCells.ts';

/** A problem of a file; the line counts from 1 and includes the line of the headings. */
export interface FileProblem {
  line: number;
  code:
    | 'not_a_table'
    | 'no_rows'
    | 'too_many_rows'
    | 'no_column'
    | 'unknown_column'
    | 'repeated'
    | 'empty'
    | 'unknown_type'
    | 'no_number'
    | 'bad_list'
    | 'not_json'
    | 'workbook';
  /** Column or value that the problem is about. */
  about?: string;
}

export interface TableRow {
  line: number;
  /** Text of a cell by heading; empty if the table lacks the column. */
  cell(heading: string): string;
}

interface Table {
  /** Headings as written, without those that are empty. */
  headings: string[];
  rows: TableRow[];
  problems: FileProblem[];
}

/** True for a file of Excel or LibreOffice that was read as text. Both are ZIP files. */
export const isWorkbook = (text: string): boolean => text.startsWith('PK\u0003\u0004');

/** Rows of one file. More would be more than one request of the API takes. */
const MOST_ROWS = 2000;

const plain = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/**
 * Reads a CSV file or cells pasted from a spreadsheet: separated by comma, semicolon or tab, with headings in the first
 * line. Headings are compared without regard to case, and `Roll number` is `roll_number`.
 * @param aliases other names of headings, by the name that they stand for
 */
export const readTable = (text: string, aliases: Readonly<Record<string, readonly string[]>> = {}): Table => {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' });
  const [headings = [], ...lines] = data;
  const isBroken = errors.some(({ type }) => type === 'Quotes');
  if (isBroken || headings.every((heading) => heading.trim() === ''))
    return { headings: [], rows: [], problems: [{ line: 1, code: 'not_a_table' }] };
  const columns = new Map<string, number>();
  const problems: FileProblem[] = [];
  for (const [index, heading] of headings.entries()) {
    const name = plain(heading);
    if (name === '') continue;
    if (columns.has(name)) problems.push({ line: 1, code: 'repeated', about: heading.trim() });
    else columns.set(name, index);
  }
  if (lines.length === 0) problems.push({ line: 1, code: 'no_rows' });
  if (lines.length > MOST_ROWS)
    problems.push({ line: MOST_ROWS + 2, code: 'too_many_rows', about: String(MOST_ROWS) });
  const cellOf = (cells: readonly string[], heading: string): string => {
    const names = [heading, ...(aliases[heading] ?? [])].map(plain);
    const at = names.map((name) => columns.get(name)).find((index) => index !== undefined);
    return at === undefined ? '' : withoutApostrophe(cells[at] ?? '').trim();
  };
  return {
    headings: headings.map((heading) => heading.trim()).filter((heading) => heading !== ''),
    rows: lines
      .slice(0, MOST_ROWS)
      .map((cells, index) => ({ line: index + 2, cell: (heading) => cellOf(cells, heading) })),
    problems,
  };
};

export const hasColumn = (table: Table, ...names: readonly string[]): boolean =>
  table.headings.some((heading) => names.map(plain).includes(plain(heading)));
