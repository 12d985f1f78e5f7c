import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

/* The panel of the marking screen: the hand, criteria, drafts and the list of questions (docs/desk/marking.md). */

const desk = await deskSuite();
const { api } = desk.service;
const PATIENTLY = { timeout: 20_000 };

let exam: Exam;
beforeAll(async () => {
  exam = await createExam(api, typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]));
});

const newCopy = async (): Promise<string> => {
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: randomUUID() },
    answers: [
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', text: 'Because of this, I think.' },
      { question_label: '3', text: 'Because of that.' },
    ],
  });
  await untilOver(api, id);
  // Criteria as a model marks them: the baseline gives one mark.
  await behind(
    desk.service.database,
    `update question_results r set awarded = 1.5, criteria =
       '[{"name":"Law","awarded":1,"max":1,"reason":"Stated."},{"name":"Units","awarded":0.5,"max":1,"reason":"Half."}]'
     from submissions s where s.id = $1 and r.run_id = s.current_run_id and r.question_id = $2`,
    [id, questionId('2')],
  );
  return id;
};
const questionId = (label: string): string =>
  exam.questions.find((question) => question.label === label)?.id ?? '';
const resultOfQuestion = async (submission: string, label: string) =>
  (await resultOf(api, submission)).questions.find((question) => question.label === label);
const open = async (page: Page, submission: string, label: string): Promise<void> => {
  await page.goto(
    `${desk.url}/exams/${exam.id}/mark?order=copy&submission=${submission}&question=${questionId(label)}`,
  );
  await isAt(page, label);
};
const isAt = (page: Page, label: string) =>
  page.getByRole('heading', { level: 2, name: `Question ${label}` }).waitFor();
const field = (page: Page, name: string) => page.getByRole('spinbutton', { name, exact: true });

test('the field of the mark is selected on arrival, so a digit and Enter mark an answer', async () => {
  const submission = await newCopy();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.keyboard.press('1');
  expect(await field(page, 'Marks').inputValue()).toBe('1');
  await page.keyboard.press('Enter');
  await isAt(page, '3');
  await page
    .getByRole('status')
    .filter({ hasText: /^Question 2, .*: 1$/ })
    .waitFor();
  // Undo shows the answer whose mark is taken back.
  await page.getByRole('button', { name: 'Undo' }).click();
  await isAt(page, '2');
  await expect.poll(() => field(page, 'Marks').inputValue(), PATIENTLY).toBe('1.5');
  expect(problems).toEqual([]);
  await context.close();
});

test('criteria are marked by field, click and key, the sum follows, and a sum that is typed says so', async () => {
  const submission = await newCopy();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.getByRole('row', { name: /Units/ }).getByRole('button', { name: 'Full marks' }).click();
  expect(await field(page, 'Marks').inputValue()).toBe('2');
  await page.keyboard.press('Shift+Digit1');
  expect(await field(page, 'Law').inputValue()).toBe('0');
  expect(await field(page, 'Marks').inputValue()).toBe('1');
  await field(page, 'Law').fill('0.5');
  expect(await field(page, 'Marks').inputValue()).toBe('1.5');
  await page.getByRole('textbox', { name: 'Feedback to the candidate' }).fill('Name the law.');
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect
    .poll(() => resultOfQuestion(submission, '2'), PATIENTLY)
    .toMatchObject({
      awarded: 1.5,
      source: 'ai_reviewed',
      feedback: 'Name the law.',
      criteria: [
        { name: 'Law', awarded: 0.5 },
        { name: 'Units', awarded: 1 },
      ],
    });
  await field(page, 'Law').fill('');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('A criterion has more or fewer marks than it allows.').waitFor();
  await field(page, 'Marks').fill('2');
  await field(page, 'Law').fill('1.5');
  await field(page, 'Units').fill('0.5');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('A criterion has more or fewer marks than it allows.').waitFor();
  await field(page, 'Marks').fill('0.5');
  await page.getByText('The sum was typed. The marks of the criteria do not count.').waitFor();
  await field(page, 'Marks').press('Enter');
  await isAt(page, '3');
  await expect.poll(async () => (await resultOfQuestion(submission, '2'))?.awarded, PATIENTLY).toBe(0.5);
  expect(problems).toEqual([]);
  await context.close();
});

