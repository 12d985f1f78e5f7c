import { makeZip } from 'client-zip';
import type { MarksPage } from './marksPages.ts';
import type { CellValue, ResultsTable } from './resultsTable.ts';

/*
 * The results of an exam as an Excel file (ECMA-376), written while its pages are read: a page is in memory at a time.
 * The parts are not compressed. Text is written as inline text, so no cell is a formula.
 */

export const resultsXlsx = (
  pages: AsyncIterable<MarksPage>,
  table: ResultsTable,
): ReadableStream<Uint8Array> =>
  makeZip(
    Object.entries({ ...PARTS, 'xl/worksheets/sheet1.xml': sheetOf(pages, table) }).map(([name, input]) => ({
      name,
      input,
      lastModified: new Date(),
    })),
  );

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const relations = (...targets: [kind: string, target: string][]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([kind, target], index) =>
        `<Relationship Id="r${index + 1}" Type="${DOCUMENT}/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** Style 1 is bold. Style 2 is the format of texts, with which `007` stays a text after it was edited in Excel. */
const STYLES = `${HEAD}<styleSheet xmlns="${SHEET}">
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;

const PARTS = {
  '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>
</Types>`,
  '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
  'xl/workbook.xml': `${HEAD}<workbook xmlns="${SHEET}" xmlns:r="${DOCUMENT}">
<sheets><sheet name="Results" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
  'xl/styles.xml': STYLES,
};

async function* sheetOf(pages: AsyncIterable<MarksPage>, table: ResultsTable): AsyncGenerator<string> {
  yield `${HEAD}<worksheet xmlns="${SHEET}">
<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
<sheetData>`;
  let questions: MarksPage['questions'] | null = null;
  for await (const page of pages) {
    if (questions === null) {
      questions = page.questions;
      yield rowOf(table.header(questions), ' s="1"');
    }
    for (const row of table.rows(page, questions)) yield rowOf(row);
  }
  yield '</sheetData></worksheet>';
}

const TEXT = ' s="2"';

const rowOf = (cells: readonly CellValue[], style = ''): string =>
  `<row>${cells.map((value) => cellOf(value, style)).join('')}</row>\n`;

const cellOf = (value: CellValue, style: string): string => {
  if (value === null) return '<c/>';
  if (typeof value === 'number') return `<c${style}><v>${value}</v></c>`;
  return `<c${style === '' ? TEXT : style} t="inlineStr"><is><t xml:space="preserve">${textOf(value)}</t></is></c>`;
};

/** The most that Excel takes in a cell. */
const MOST_CHARACTERS = 32_767;

/** Characters that XML 1.0 cannot hold. */
const NO_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

const textOf = (value: string): string =>
  value
    .slice(0, MOST_CHARACTERS)
    .toWellFormed()
    .replaceAll(NO_XML, '')
    // Excel reads `_x0041_` as the character with this code.
    .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[&<>\r]/g, (sign) => ESCAPES[sign] ?? '');
