import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { createExam } from '../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

/* The questions of a long form (docs/desk/exams.md#create-an-exam). */

vi.setConfig({ testTimeout: 120_000 });

const desk = await deskSuite();
const QUESTIONS = 200;

const question = (page: Page, label: string) =>
  page.getByRole('group', { name: `Question ${label}`, exact: true });
const head = (page: Page, label: string) =>
  question(page, label)
    .getByRole('button', { name: `Question ${label}`, exact: false })
    .first();
/** Numbers of the questions in the order of the page. */
const order = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('h3 button b')].map((each) => each.textContent.replace('Question ', ''))`,
  );
const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText.trim()',
  );

const draftExam = (count: number) =>
  createExam(
    desk.service.api,
    typedExam(
      Array.from({ length: count }, (_, index) =>
        index % 2 === 0 ? mcq(String(index + 1)) : longAnswer(String(index + 1)),
      ),
      { title: 'Long paper', open: false },
    ),
  );

test('200 questions begin closed, and the last one is opened by a click', async () => {
  const exam = await draftExam(QUESTIONS);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await head(page, '200').waitFor();
  expect(await order(page)).toHaveLength(QUESTIONS);
  expect(await head(page, '200').innerText()).toContain('Long answer · 2 marks · Explain 200.');
  // Fields of the exam and buttons of the questions, but no fields of questions.
  expect(await page.locator('textarea:visible').count()).toBeLessThan(5);
  await head(page, '200').click();
  const text = question(page, '200').getByRole('textbox', { name: 'Question', exact: true });
  await text.fill('Explain the last one.');
  await expectNoSidewaysScroll(page);

  // What is typed is kept, also in a question that is closed again.
  await head(page, '200').click();
  expect(await head(page, '200').innerText()).toContain('Explain the last one.');
  await page.reload();
  await page.getByText('The form shows what you typed before the page was left.').waitFor();
  await head(page, '200').click();
  expect(await text.inputValue()).toBe('Explain the last one.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Long paper', exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('questions are moved and duplicated by keys, and the focus stays', async () => {
  const exam = await draftExam(11);
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  const button = (label: string, name: string) =>
    question(page, label).getByRole('button', { name: `${name} question ${label}`, exact: true });
  await button('2', 'Move up').focus();
  await page.keyboard.press('Enter');
  expect(await order(page)).toEqual(['2', '1', '3', '4', '5', '6', '7', '8', '9', '10', '11']);
  expect(await focused(page)).toBe('Move up question 2');
  await page.getByRole('status').getByText('Question 2 is in place 1 now').waitFor();
  // The first question stays where it is.
  expect(await button('2', 'Move up').getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect((await order(page)).slice(0, 4)).toEqual(['1', '3', '2', '4']);
  expect(await focused(page)).toBe('Move down question 2');

  await button('3', 'Duplicate').press('Enter');
  expect((await order(page)).slice(0, 4)).toEqual(['1', '3', '12', '2']);
  expect(await focused(page)).toContain('Question 12');
  const copy = question(page, '12');
  expect(await copy.getByRole('textbox', { name: 'Text of option A' }).inputValue()).toBe('One');
  expect(await copy.getByRole('radio', { name: 'Option B is correct' }).isChecked()).toBe(true);
  await copy.getByRole('textbox', { name: 'Text of option A' }).fill('Another');
  await copy.getByRole('button', { name: 'Remove question 12' }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Long paper', exact: true }).waitFor();
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await head(page, '12').waitFor();
  expect((await order(page)).slice(0, 4)).toEqual(['1', '3', '12', '2']);
  const optionOf = async (label: string) => {
    await head(page, label).click();
    return question(page, label).getByRole('textbox', { name: 'Text of option A' }).inputValue();
  };
  expect([await optionOf('3'), await optionOf('12')]).toEqual(['One', 'Another']);
  await context.close();
});

test('each problem in the summary leads to its field, also in a closed question', async () => {
  const exam = await draftExam(12);
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await head(page, '12').click();
  await question(page, '12').getByRole('textbox', { name: 'Marks', exact: true }).fill('');
  await head(page, '12').click();
  await head(page, '1').click();
  await question(page, '1').getByRole('textbox', { name: 'Label of option 2' }).fill('');
  await head(page, '1').click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await question(page, '12').getByText('To correct').waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole('link', { name: /^Question 12, Marks/ }).click();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('questions[11].max_marks');
  await page.getByRole('link', { name: 'Question 1, Label of option 2' }).press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('questions[0].options[1].label');
  // The address does not change, so Back leaves the form.
  expect(new URL(page.url()).hash).toBe('');

  // A problem goes when its field is corrected, from the field and from the list, and the focus stays in the field.
  const label = page.getByRole('textbox', { name: 'Label of option 2' });
  await label.pressSequentially('Second');
  await page.getByRole('link', { name: 'Question 1, Label of option 2' }).waitFor({ state: 'detached' });
  expect(await label.getAttribute('aria-invalid')).not.toBe('true');
  expect(await label.inputValue()).toBe('Second');
  const marks = question(page, '12').getByRole('textbox', { name: 'Marks', exact: true });
  await question(page, '12').getByText('This field is required.').waitFor();
  await marks.fill('1.3');
  await page.getByText('Please correct these fields').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await question(page, '12').getByText('Marks go in steps of 0.5.').waitFor();
  await marks.fill('2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Long paper', exact: true }).waitFor();
  await context.close();
});