test('what is typed and not confirmed is kept through Next, a reload and the end of the session', async () => {
  const submission = await newCopy();
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await field(page, 'Marks').fill('0.5');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.fill('Look at the units.');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await isAt(page, '3');
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await isAt(page, '2');
  const expectDraft = async (): Promise<void> => {
    await page.getByText('Not confirmed yet. The mark that counts is 1.5.').waitFor();
    expect(await field(page, 'Marks').inputValue()).toBe('0.5');
    expect(await comment.inputValue()).toBe('Look at the units.');
  };
  await expectDraft();
  await page.reload();
  await expectDraft();
  await context.clearCookies();
  await page.reload();
  await signIn(desk, page);
  await open(page, submission, '2');
  await expectDraft();
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect
    .poll(() => resultOfQuestion(submission, '2'), PATIENTLY)
    .toMatchObject({
      awarded: 0.5,
      review: { reason: 'Look at the units.' },
    });
  await page.reload();
  await isAt(page, '2');
  await expect.poll(() => field(page, 'Marks').inputValue(), PATIENTLY).toBe('0.5');
  expect(await page.getByText('Not confirmed yet.').count()).toBe(0);
  // What is typed and counts already is no draft.
  await field(page, 'Marks').fill('2');
  await field(page, 'Marks').fill('0.5');
  await page.reload();
  await isAt(page, '2');
  await expect.poll(() => field(page, 'Marks').inputValue(), PATIENTLY).toBe('0.5');
  expect(await page.getByText('Not confirmed yet.').count()).toBe(0);
  await comment.fill('x'.repeat(2001));
  await page.getByText('At most 2000 characters. These are 2001.').waitFor();
  await context.close();
});

test('the list of questions says how far each one is, and leads to the answers of a question', async () => {
  const submission = await newCopy();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/mark?order=question&submission=${submission}`);
  // The answer by key needs no teacher, so the first question to mark is the second.
  await isAt(page, '2');
  const list = page.getByRole('list', { name: 'Questions' });
  const decided = async (): Promise<number> => {
    const text = await list.getByRole('button', { name: /^2 / }).innerText();
    return Number(/(\d+) of \d+/.exec(text)?.[1]);
  };
  await list
    .getByText(/\d+ of \d+/)
    .first()
    .waitFor();
  const before = await decided();
  await page.keyboard.press('c');
  await page.getByText('Marked by a teacher').waitFor();
  await page.reload();
  await expect.poll(decided, PATIENTLY).toBe(before + 1);
  await expectNoAxeViolations(page);
  await list.getByRole('button', { name: /^3 / }).click();
  await isAt(page, '3');
  await page.keyboard.press('p');
  await isAt(page, '2');
  expect(problems).toEqual([]);
  await context.close();
});

test('an approval by oneself is no change by another', async () => {
  const submission = await newCopy();
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.getByRole('button', { name: 'Approve the copy' }).click();
  await page.getByText('Approved', { exact: true }).waitFor();
  expect(await page.getByText('The mark was changed').count()).toBe(0);
  expect(await page.getByText('Needs review', { exact: true }).count()).toBe(0);
  await page.keyboard.press('2');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await resultOfQuestion(submission, '2'))?.awarded, PATIENTLY).toBe(2);
  await context.close();
});

test('a remark that was written to one answer is chosen for another', async () => {
  const [first, second] = [await newCopy(), await newCopy()];
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, first, '2');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await comment.fill('State the law first.');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await open(page, second, '2');
  await page.getByRole('button', { name: 'Remarks' }).click();
  const remark = page
    .getByRole('dialog', { name: 'Remarks' })
    .getByRole('button', { name: /^State the law/ });
  await remark.waitFor();
  await expectNoAxeViolations(page);
  await remark.click();
  expect(await comment.inputValue()).toBe('State the law first.');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect
    .poll(() => resultOfQuestion(second, '2'), PATIENTLY)
    .toMatchObject({
      review: { reason: 'State the law first.' },
    });
  await context.close();
});
