import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { createExam } from '../harness/api.ts';
import { longAnswer, mcq, numeric, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { drop, type Dropped } from './harness/dropFiles.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

// Each test uses many pages, which a slow machine draws in some minutes.
vi.setConfig({ testTimeout: 400_000 });

const desk = await deskSuite();

const pdf = (name: string, pages: number): Dropped => ({
  name,
  base64: plainPdf(pages).toString('base64'),
  type: 'application/pdf',
});

const INTERNAL_ERROR = {
  error: { message: 'INTERNAL_SERVER_ERROR', code: -32_000, data: { httpStatus: 500, failure: null } },
};

const expectAccessible = async (page: Page): Promise<void> => {
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
};

test('a teacher creates an exam of three questions, opens it, uploads two copies and sees them graded', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('heading', { level: 1, name: 'Exams' }).waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'New exam' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Light and lenses');
  await page.getByRole('button', { name: 'Add a question' }).click();
  await page.getByRole('button', { name: 'Add a question' }).click();
  const question = (label: string) => page.getByRole('group', { name: `Question ${label}`, exact: true });
  const fill = async (label: string, text: string, marks: string): Promise<void> => {
    await question(label).getByRole('textbox', { name: 'Question', exact: true }).fill(text);
    await question(label).getByRole('textbox', { name: 'Marks', exact: true }).first().fill(marks);
  };
  await fill('1', 'Why does a lens bend light?', '3');
  await question('1').getByRole('textbox', { name: 'Model answer' }).fill('It slows down in glass.');
  await fill('2', 'Name two uses of a lens.', '2');
  await question('2').getByRole('checkbox', { name: 'With a rubric' }).check();
  for (const [number, name] of [
    [1, 'First use'],
    [2, 'Second use'],
  ] as const) {
    await question('2').getByRole('button', { name: 'Add a criterion' }).click();
    const criterion = question('2').getByRole('group', { name: `Criterion ${number}` });
    await criterion.getByRole('textbox', { name: 'Criterion' }).fill(name);
    await criterion.getByRole('textbox', { name: 'Marks' }).fill(number === 1 ? '1' : '2');
  }
  await fill('3', 'Which lens is thick in the middle?', '1');

  // The API's problem is shown at its field, and the form keeps what was typed.
  await page.getByRole('button', { name: 'Create and open' }).click();
  await page.getByText('The marks of the criteria add up to 3, not to 2.').first().waitFor();
  expect(await page.getByText('The marks of the criteria add up to 3, not to 2.').count()).toBe(2);
  await expectAccessible(page);
  const second = question('2').getByRole('group', { name: 'Criterion 2' });
  await second.getByRole('textbox', { name: 'Marks' }).fill('1');
  await page.getByRole('button', { name: 'Create and open' }).click();
  await page.getByRole('heading', { level: 1, name: 'Light and lenses' }).waitFor();
  await page.getByText('Question 3 has neither a rubric nor a model answer').waitFor();
  await page.getByText('Source: Desk').waitFor();

  await page.getByRole('link', { name: 'Candidates' }).click();
  await page
    .getByRole('textbox', { name: 'Paste here' })
    .fill('id\tname\troll number\nS17\tAsha Rao\t17\nS18\tBiju Nair\t18\n');
  await page.getByRole('button', { name: 'Register all' }).click();
  await page.getByRole('rowheader', { name: 'S18' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to the exam' }).click();

  await page.getByRole('link', { name: 'Upload copies' }).click();
  await drop(page, 'Drop PDF files here', [
    pdf('17 Asha.pdf', 1),
    pdf('scan.pdf', 2),
    { name: 'broken.pdf', base64: Buffer.from('no pdf').toString('base64'), type: 'application/pdf' },
    { name: 'notes.txt', base64: Buffer.from('notes').toString('base64'), type: 'text/plain' },
  ]);
  const row = (name: string) => page.getByRole('row', { name });
  await row('17 Asha.pdf').getByText('Ready').waitFor();
  await row('scan.pdf').getByText('Ready').waitFor();
  await row('broken.pdf').getByText('The file is not a PDF.').waitFor();
  await row('notes.txt').getByText('This is not a PDF file.').waitFor();
  // The reasons follow the language of the page.
  const speak = async (account: string, language: string): Promise<void> => {
    await page.getByRole('button', { name: account }).click();
    await page.getByRole('menuitem', { name: language }).click();
  };
  await speak('Account of First Admin', 'हिन्दी');
  await row('broken.pdf').getByText('फ़ाइल PDF नहीं है।').waitFor();
  await row('notes.txt').getByText('यह PDF फ़ाइल नहीं है।').waitFor();
  await speak('First Admin का खाता', 'English');
  await page.getByText('1 file has no candidate yet.').waitFor();
  await page.getByRole('img', { name: 'First page of scan.pdf' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Candidate of 17 Asha.pdf' }).inputValue()).toContain(
    'Asha Rao',
  );
  await page.getByRole('combobox', { name: 'Candidate of scan.pdf' }).click();
  await page.getByRole('option', { name: /Biju Nair/ }).click();
  await page.getByText('2 ready, 3 pages: 3 credits').waitFor();
  await expectAccessible(page);

  // A check that fails can be repeated, and does not need the file again.
  await page.route('**/trpc/uploads.get', (route) => route.fulfill({ status: 500, json: INTERNAL_ERROR }), {
    times: 1,
  });
  await drop(page, 'Drop PDF files here', [pdf('late.pdf', 1)]);
  await row('late.pdf').getByRole('button', { name: 'Try again' }).click();
  await row('late.pdf').getByText('Ready').waitFor();
  await row('late.pdf')
    .getByRole('button', { name: /^Remove/ })
    .click();

  // A file that was sent survives a reload, and is not sent again.
  await page.reload();
  await row('scan.pdf').getByText('Ready').waitFor();
  await drop(page, 'Drop PDF files here', [pdf('scan.pdf', 2)]);
  await page.getByText('1 file is in the list already.').waitFor();
  await page.getByRole('button', { name: 'Submit 2 copies' }).click();
  await page.locator('p:focus', { hasText: '2 copies were submitted.' }).waitFor();
  await page.getByRole('link', { name: 'Watch them being graded' }).click();
  await page.getByText('2 of 2 done').waitFor({ timeout: 60_000 });
  await row('Asha Rao')
    .getByText(/Graded|Failed/)
    .waitFor();
  await expectAccessible(page);
  expect(problems).toEqual([]);
  await context.close();
});

test('typed answers are imported from a table, and the list finds the exam by a part of its title', async () => {
  const exam = await createExam(
    desk.service.api,
    typedExam([mcq('1'), numeric('2'), longAnswer('3')], {
      title: 'Sums of the API',
      candidates: [{ external_id: 'S3' }],
    }),
  );
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('searchbox').fill('of the api');
  await page.getByRole('link', { name: 'Sums of the API' }).click();
  await page.getByText('Source: API').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/exams/${exam.id}`);
  await page.getByRole('link', { name: 'Add answers' }).click();
  await page.getByRole('tab', { name: 'Many candidates' }).click();
  await page
    .getByRole('textbox', { name: 'Paste here' })
    .fill('id,name,1,2,3\nS1,Asha,B,24,Because of this.\nS2,Biju,Z,24,\n');
  await page.getByRole('button', { name: 'Read' }).click();
  await page.getByText('2 candidates, 5 answers').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Submit 2 lines' }).click();
  await page.getByText('1 submitted, 1 refused').waitFor();
  await page.getByText('Line 3 (S2)').waitFor();
  await page.getByRole('tab', { name: 'One candidate' }).click();
  await expectAccessible(page);

  // The answer to the first request is lost. Its repetition is the same submission.
  await page.route(
    '**/trpc/submissions.create',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole('combobox', { name: 'Candidate' }).click();
  await page.getByRole('option', { name: 'S3' }).click();
  await page.getByRole('button', { name: 'Submit the answers' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Submit the answers' }).click();
  await page.getByText('The answers were submitted.').waitFor();
  await page.getByRole('link', { name: 'Back to the exam' }).click();
  await page.getByText('2 of 2 done').waitFor({ timeout: 60_000 });
  await page.getByRole('rowheader', { name: 'Asha' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a stored exam is edited: text, questions and sections; a change by a colleague meanwhile is shown', async () => {
  const paper = typedExam([mcq('1'), longAnswer('2')], { title: 'To be edited' });
  const exam = await createExam(desk.service.api, { ...paper, open: false });
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);

  // A draft is deleted after a question, and not by one click.
  const draft = await createExam(desk.service.api, { ...paper, title: 'A mistake', open: false });
  await page.goto(`${desk.url}/exams/${draft.id}`);
  const ask = page.getByRole('dialog', { name: 'Delete this exam?' });
  const remove = () => page.getByRole('button', { name: 'Delete', exact: true });
  await remove().click();
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'detached' });
  expect((await desk.service.api.get(`/exams/${draft.id}`)).body).toMatchObject({ status: 'draft' });
  await remove().click();
  await ask.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The exam was deleted.').waitFor();
  expect((await desk.service.api.get(`/exams/${draft.id}`)).body).toMatchObject({ status: 'deleted' });
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  const question = (label: string) => page.getByRole('group', { name: `Question ${label}`, exact: true });
  await question('2').getByRole('textbox', { name: 'Question', exact: true }).fill('Explain it well.');
  await page.getByRole('button', { name: 'Remove question 1' }).click();
  await page.getByRole('button', { name: 'Add a question' }).click();
  await question('3').getByRole('textbox', { name: 'Question', exact: true }).fill('And then?');
  await question('3').getByRole('textbox', { name: 'Marks', exact: true }).fill('1.5');

  // Sections: the problem of a question that names none of them is shown at its field.
  const sections = page.getByRole('group', { name: 'Sections', exact: true });
  await sections.getByRole('button', { name: 'Add a section' }).click();
  await sections.getByRole('textbox', { name: 'Section 1' }).fill('Theory');
  await sections.getByRole('textbox', { name: 'Section 2' }).fill('Practice');
  await sections.getByRole('button', { name: 'Move up section 2' }).click();
  await sections.getByRole('button', { name: 'Add a section' }).click();
  await sections.getByRole('textbox', { name: 'Section 3' }).fill('theory');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await sections.getByText('Section names must be unique.').waitFor();
  await sections.getByRole('button', { name: 'Remove section 3' }).click();

  // A colleague changes the exam meanwhile: nothing is overwritten, and the form says what has changed.
  // What the teacher types while the form asks for the change is kept too.
  let hasTyped = false;
  await desk.service.api.patch(`/exams/${exam.id}`, { subject: 'Physics' });
  await page.route('**/trpc/desk.exams.form', async (route) => {
    const isFirst = !hasTyped;
    hasTyped = true;
    if (isFirst) await page.getByRole('textbox', { name: 'Board' }).fill('CBSE');
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Another person has changed this exam').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expect(await page.getByRole('textbox', { name: 'Board' }).inputValue()).toBe('CBSE');
  expect(await page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Physics');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(`${desk.url}/exams/${exam.id}`);
  const edited = await desk.service.api.get(`/exams/${exam.id}`);
  expect(edited.body).toMatchObject({
    subject: 'Physics',
    board: 'CBSE',
    sections: [{ name: 'Practice' }, { name: 'Theory' }],
    questions: [{ section: 'Theory' }, { section: 'Practice' }],
  });
  await page.getByRole('button', { name: 'Open the exam' }).click();
  await page.getByText('The exam is open.').waitFor();
  const { body } = await desk.service.api.get<{
    questions: { label: string; text: string; max_marks: number }[];
  }>(`/exams/${exam.id}/questions`);
  expect(body.questions.map(({ label, text, max_marks }) => [label, text, max_marks])).toEqual([
    ['2', 'Explain it well.', 2],
    ['3', 'And then?', 1.5],
  ]);
  expect(problems).toEqual([]);
  await context.close();
});

test('without its stream the list refreshes by itself, and opens the stream again when it is back', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const streamAnswers = (status: number) =>
    page.waitForResponse((response) => response.url().endsWith('/events') && response.status() === status);
  await page.route('**/events', (route) => route.fulfill({ status: 503 }));
  const refused = streamAnswers(503);
  await page.reload();
  await refused;
  await createExam(desk.service.api, typedExam([mcq('1')], { title: 'Seen by asking' }));
  await page.getByRole('link', { name: 'Seen by asking' }).waitFor();

  const opened = streamAnswers(200);
  await page.unroute('**/events');
  await opened;
  await createExam(desk.service.api, typedExam([mcq('1')], { title: 'Told by the stream' }));
  await page.getByRole('link', { name: 'Told by the stream' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
