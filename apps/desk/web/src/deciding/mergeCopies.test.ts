import { zipSync } from 'fflate';
import { PDFDocument } from 'pdf-lib';
import { expect, test } from 'vitest';
import { mergeCopies } from './mergeCopies.ts';

const pdfOfWidth = async (...widths: number[]): Promise<Uint8Array> => {
  const made = await PDFDocument.create();
  for (const width of widths) made.addPage([width, 842]);
  return made.save();
};

test('checked copies are joined in the natural order of their names, and a list of missing ones is told', async () => {
  const zip = zipSync({
    '10.pdf': await pdfOfWidth(10),
    '9.pdf': await pdfOfWidth(9, 99),
    'not-included.csv': new Uint8Array([65]),
  });
  const { pdf, copies, isIncomplete } = await mergeCopies(zip);
  const pages = (await PDFDocument.load(pdf)).getPages().map((page) => page.getWidth());
  expect([pages, copies, isIncomplete]).toEqual([[9, 99, 10], 2, true]);
  expect((await mergeCopies(zipSync({ '1.pdf': await pdfOfWidth(1) }))).isIncomplete).toBe(false);
});

test('a file that is no ZIP is refused', async () => {
  await expect(mergeCopies(new Uint8Array([1, 2, 3]))).rejects.toThrow();
});
