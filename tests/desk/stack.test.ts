import { degrees, PDFDocument, rgb } from 'pdf-lib';
import sharp from 'sharp';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { createExam } from '../harness/api.ts';
import { badFile } from '../fixtures/fixtures.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { drop } from './harness/dropFiles.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

vi.setConfig({ testTimeout: 240_000 });

const desk = await deskSuite();

const PEOPLE = ['Asha Rao', 'Biju Nair', 'Chitra Sen'].map((name, index) => ({
  external_id: `S${index + 17}`,
  name,
  roll_number: String(index + 17),
}));

const newExam = () => createExam(desk.service.api, handwrittenExam({ title: 'Optics', candidates: PEOPLE }));

/** Covers as the browser prints them, a candidate a page. */
const printedCovers = async (page: Page, examId: string): Promise<PDFDocument> => {
  await page.goto(`${desk.url}/exams/${examId}/covers`);
  await page.getByRole('button', { name: 'Print 3 covers' }).waitFor();
  await page.getByRole('region', { name: 'Cover Asha Rao' }).waitFor();
  await expectNoAxeViolations(page);
  return PDFDocument.load(await page.pdf({ format: 'A4' }));
};

/** A class set: cover and two written pages of each candidate. Page 2 of the first candidate lies upside down. */
const classSet = async (covers: PDFDocument): Promise<PDFDocument> => {
  const stack = await PDFDocument.create();
  for (const cover of await stack.copyPages(covers, covers.getPageIndices())) {
    stack.addPage(cover);
    for (const number of [1, 2]) {
      const sheet = stack.addPage([595, 842]);
      for (let y = 700; y > 200; y -= 40)
        sheet.drawLine({
          start: { x: 60, y },
          end: { x: 480, y: y + 6 },
          thickness: 2,
          color: rgb(0, 0, 0.5),
        });
      if (number === 2 && stack.getPageCount() === 3) sheet.setRotation(degrees(180));
    }
  }
  return stack;
};

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const summary = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const ADD = 'Drop a class set or photos here';

