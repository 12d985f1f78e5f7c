import type { Row } from '../measuring/row.ts';
import { rowsOfCopies } from './copy.ts';
import { checkedCopyRow, pagesRow } from './pdf.ts';
import { readRow } from './read.ts';
import { recoveryRow } from './recovery.ts';
import { scheduleRow } from './schedule.ts';
import { submitRow } from './submit.ts';
import { typedRows } from './typed.ts';

export const allRows: readonly Row[] = [
  readRow,
  submitRow,
  ...typedRows,
  ...rowsOfCopies,
  scheduleRow,
  recoveryRow,
  pagesRow,
  checkedCopyRow,
];

/** @throws Error for an unknown name */
export const rowsNamed = (names: readonly string[] | null): readonly Row[] => {
  if (names === null) return allRows;
  return names.map((name) => {
    const row = allRows.find((one) => one.name === name);
    if (row === undefined)
      throw new Error(`no row "${name}"; rows: ${allRows.map((one) => one.name).join(', ')}`);
    return row;
  });
};
