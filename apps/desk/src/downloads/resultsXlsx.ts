import writeExcelFile from 'write-excel-file/node';
import { Refusal } from '../middleware/errors.ts';
import type { MarksPage } from './marksPages.ts';
import { headerOf, rowsOf, type CellValue } from './resultsTable.ts';

/** The library holds the whole table in memory. */
export const MOST_CELLS = 200_000;

/**
 * The results of an exam as an Excel file. Text is written as text, so no cell is a formula.
 * @throws Refusal for a table of more than MOST_CELLS cells, which the CSV has room for
 */
export const resultsXlsx = async (pages: AsyncIterable<MarksPage>): Promise<Buffer> => {
  const table: CellValue[][] = [];
  let questions: MarksPage['questions'] | null = null;
  for await (const page of pages) {
    questions ??= page.questions;
    if (table.length === 0) table.push(headerOf(questions));
    table.push(...rowsOf(page, questions));
    if (table.length * (table[0]?.length ?? 0) > MOST_CELLS) throw new Refusal(413, 'PAYLOAD_TOO_LARGE');
  }
  const [header = [], ...rows] = table;
  const cells = [
    header.map((value) => ({ value: String(value), type: String, fontWeight: 'bold' as const })),
    ...rows.map((row) => row.map((value) => (typeof value === 'string' ? { value, type: String } : value))),
  ];
  return writeExcelFile(cells, { sheet: 'Results', stickyRowsCount: 1 }).toBuffer();
};
