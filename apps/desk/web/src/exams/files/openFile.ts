import { decodeFile, MOST_BYTES } from './decodeFile.ts';
import type { FileProblem } from './problems.ts';
import type { TableSource } from './readTable.ts';

type Opened =
  | { kind: 'source'; source: TableSource }
  /** Windows-1252 in doubt: a person must see whether the names are right. */
  | { kind: 'doubtful'; text: string }
  | { kind: 'refused'; problems: readonly FileProblem[] };

/** Opens a chosen file as text or, if it is a workbook, as cells. */
export const openFile = async (file: File): Promise<Opened> => {
  if (file.size > MOST_BYTES) return { kind: 'refused', problems: [{ line: 1, code: 'too_large' }] };
  try {
    return await openBytes(new Uint8Array(await file.arrayBuffer()));
  } catch {
    // The file was moved or is locked by another program, or the part of the page for workbooks was not loaded.
    return { kind: 'refused', problems: [{ line: 1, code: 'unreadable' }] };
  }
};

const openBytes = async (bytes: Uint8Array): Promise<Opened> => {
  const decoded = decodeFile(bytes);
  switch (decoded.kind) {
    case 'refused':
      return { kind: 'refused', problems: [decoded.problem] };
    case 'text':
      return decoded.isDoubtful
        ? { kind: 'doubtful', text: decoded.text }
        : { kind: 'source', source: decoded.text };
    case 'workbook': {
      const { readWorkbook } = await import('./readWorkbook.ts');
      const { rows, problems } = readWorkbook(bytes);
      return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'source', source: rows };
    }
  }
};
