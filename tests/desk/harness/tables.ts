import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';

/** Chooses a file by the button of the page, as a person does. */
export const chooseFile = async (page: Page, name: string, content: string | Uint8Array): Promise<void> => {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  const buffer = Buffer.from(content);
  await (await asked).setFiles({ name, mimeType: 'application/octet-stream', buffer });
};

/** A text in Windows-1252, for characters of Latin-1. */
export const windows1252 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Number formats by style: 1 keeps leading zeros, 2 is a date. */
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0000"/></numFmts>
<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>`;

/** A workbook as Excel writes it, with shared strings. @param rows XML of the cells of each row, as of `xlsxText` */
export const workbook = (rows: readonly string[][], texts: readonly string[]): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries({
        '[Content_Types].xml':
          '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Class" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
        'xl/styles.xml': STYLES,
        'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
        'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${rows
          .map((cells, at) => `<row r="${at + 1}">${cells.join('')}</row>`)
          .join('')}</sheetData></worksheet>`,
      }).map(([name, text]) => [name, strToU8(text)]),
    ),
  );
