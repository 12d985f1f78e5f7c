import { readFile } from 'node:fs/promises';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import { test } from 'vitest';
import { createExam } from '../../harness/api.ts';
import { deskSuite, signIn } from '../harness/deskSuite.ts';
import { drop } from '../harness/dropFiles.ts';
import { CANDIDATES, sample, sciencePaper } from './demoData.ts';
import { write, writePicture } from './picture.ts';

/* Part of `npm run desk:screenshots`: goes the way of docs/desk/tour.md as a person does, and writes its pictures. */

const desk = await deskSuite();
const { api } = desk.service;

test('from an empty institute to checked copies', async () => {
  const { page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('button', { name: 'Try it with a sample' }).waitFor();
  await write(page, 'tour-steps');

  const exam = await createExam(api, {
    ...(await sciencePaper()),
    candidates: CANDIDATES.map(({ external_id, name, roll_number }) => ({ external_id, name, roll_number })),
  });
  const at = `${desk.url}/exams/${exam.id}`;
  await page.goto(`${at}/covers`);
  await page.getByRole('button', { name: 'Print 3 covers' }).waitFor();
  await page.getByRole('region', { name: 'Cover Asha Rao' }).waitFor();
  await write(page, 'tour-covers');
  const covers = await PDFDocument.load(await page.pdf({ format: 'A4' }));
  const stack = await PDFDocument.create();
  for (const [index, { file }] of CANDIDATES.entries()) {
    const copy = await PDFDocument.load(await sample(`copies/${file}`));
    const [cover] = await stack.copyPages(covers, [index]);
    if (cover !== undefined) stack.addPage(cover);
    for (const sheet of await stack.copyPages(copy, copy.getPageIndices())) stack.addPage(sheet);
  }

  await page.goto(`${at}/stack`);
  await drop(page, 'Drop a class set or photos here', [
    { name: 'class-10-science.pdf', base64: await stack.saveAsBase64(), type: 'application/pdf' },
  ]);
  await page.getByText('3 copies;').waitFor({ timeout: 120_000 });
  await page.getByRole('progressbar').waitFor({ state: 'detached', timeout: 120_000 });
  await page.getByText('3 copies;').scrollIntoViewIfNeeded();
  await write(page, 'tour-class-set');
  for (const seen of await page.getByRole('checkbox', { name: 'I have looked at it' }).all())
    await seen.check();
  await page.getByRole('button', { name: 'Upload 3 copies' }).click();
  await page.getByText(/^3 ready/).waitFor({ timeout: 120_000 });
  await write(page, 'tour-upload');
  await page.getByRole('button', { name: 'Submit 3 copies' }).click();
  await page.getByRole('link', { name: 'Watch them being graded' }).click();
  await page.getByText('3 of 3 done').waitFor({ timeout: 600_000 });
  await write(page, 'tour-mark-book');

  await page.getByRole('link', { name: 'Mark (3 left)' }).click();
  await page.locator('[data-mark]').first().waitFor({ state: 'attached', timeout: 60_000 });
  await write(page, 'tour-marking');
  await page.goto(`${at}/finalize`);
  await page.locator('tbody tr').first().waitFor();
  await write(page, 'tour-finalize');
  await page.goto(`${at}/return`);
  await page.getByRole('button', { name: 'Print the feedback sheets' }).waitFor();
  await write(page, 'tour-return');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'One PDF of the checked copies' }).click();
  const joined = await PDFDocument.load(await readFile(await (await download).path()));
  if (joined.getPageCount() < 19) throw new Error('the file has not all pages');

  const { data } = (await api.get<{ data: { id: string }[] }>('/submissions')).body;
  const copy = await api.download(`/submissions/${data[0]?.id}/checked-copy`);
  const library = await PDFiumLibrary.init();
  const checked = await library.loadDocument(copy);
  const { data: pixels, width, height } = await checked.getPage(0).render({ scale: 1.4, render: 'bitmap' });
  await writePicture(
    await sharp(pixels, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .png()
      .toBuffer(),
    'tour-checked-copy',
  );
});
