import { unzip } from 'fflate';
import { PDFDocument } from 'pdf-lib';

interface MergedCopies {
  pdf: Uint8Array;
  /** Files that were joined. */
  copies: number;
  /** True if the ZIP file lists copies that it does not contain. */
  isIncomplete: boolean;
}

/**
 * One PDF of the PDF files of a ZIP, in the natural order of their names (9 before 10).
 * @throws Error if the ZIP or a file in it cannot be read
 */
export const mergeCopies = async (zip: Uint8Array): Promise<MergedCopies> => {
  const files = await filesOf(zip);
  const names = Object.keys(files)
    .filter((name) => name.endsWith('.pdf'))
    .toSorted((one, other) => one.localeCompare(other, undefined, { numeric: true }));
  const merged = await PDFDocument.create();
  for (const name of names) {
    const copy = await PDFDocument.load(files[name] ?? '', { updateMetadata: false });
    for (const page of await merged.copyPages(copy, copy.getPageIndices())) merged.addPage(page);
  }
  return {
    pdf: await merged.save(),
    copies: names.length,
    isIncomplete: Object.keys(files).length > names.length,
  };
};

const filesOf = (zip: Uint8Array): Promise<Record<string, Uint8Array>> =>
  new Promise((resolve, reject) => {
    unzip(zip, (error, files) => (error === null ? resolve(files) : reject(error)));
  });
