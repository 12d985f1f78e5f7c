import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createExam } from '../harness/api.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, signIn } from './harness/deskSuite.ts';

/* The form of an exam keeps what is typed (docs/desk/exams.md#create-an-exam). */

const desk = await deskSuite();
const KEPT = 'The form shows what you typed before the page was left.';
const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
const question = (page: Page) => page.getByRole('textbox', { name: 'Question', exact: true }).first();

test('a new exam is kept through another page, a reload and the end of the session, until it is saved or discarded', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'New exam' }).click();
  await title(page).fill('Half an hour of typing');
  await question(page).fill('Why is the sky blue?');
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { level: 1, name: 'Review' }).waitFor();
  await page.goBack();
  const expectKept = async (): Promise<void> => {
    await page.getByText(KEPT).waitFor();
    expect(await title(page).inputValue()).toBe('Half an hour of typing');
    expect(await question(page).inputValue()).toBe('Why is the sky blue?');
  };
  await expectKept();
  await expectNoAxeViolations(page);
  await page.reload();
  await expectKept();
  await context.clearCookies();
  await page.reload();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/new`);
  await expectKept();
  await page.getByRole('button', { name: 'Discard what was typed' }).click();
  expect(await title(page).inputValue()).toBe('');
  await page.reload();
  await title(page).waitFor();
  expect(await page.getByText(KEPT).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test('changes of a stored exam are kept, and those of a colleague meanwhile are taken over', async () => {
  const exam = await createExam(
    desk.service.api,
    typedExam([longAnswer('1')], { title: 'Optics', open: false }),
  );
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await question(page).fill('What is a lens?');
  await page.reload();
  await page.getByText(KEPT).waitFor();
  expect(await question(page).inputValue()).toBe('What is a lens?');
  await page.goto(`${desk.url}/exams`);
  await desk.service.api.patch(`/exams/${exam.id}`, { title: 'Optics and lenses' });
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await page.getByText(KEPT).waitFor();
  expect(await title(page).inputValue()).toBe('Optics and lenses');
  expect(await question(page).inputValue()).toBe('What is a lens?');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Optics and lenses', exact: true }).waitFor();
  await page.goto(`${desk.url}/exams/${exam.id}/edit`);
  await title(page).waitFor();
  expect(await page.getByText(KEPT).count()).toBe(0);
  expect(await question(page).inputValue()).toBe('What is a lens?');
  await context.close();
});
