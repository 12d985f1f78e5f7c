import Papa from 'papaparse';
import { CHANGED_BY_SPREADSHEET } from '../../tables/formulaCells.ts';
import type { MarksPage } from './marksPages.ts';
import type { CellValue, ResultsTable } from './resultsTable.ts';

/** Excel takes a CSV file for UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Texts that a spreadsheet would compute or change get an apostrophe: ids stay texts. */
const linesOf = (rows: CellValue[][]): string =>
  rows.length === 0 ? '' : `${Papa.unparse(rows, { escapeFormulae: CHANGED_BY_SPREADSHEET })}\r\n`;

/** The results of an exam as CSV (RFC 4180), one part for each page. */
export async function* resultsCsv(
  pages: AsyncIterable<MarksPage>,
  table: ResultsTable,
): AsyncGenerator<string> {
  let questions: MarksPage['questions'] | null = null;
  for await (const page of pages) {
    if (questions === null) {
      questions = page.questions;
      yield BYTE_ORDER_MARK + linesOf([table.header(questions)]);
    }
    yield linesOf(table.rows(page, questions));
  }
}
