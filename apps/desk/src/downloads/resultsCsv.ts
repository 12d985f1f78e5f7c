import Papa from 'papaparse';
import { BEGINS_LIKE_FORMULA } from '../../tables/formulaCells.ts';
import type { MarksPage } from './marksPages.ts';
import { headerOf, rowsOf, type CellValue } from './resultsTable.ts';

/** Excel takes a CSV file for UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Text that begins like a formula gets an apostrophe, so that no spreadsheet computes what a candidate wrote. */
const linesOf = (rows: CellValue[][]): string =>
  rows.length === 0 ? '' : `${Papa.unparse(rows, { escapeFormulae: BEGINS_LIKE_FORMULA })}\r\n`;

/** The results of an exam as CSV (RFC 4180), one part for each page. */
export async function* resultsCsv(pages: AsyncIterable<MarksPage>): AsyncGenerator<string> {
  let questions: MarksPage['questions'] | null = null;
  for await (const page of pages) {
    if (questions === null) {
      questions = page.questions;
      yield BYTE_ORDER_MARK + linesOf([headerOf(questions)]);
    }
    yield linesOf(rowsOf(page, questions));
  }
}
