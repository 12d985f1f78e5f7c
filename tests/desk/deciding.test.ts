import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import type { Download, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { handwrittenExam, mcq, typedExam } from '../harness/papers.ts';
import { textOfPages, textPdf } from '../harness/pdfs.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';
import { ANSWERS, submitTypedAnswers } from './harness/typedAnswers.ts';

/*
 * The pages on which teachers decide: review, guide, statistics and finalizing, and the downloads. One exam of typed
 * answers of which a teacher has marked some, and one with a copy whose writing belongs to no answer.
 */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const desk = await deskSuite();
const { api } = desk.service;

const MARKED = 6;
const PATIENTLY = { timeout: 20_000 };

let typed: Exam;
let written: Exam;
/** A copy of `typed` that no teacher has marked. */
let unmarked: string;
let page: Page;
let problems: string[];

beforeAll(async () => {
  written = await createExam(api, handwrittenExam({ title: 'On paper' }));
  const copy = await submit(api, written.id, {
    candidate: { external_id: 'R-100' },
    upload_id: await uploadCopy(
      api,
      textPdf(['Notes that belong to no question of this exam.', '1. Because of this, and because of that.']),
    ),
  });
  const answered = await submitTypedAnswers(api, (number) => ({ external_id: `=R-${number}` }));
  typed = answered.exam;
  unmarked = answered.submissions[MARKED] ?? '';
  await untilOver(api, copy.id);
  const question = typed.questions[1]?.id;
  for (const id of answered.submissions.slice(0, MARKED)) {
    await api.patch(`/submissions/${id}/questions/${question}`, { reviewer: 'T1', awarded: 3 });
  }
  const opened = await desk.newBrowser();
  ({ page, problems } = opened);
  await signIn(desk, page);
});

const open = async (path: string, heading: string): Promise<void> => {
  await page.goto(`${desk.url}${path}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
};

/** Opens the marking screen with an answer that no teacher has marked, and waits for its suggestion. */
const openUnmarked = async (): Promise<void> => {
  const question = typed.questions[1]?.id;
  await page.goto(
    `${desk.url}/exams/${typed.id}/mark?order=question&question=${question}&submission=${unmarked}`,
  );
  await page.getByText(/^Suggested from your marks: /).waitFor();
};

const expectGoodPage = async (): Promise<void> => {
  await expectNoSidewaysScroll(page);
  await expectNoAxeViolations(page);
  expect(problems).toEqual([]);
};

test('the mark book has a row a candidate and a column a question, sorts, filters, and opens an answer', async () => {
  await open(`/exams/${typed.id}`, typed.title);
  const book = page.getByRole('table', { name: 'Mark book' });
  const ids = () => book.getByRole('rowheader').allInnerTexts();
  await book.getByRole('columnheader', { name: 'Total' }).waitFor();
  const before = await ids();
  expect(before).toEqual(ANSWERS.map((_, index) => `=R-${index + 1}`));
  await expectGoodPage();
  await book.getByRole('button', { name: 'Candidate' }).click();
  await expect.poll(ids, PATIENTLY).toEqual(before.toReversed());
  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: 'Changed by a teacher' }).click();
  await expect.poll(async () => (await ids()).length, PATIENTLY).toBeLessThan(before.length);
  const cell = book.getByRole('link', { name: /^Question 2 of =R-\d+: 3, changed by a teacher$/ }).first();
  await cell.click();
  await page.getByRole('heading', { level: 2, name: 'Question 2' }).waitFor();
  expect(await page.getByRole('spinbutton', { name: 'Marks', exact: true }).inputValue()).toBe('3');
  await page.emulateMedia({ media: 'print' });
  await open(`/exams/${typed.id}`, typed.title);
  await book.getByRole('columnheader', { name: 'Total' }).waitFor();
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
});

test('a feedback sheet for each candidate has marks, answer and remarks, a candidate a page, and nothing of reviews', async () => {
  await open(`/exams/${typed.id}`, typed.title);
  await page.getByRole('button', { name: 'Return' }).click();
  await page.getByRole('heading', { level: 1, name: 'Return the results' }).waitFor();
  await page.getByRole('navigation', { name: 'Pages of this exam' }).getByText(typed.title).waitFor();
  await page.getByText(`${ANSWERS.length} sheets`, { exact: true }).waitFor();
  await page.getByText('2 of these results still need a review.').waitFor();
  const sheet = page.getByRole('article', { name: '=R-1', exact: true });
  await sheet.getByText('4 / 5').waitFor();
  await sheet.getByText(ANSWERS[0] ?? '').waitFor();
  await expectGoodPage();
  expect(await page.getByRole('article').allInnerTexts()).not.toContainEqual(
    expect.stringMatching(/review|baseline/i),
  );
  const pdf = await page.pdf({ format: 'A4' });
  const texts = await textOfPages(pdf);
  expect(texts).toHaveLength(ANSWERS.length);
  for (const [index, text] of texts.entries()) expect(text).toContain(`=R-${index + 1}`);
});

test('the review queue shows why copies wait, filters them, and accounts for each page', async () => {
  await open('/review', 'Review');
  const table = page.getByRole('table', { name: /Copies that wait for a teacher/ });
  await table.getByRole('row', { name: /On paper/ }).waitFor();
  expect(await table.getByRole('row').count()).toBe(1 + 1 + ANSWERS.length - MARKED);
  await expectGoodPage();

  await page.getByLabel('Reason', { exact: true }).first().click();
  await page.getByRole('option', { name: /Writing that belongs to no answer/ }).click();
  await table.getByText('Water and ice').first().waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('reason')).toBe('unassigned_writing');
  await table.getByRole('button', { name: '2 pages' }).click();
  const pages = page.getByRole('table', { name: 'Pages of the copy' });
  await pages.getByRole('row', { name: /^1 Writing that belongs to no answer/ }).waitFor();
  expect(await pages.getByRole('row').count()).toBe(3);
  await expectGoodPage();
});

test('the guide page shows the curve, previews what would change, applies it and undoes it', async () => {
  await open(`/exams/${typed.id}/guide`, 'Guide of the exam');
  await page.getByRole('radio', { name: /^Apply/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('table', { name: 'Agreement by the number of examples' }).waitFor();
  await page.getByRole('img', { name: /Agreement of the guide/ }).waitFor();
  await page.getByRole('table', { name: 'Suggestions for question 2' }).waitFor();

  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const tally = page.getByRole('table', { name: 'Preview 1' });
  await tally.getByRole('row', { name: `Left alone: marked by a teacher ${MARKED}` }).waitFor();
  await expectGoodPage();
  await page.getByRole('button', { name: 'Apply the preview' }).click();
  await tally.getByRole('columnheader', { name: 'Applied' }).waitFor();
  await page.getByText('Application 1 is in force.').waitFor();
  await page.getByRole('button', { name: 'Undo the application' }).click();
  await tally.getByRole('columnheader', { name: 'Undone' }).waitFor();
  await page.getByText('Application 1 is in force.').waitFor({ state: 'detached' });
});

test('a copy is shown with the marks that the grader has drawn, and an answer with what the guide suggests', async () => {
  await page.goto(`${desk.url}/exams/${written.id}/mark`);
  await page.getByRole('heading', { level: 2, name: 'Question 1' }).waitFor();
  const region = page.getByRole('region', { name: 'Page', exact: true });
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  await region.locator('[data-mark="mark"]').first().waitFor({ state: 'attached' });
  await region.locator('.marking-frame').first().waitFor({ state: 'attached' });
  await expectGoodPage();

  await openUnmarked();
  await page.getByText(/^The \d nearest answers that were marked$/).click();
  await page.getByText('3 marks:').first().waitFor();
  await expectGoodPage();
});

test('a suggestion is taken with its button or its key, counts as a mark of the teacher, and is undone', async () => {
  await openUnmarked();
  const marks = page.getByRole('spinbutton', { name: 'Marks' });
  const before = await marks.inputValue();
  const byTeacher = page.getByText('Marked by a teacher');
  const takings = [
    () => page.getByRole('button', { name: 'Take the suggestion' }).click(),
    () => page.keyboard.press('s'),
  ];
  for (const take of takings) {
    const title = await page.getByText(/^Suggested from your marks: /).textContent();
    const suggested = Number(title?.split(': ')[1]);
    await take();
    await byTeacher.waitFor();
    expect(Number(await marks.inputValue())).toBe(suggested);
    expect((await resultOf(api, unmarked)).questions[1]).toMatchObject({
      awarded: suggested,
      source: 'ai_reviewed',
    });
    await page.keyboard.press('u');
    await byTeacher.waitFor({ state: 'detached' });
    await expect.poll(() => marks.inputValue()).toBe(before);
  }
  await page.keyboard.press('?');
  await page.getByRole('row', { name: /^Take the suggestion s / }).waitFor();
  expect(problems).toEqual([]);
});

test('the statistics are pictures with the same figures as tables', async () => {
  await open(`/exams/${typed.id}/statistics`, 'Statistics of the exam');
  const agreement = page.getByRole('table', { name: 'Agreement by question' });
  await agreement.getByRole('row', { name: new RegExp(`^2 ${MARKED} ${MARKED} `) }).waitFor();
  await page.getByRole('img', { name: /Marks of the AI by marks of the examiner/ }).waitFor();
  const distribution = page.getByRole('table', { name: 'Figures of the distribution' });
  await distribution.getByRole('row', { name: new RegExp(`^Total in percent ${ANSWERS.length} `) }).waitFor();
  await distribution.getByRole('columnheader', { name: 'Discrimination' }).waitFor();
  await page.getByRole('img', { name: /Number of copies by total/ }).waitFor();
  await expectGoodPage();
});

test('an exam is finalized after a look at what is open, and a copy is opened again with a reason', async () => {
  await open(`/exams/${typed.id}/finalize`, 'Finalize the exam');
  const checklist = page.getByRole('table', { name: 'What is still open' });
  await checklist
    .getByRole('row', { name: new RegExp(`^Wait for review ${ANSWERS.length - MARKED} =R-`) })
    .waitFor();
  const button = page.getByRole('button', { name: `Finalize ${ANSWERS.length} copies` });
  expect(await button.isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: /although they wait for review/ }).check();
  await expectGoodPage();
  await button.click();
  await page
    .locator('p:focus', { hasText: `${ANSWERS.length} of ${ANSWERS.length} copies are final.` })
    .waitFor();

  await page.getByRole('button', { name: 'Reopen' }).first().click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('A page was missed.');
  await page.getByRole('button', { name: 'Reopen the copy' }).click();
  await page.getByText(`${ANSWERS.length - 1} of ${ANSWERS.length} copies are final.`).waitFor();
  await expectGoodPage();
});

const download = async (name: string): Promise<Buffer> => {
  const [begun]: [Download, void] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ]);
  return readFile(await begun.path());
};

test('results come as CSV and Excel file, and checked copies as one ZIP file', async () => {
  await open(`/exams/${typed.id}/finalize`, 'Finalize the exam');
  const lines = (await download('Results as CSV')).toString('utf8').trim().split('\r\n');
  expect(lines).toHaveLength(1 + ANSWERS.length);
  expect(lines[0]).toContain('Question 2 (4)');
  expect(lines.slice(1).every((line) => /^"?'=R-/.test(line))).toBe(true);
  const sheet = unzipSync(await download('Results as Excel file (XLSX)'));
  expect(Object.keys(sheet)).toContain('xl/workbook.xml');

  await open(`/exams/${written.id}/finalize`, 'Finalize the exam');
  const zip = unzipSync(await download('Checked copies as one ZIP file'));
  expect(Object.keys(zip)).toEqual(['R-100.pdf']);
  expect(strFromU8(zip['R-100.pdf']?.subarray(0, 5) ?? new Uint8Array())).toBe('%PDF-');
});

test('a download needs a session, and the exam of its institute', async () => {
  const path = `${desk.url}/downloads/exams/${typed.id}/results.csv`;
  expect((await fetch(path)).status).toBe(401);
  const { exam } = { exam: await createExam((await desk.service.newInstitute()).api, typedExam([mcq('1')])) };
  for (const id of [exam.id, '0'.repeat(8)]) {
    const response = await page.request.get(`${desk.url}/downloads/exams/${id}/results.csv`);
    expect(response.status()).toBe(404);
  }
  const other = { headers: { 'sec-fetch-site': 'cross-site' } };
  expect((await page.request.get(path, other)).status()).toBe(403);
});

/**
 * Texts in Latin letters that are not texts of the page: data of the tests, texts of the offline grader, and names that
 * Hindi writes in Latin letters too.
 */
const NOT_OF_THE_PAGE = new RegExp(
  [
    ANSWERS.join('|'),
    'First (Institute|Admin)|Water and ice|On paper|Answer|One|Two|Three|A page was missed',
    'Choose for 1|Explain 1|Because of this, and because of that|Why does ice float|Found: .*|Mozilla/.*|Chrome, Linux',
    'Ice floats because it is less dense than water, since its molecules form an open lattice',
    'label, section, type, text, max_marks, negative_marks, options|id, name, roll number, class',
    'correct, answer, model_answer, criteria|…\\w{4}|\\S+@example.org',
    '\\b(PDF|CSV|JSON|XLSX|ZIP|API|AI|UTC|MB|English|[ap]m)\\b',
  ].join('|'),
  'gi',
);

/**
 * Latin letters that are left in the texts of a page, and in the names and placeholders of its elements. Fields of the
 * API, which the audit shows as `code`, have one name in each language.
 */
const latinTextsOn = async (hindi: Page): Promise<string[]> => {
  const texts = await hindi.evaluate<string[]>(`(() => {
    const names = ['aria-label', 'aria-description', 'aria-roledescription', 'placeholder', 'title', 'alt'];
    const linesOf = (element) => element.innerText.split('\\n');
    const fields = new Set([...document.body.querySelectorAll('code')].flatMap(linesOf));
    const found = [document.title, ...linesOf(document.body).filter((line) => !fields.has(line))];
    for (const each of document.body.querySelectorAll(':not([aria-hidden=true])'))
      found.push(...names.flatMap((name) => each.getAttribute(name) ?? []));
    return found;
  })()`);
  return [...new Set(texts)].filter((text) => /[a-z]{2}/i.test(text.replaceAll(NOT_OF_THE_PAGE, '')));
};

test('no page in Hindi has an English text', async () => {
  const { context, page: hindi, problems: faults } = await desk.newBrowser();
  await context.addInitScript(`localStorage.setItem('desk.language', 'hi')`);
  await hindi.goto(`${desk.url}/sign-in`);
  await hindi.getByRole('button').first().waitFor();
  expect(await latinTextsOn(hindi)).toEqual([]);
  await hindi.request.post(`${desk.url}/session`, {
    headers: { 'x-evaluation-desk': '1' },
    data: desk.admin,
  });
  await hindi.goto(`${desk.url}/nowhere`);
  await hindi.getByRole('heading', { level: 1 }).waitFor();
  const at = `/exams/${typed.id}`;
  const question = typed.questions[1]?.id;
  const places: readonly (readonly [path: string, shown: string])[] = [
    ['/exams', 'tbody a'],
    ['/exams/new', 'fieldset'],
    [at, 'tbody tr'],
    [`${at}/edit`, 'fieldset'],
    [`${at}/candidates`, 'tbody tr'],
    [`${at}/answers`, '[role=tab]'],
    [`/exams/${written.id}/upload`, '[role=group]'],
    [`/exams/${written.id}/mark`, '[data-mark]'],
    [`${at}/mark?order=question&question=${question}&submission=${unmarked}`, 'table'],
    [`${at}/guide`, '[role=img]'],
    [`${at}/statistics`, '[role=img]'],
    [`${at}/finalize`, 'tbody tr'],
    ['/review', 'tbody tr'],
    ['/credits', 'tbody tr'],
    ['/keys', 'tbody tr'],
    ['/staff', 'tbody tr'],
    ['/audit', 'tbody tr'],
    ['/settings', 'form'],
    ['/account', 'form'],
  ];
  for (const [path, shown] of places) {
    const before = await hindi.title();
    // Navigates as a link of the page does; loading all scripts again would cost more.
    await hindi.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
    await expect.poll(() => hindi.title(), { timeout: 30_000 }).not.toBe(before);
    await hindi.locator(`main :is(${shown})`).first().waitFor({ state: 'attached' });
    expect([path, await latinTextsOn(hindi)]).toEqual([path, []]);
  }
  expect(faults).toEqual([]);
  await context.close();
});
