import { strFromU8, unzipSync, type Unzipped } from 'fflate';
import { DATE_MARK } from './cellProblems.ts';
import type { Rows } from './csvRows.ts';
import { MOST_BYTES } from './decodeFile.ts';
import type { FileProblem } from './problems.ts';
import { shownNumber, formatsIn, type NumberFormat } from './workbookNumbers.ts';

/*
 * Reads the cells of an Excel workbook (ECMA-376, part 1, chapter 18) as the texts that Excel shows. The module is
 * loaded when a workbook is chosen. Formulas are not computed: a cell has the value that was saved with it.
 */

const PARTS =
  /^(?:xl\/workbook\.xml|xl\/_rels\/workbook\.xml\.rels|xl\/sharedStrings\.xml|xl\/styles\.xml|xl\/worksheets\/[^/]+\.xml)$/;

/** Of one part; a table of 2,000 rows has about 1 MB. */
const MOST_UNPACKED = 2 * MOST_BYTES;

/** A workbook with cells beyond these is refused. */
const MOST_ROWS = 10_000;
const MOST_COLUMNS = 1000;

class BadWorkbook extends Error {}

/** @returns the cells of the only sheet with cells, or why there are none */
export const readWorkbook = (bytes: Uint8Array): { rows: Rows; problems: FileProblem[] } => {
  try {
    const parts = unpack(bytes);
    const shared = sharedIn(parts);
    const sheets = sheetsOf(parts).map((name) => rowsOf(parts, name, shared));
    const filled = sheets.filter((rows) => rows.some((row) => row.some((cell) => cell.trim() !== '')));
    if (filled.length > 1) return { rows: [], problems: [{ line: 1, code: 'several_sheets' }] };
    return { rows: filled[0] ?? [], problems: [] };
  } catch {
    return { rows: [], problems: [{ line: 1, code: 'bad_workbook' }] };
  }
};

const unpack = (bytes: Uint8Array): Unzipped => {
  let unpacked = 0;
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!PARTS.test(name)) return false;
      // The archive's own size bounds what is unpacked: fflate writes no byte behind it.
      unpacked += originalSize;
      if (unpacked > MOST_UNPACKED) throw new BadWorkbook(`${name} is too large`);
      return true;
    },
  });
};

const parsed = (parts: Unzipped, name: string): Document | null => {
  const bytes = parts[name];
  if (bytes === undefined) return null;
  const document = new DOMParser().parseFromString(strFromU8(bytes), 'application/xml');
  if (elements(document, 'parsererror').length > 0) throw new BadWorkbook(`${name} is no XML`);
  return document;
};

/** Elements by their name without a prefix: writers other than Excel use prefixes. */
const elements = (inside: Document | Element, name: string): Element[] => [
  ...inside.getElementsByTagNameNS('*', name),
];

/** Names of the parts of the sheets that are not hidden. */
const sheetsOf = (parts: Unzipped): string[] => {
  const workbook = parsed(parts, 'xl/workbook.xml');
  const relations = parsed(parts, 'xl/_rels/workbook.xml.rels');
  if (workbook === null || relations === null) throw new BadWorkbook('there is no workbook');
  const targets = new Map(
    elements(relations, 'Relationship').map((one) => [
      one.getAttribute('Id') ?? '',
      one.getAttribute('Target') ?? '',
    ]),
  );
  return elements(workbook, 'sheet')
    .filter((sheet) => (sheet.getAttribute('state') ?? 'visible') === 'visible')
    .map((sheet) => {
      const id = [...sheet.attributes].find(
        ({ name, localName }) => localName === 'id' && name !== 'id',
      )?.value;
      return (targets.get(id ?? '') ?? '').replace(/^(?:\/?xl\/)?/, 'xl/');
    })
    .filter((name) => name.startsWith('xl/worksheets/'));
};

/** Text of runs without phonetic hints; `_x000D_` stands for a character. */
const textOf = (element: Element): string =>
  elements(element, 't')
    .filter((text) => text.parentElement?.localName !== 'rPh')
    .map((text) => text.textContent)
    .join('')
    .replaceAll(/_x([\da-f]{4})_/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** What the cells of all sheets refer to. */
interface Shared {
  strings: readonly string[];
  formats: readonly NumberFormat[];
}

const sharedIn = (parts: Unzipped): Shared => {
  const strings = parsed(parts, 'xl/sharedStrings.xml');
  const styles = parsed(parts, 'xl/styles.xml');
  return {
    strings: strings === null ? [] : elements(strings, 'si').map(textOf),
    formats: styles === null ? [] : formatsIn(styles),
  };
};

/** Cells and rows without a value have only a format; some workbooks have a million of them. */
const rowsOf = (parts: Unzipped, name: string, shared: Shared): Rows => {
  const sheet = parsed(parts, name);
  if (sheet === null) throw new BadWorkbook(`${name} is missing`);
  const rows: string[][] = [];
  for (const row of elements(sheet, 'row')) {
    const at = Number(row.getAttribute('r') ?? rows.length + 1) - 1;
    const cells = cellsOf(row, shared);
    if (cells.length > 0) rows[bounded(at, MOST_ROWS)] = cells;
  }
  return Array.from(rows, (row: string[] | undefined) => row ?? []);
};

const cellsOf = (row: Element, shared: Shared): string[] => {
  const cells: string[] = [];
  let next = 0;
  for (const cell of elements(row, 'c')) {
    const at = placeOf(cell.getAttribute('r')) ?? next;
    next = at + 1;
    const value = valueOf(cell, shared);
    if (value !== '') cells[bounded(at, MOST_COLUMNS)] = value;
  }
  return Array.from(cells, (cell: string | undefined) => cell ?? '');
};

const bounded = (place: number, most: number): number => {
  if (!Number.isInteger(place) || place < 0 || place >= most) throw new BadWorkbook(`no place: ${place}`);
  return place;
};

/** `C7` is the third column: 2. Null without a reference. */
const placeOf = (reference: string | null): number | null => {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + (letter.codePointAt(0) ?? 0) - 64, 0) - 1;
};

const valueOf = (cell: Element, { strings, formats }: Shared): string => {
  const value = elements(cell, 'v')[0]?.textContent ?? '';
  switch (cell.getAttribute('t') ?? 'n') {
    case 's':
      return strings[Number(value)] ?? '';
    case 'inlineStr':
      return textOf(cell);
    case 'd':
      return `${DATE_MARK}${value.slice(0, 10)}`;
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'n':
      return value === ''
        ? ''
        : shownNumber(value, formats[Number(cell.getAttribute('s') ?? 0)] ?? 'General');
    default:
      return value;
  }
};