test('covers are printed, a class set is divided by them, a doubt waits for a look, and the copies are uploaded', async () => {
  const exam = await newExam();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const covers = await printedCovers(page, exam.id);
  expect(covers.getPageCount()).toBe(3);
  const stack = await classSet(covers);
  // A page of the last copy is missing.
  stack.removePage(8);
  await page.goto(`${desk.url}/exams/${exam.id}/upload`);
  await page.getByRole('link', { name: 'Divide a class set or photos' }).click();
  await drop(page, ADD, [
    { name: 'class.pdf', base64: base64Of(await stack.save()), type: 'application/pdf' },
  ]);
  await summary(page, '3 copies; 1 in doubt, 0 without a candidate, 3 pages left out');
  const copy = (number: number) => page.getByRole('region', { name: `Copy ${number}` });
  const candidateOf = (number: number) =>
    page.getByRole('combobox', { name: `Candidate of copy ${number}` }).inputValue();
  for (const [index, { name }] of PEOPLE.entries()) expect(await candidateOf(index + 1)).toContain(name);
  await copy(3).getByText('Other copies have another number of pages').waitFor();
  await copy(1).getByRole('button', { name: 'Turn by 90°: Page 3 of class.pdf' }).dblclick();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  // The copy in doubt stays when the others are handed over, and stays in doubt.
  await page.getByRole('button', { name: 'Upload 2 copies' }).click();
  await summary(page, '1 copy; 1 in doubt, 0 without a candidate, 1 pages left out');
  // A look at a copy does not count for the copy that it becomes.
  const looked = copy(3).getByRole('checkbox', { name: 'I have looked at it' });
  await looked.check();
  await copy(3).getByRole('button', { name: 'Take in: Page 7 of class.pdf' }).click();
  await copy(3).getByRole('button', { name: 'Leave out: Page 8 of class.pdf' }).click();
  expect(await looked.isChecked()).toBe(false);
  await copy(3).getByRole('button', { name: 'Leave out: Page 7 of class.pdf' }).click();
  await copy(3).getByRole('button', { name: 'Take in: Page 8 of class.pdf' }).click();
  await page.getByRole('button', { name: 'Upload 1 copy' }).click();

  const row = (name: string) => page.getByRole('row', { name });
  for (const { external_id, name } of PEOPLE) {
    await row(`${external_id}.pdf`).getByText('Ready').waitFor();
    expect(
      await page.getByRole('combobox', { name: `Candidate of ${external_id}.pdf` }).inputValue(),
    ).toContain(name);
  }
  await page.getByText('3 ready, 5 pages: 5 credits').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('photos become a copy that stays turned, a new copy begins where a person says, and other files are refused', async () => {
  const exam = await newExam();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/stack`);
  const photo = async (colour: string) =>
    base64Of(
      await sharp({ create: { width: 1200, height: 1600, channels: 3, background: colour } })
        .composite([
          {
            input: Buffer.from('<svg width="900" height="20"><rect width="900" height="20"/></svg>'),
            left: 100,
            top: 300,
          },
        ])
        .jpeg()
        .toBuffer(),
    );
  const names = ['IMG_2.jpg', 'IMG_10.jpg', 'IMG_3.jpg'];
  await drop(page, ADD, [
    ...(await Promise.all(
      names.map(async (name) => ({ name, base64: await photo('#f4f1ea'), type: 'image/jpeg' })),
    )),
    { name: 'IMG_4.heic', base64: base64Of(Buffer.from('ftypheic')), type: 'image/heic' },
    { name: 'notes.txt', base64: base64Of(Buffer.from('notes')), type: 'text/plain' },
  ]);
  await page.getByRole('alert').getByText('notes.txt: This is neither a PDF nor a photo.').waitFor();
  await page.getByRole('alert').getByText('IMG_4.heic: This browser cannot read HEIC photos.').waitFor();
  await summary(page, '1 copy; 0 in doubt, 1 without a candidate, 0 pages left out');
  expect(await page.getByRole('button', { name: /^Enlarge/ }).allInnerTexts()).toHaveLength(3);
  await page.getByRole('button', { name: 'A new copy begins: Page 1 of IMG_10.jpg' }).click();
  await summary(page, '2 copies; 0 in doubt, 2 without a candidate');
  await page.getByRole('combobox', { name: 'Candidate of copy 2' }).click();
  await page.getByRole('option', { name: /Biju Nair/ }).click();
  await page.getByRole('button', { name: 'Turn by 90°: Page 1 of IMG_10.jpg' }).click();
  await page.getByRole('button', { name: 'Enlarge: Page 1 of IMG_10.jpg' }).click();
  await page.getByRole('img', { name: 'Page 1 of IMG_10.jpg' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Upload 2 copies' }).click();
  await page.getByRole('row', { name: 'S18.pdf' }).getByText('Ready').waitFor();
  await page.getByText('1 file has no candidate yet.').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a roll number on the first page proposes its candidate, and one click accepts the proposal', async () => {
  const exam = await newExam();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const scan = await PDFDocument.create();
  const sheet = scan.addPage([595, 842]);
  sheet.drawText('Roll No. 18        Maximum marks: 19', { x: 60, y: 760, size: 20 });
  await page.goto(`${desk.url}/exams/${exam.id}/upload`);
  await drop(page, 'Drop PDF files here', [
    { name: 'Scan 3.pdf', base64: await scan.saveAsBase64(), type: 'application/pdf' },
    { name: 'long.pdf', base64: base64Of(badFile('pages-81.pdf')), type: 'application/pdf' },
  ]);
  await page.getByRole('img', { name: 'First page of Scan 3.pdf' }).waitFor();
  await page.getByRole('button', { name: /^Scan 3.pdf is the copy of Biju Nair/ }).click({ timeout: 60_000 });
  await page.getByText('The file has more than 80 pages.').waitFor();
  const candidate = page.getByRole('combobox', { name: 'Candidate of Scan 3.pdf' });
  await expect.poll(() => candidate.inputValue()).toContain('Biju Nair');
  await page.getByText('1 ready, 1 pages: 1 credits').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
