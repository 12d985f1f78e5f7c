import Papa from 'papaparse';
import type { FileProblem } from './problems.ts';

/** Cells of a table; the place of a row is its row in the spreadsheet. */
export type Rows = readonly (readonly string[])[];

const SEPARATORS = [',', ';', '\t', '|', ':', '^', '~'];

/** These separate even where no heading shows it, so that a cell with one of them in a single column is noticed. */
const FREQUENT = [',', ';', '\t'];

/** The first line of a CSV file that Excel has written names the separator. It is no row of the spreadsheet. */
const SEPARATOR_LINE = /^"?sep=(.)"?[^\S\r\n]*(?:\r\n|\r|\n|$)/i;

/**
 * Reads a CSV file or cells pasted from a spreadsheet.
 * @param quality how well rows are a table with headings; the separator with the best one counts
 */
export const csvRows = (
  file: string,
  quality: (rows: Rows) => number,
): { rows: Rows; problems: FileProblem[] } => {
  const [line = '', named] = SEPARATOR_LINE.exec(file) ?? [];
  const text = file.slice(line.length);
  const separator = named ?? separatorOf(text, quality);
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: separator });
  const problems = errors
    .filter(({ type }) => type === 'Quotes')
    .map(({ row = 0 }): FileProblem => ({ line: row + 1, code: 'bad_quotes' }));
  return { rows: data, problems: problems.slice(0, 1) };
};

/** Rows in which the separator is looked for: a title may stand above the headings. */
const LOOKED_AT = 10;

const separatorOf = (text: string, quality: (rows: Rows) => number): string => {
  const tried = SEPARATORS.map((separator) => {
    const { data } = Papa.parse<string[]>(text, { delimiter: separator, preview: LOOKED_AT });
    const cells = FREQUENT.includes(separator) ? Math.max(...data.map((row) => row.length), 0) : 0;
    return { separator, quality: quality(data), cells };
  });
  const [best] = tried.toSorted((one, other) => other.quality - one.quality || other.cells - one.cells);
  return best?.separator ?? ',';
};
