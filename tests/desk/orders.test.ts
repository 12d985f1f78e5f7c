import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

/* What a teacher marks next: work that is shared out, and the list of the review (docs/desk/marking.md). */

const desk = await deskSuite();
const { api } = desk.service;
const PATIENTLY = { timeout: 20_000 };
const PASSWORD = 'a long enough password';

const newExam = () => createExam(api, typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]));

const newCopies = async (exam: Exam, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { id } = await submit(api, exam.id, {
      candidate: { external_id: randomUUID() },
      answers: [
        { question_label: '1', option_labels: ['B'] },
        { question_label: '2', text: `Because of this, I think, and of ${made} others.` },
        { question_label: '3', text: `Because of that, and ${made} more.` },
      ],
    });
    await untilOver(api, id);
    ids.push(id);
  }
  return ids;
};

const newExaminer = async (name: string) => {
  const email = `${randomUUID()}@example.org`;
  await desk.service.control.as({}).control.staff.invite.mutate({
    institute_id: desk.instituteId,
    name,
    role: 'examiner',
    email,
    password: PASSWORD,
  });
  return { email, password: PASSWORD };
};

const submissionIn = (page: Page): string => new URL(page.url()).searchParams.get('submission') ?? '';
const isAt = (page: Page, label: string) =>
  page.getByRole('heading', { level: 2, name: `Question ${label}` }).waitFor();
const wasMarked = async (submission: string, label: string) => {
  const { questions } = await resultOf(api, submission);
  return questions.find((question) => question.label === label)?.review.edited;
};

test('an admin shares out the questions, and Next gives each person the own ones only', async () => {
  const exam = await newExam();
  const [first = '', second = ''] = await newCopies(exam, 2);
  const name = `Asha ${randomUUID().slice(0, 4)}`;
  const asha = await newExaminer(name);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}`);
  await page.getByRole('link', { name: 'Share out' }).click();
  await page.getByRole('radio', { name: 'By question' }).check();
  await page.getByRole('combobox', { name: 'People' }).click();
  await page.getByRole('option', { name: 'First Admin' }).click();
  await page.getByRole('option', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: `Question 3: ${name}` }).check();
  await page.getByRole('checkbox', { name: 'Question 2: First Admin' }).check();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The work is shared out.').waitFor();
  await context.close();

  const own = await desk.newBrowser();
  await signIn(desk, own.page, asha);
  await own.page.goto(`${desk.url}/exams/${exam.id}/mark`);
  await isAt(own.page, '3');
  const list = own.page.getByRole('list', { name: 'Questions' });
  await list.getByRole('button', { name: /^2/ }).getByText('–').waitFor();
  await list.getByRole('button', { name: /^3/ }).getByText('0 of 2').waitFor();
  await expectNoAxeViolations(own.page);
  const opened = submissionIn(own.page);
  await own.page.getByRole('button', { name: 'Confirm and next' }).click();
  await expect.poll(() => submissionIn(own.page), PATIENTLY).toBe(opened === first ? second : first);
  await isAt(own.page, '3');
  await own.page.getByRole('button', { name: 'Confirm and next' }).click();
  await expect.poll(() => wasMarked(opened === first ? second : first, '3'), PATIENTLY).toBe(true);
  await list.getByRole('button', { name: /^2/ }).click();
  await isAt(own.page, '2');
  await own.page.getByRole('button', { name: 'Next', exact: true }).click();
  await own.page.getByText('There is no other answer in your share.').waitFor();
  const stays = submissionIn(own.page);
  await own.page.getByRole('switch', { name: 'All answers' }).check();
  await list.getByRole('button', { name: /^2/ }).getByText('0 of 2').waitFor();
  await own.page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect.poll(() => submissionIn(own.page), PATIENTLY).toBe(stays === first ? second : first);
  expect([...problems, ...own.problems]).toEqual([]);
  await own.context.close();
});

test('copies are split equally, the page says how many are shared out, and a second admin sees the change', async () => {
  const exam = await newExam();
  await newCopies(exam, 3);
  const name = `Ben ${randomUUID().slice(0, 4)}`;
  await newExaminer(name);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const open = async (at: Page) => {
    await at.goto(`${desk.url}/exams/${exam.id}/share`);
    await at.getByRole('radio', { name: 'So many copies each' }).check();
    await at.getByRole('combobox', { name: 'People' }).click();
    await at.getByRole('option', { name }).click();
    await at.keyboard.press('Escape');
  };
  const late = await context.newPage();
  await open(late);
  await open(page);
  await page.getByRole('button', { name: 'Split equally' }).click();
  await page.getByText('3 of 3 candidates are shared out.').waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The work is shared out.').waitFor();
  await page
    .getByRole('row', { name })
    .getByText(/^\d of 9$/)
    .waitFor();
  await late.getByRole('textbox', { name: `Copies of ${name}` }).fill('1');
  await late.getByRole('button', { name: 'Save' }).click();
  await late.getByText('shared out meanwhile').waitFor();
  await expect
    .poll(() => late.getByRole('textbox', { name: `Copies of ${name}` }).inputValue(), PATIENTLY)
    .toBe('3');
  expect(problems).toEqual([]);
  await context.close();
});

test('from the review, Next follows its list with the same filter, and a link leads back to it', async () => {
  const exam = await newExam();
  const other = await newExam();
  const [first = '', second = '', third = ''] = await newCopies(exam, 3);
  await newCopies(other, 1);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const address = `${desk.url}/review?exam=${exam.id}`;
  await page.goto(address);
  const rows = page.getByRole('link', { name: /^Open the copy of / });
  await expect.poll(() => rows.count(), PATIENTLY).toBe(3);
  // The second one of the list: Next goes down the list, and at its end to those before.
  await rows.nth(1).click();
  await isAt(page, '2');
  expect(submissionIn(page)).toBe(second);
  const next = page.getByRole('button', { name: 'Confirm and next' });
  const steps: string[] = [];
  for (const [submission, label] of [
    [second, '3'],
    [third, '2'],
    [third, '3'],
    [first, '2'],
    [first, '3'],
  ] as const) {
    await next.click();
    await expect.poll(() => submissionIn(page), PATIENTLY).toBe(submission);
    await isAt(page, label);
    steps.push(`${submission} ${label}`);
  }
  expect(new Set(steps).size).toBe(5);
  await expectNoAxeViolations(page);
  await next.click();
  await page.getByText('There is no other copy.').waitFor();
  await page.getByRole('link', { name: 'Back to the review' }).click();
  await page.waitForURL(address);
  await page.getByText('Nothing waits for review.').waitFor();
  expect(await wasMarked(third, '3')).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
});

/** A new copy on the marking screen, whose mark of question 2 was confirmed. */
const confirmed = async () => {
  const exam = await newExam();
  const [submission = ''] = await newCopies(exam, 1);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/mark?order=copy`);
  await isAt(page, '2');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  return { exam, submission, context, page, problems };
};

test('after a reload the last decision can still be undone, and an approval withdrawn', async () => {
  const { submission, context, page, problems } = await confirmed();
  await page.reload();
  await isAt(page, '2');
  await page.getByText('Marked by a teacher').waitFor();
  await page.getByText(/^Question 2, .*: 2$/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Marked by a teacher').waitFor({ state: 'detached' });
  await expect.poll(() => wasMarked(submission, '2'), PATIENTLY).toBe(false);
  expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);

  await page.getByRole('button', { name: 'Approve the copy' }).click();
  await page.getByText('Approved', { exact: true }).waitFor();
  await page.reload();
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Withdraw the approval' }).click();
  await page.getByRole('button', { name: 'Approve the copy' }).waitFor();
  const { questions } = await resultOf(api, submission);
  expect(questions.some(({ review }) => review.approved)).toBe(false);
  expect(problems).toEqual([]);
  await context.close();
});

test('an undo after a reload overwrites no mark that a colleague has set meanwhile', async () => {
  const { exam, submission, context, page, problems } = await confirmed();
  const question = exam.questions.find(({ label }) => label === '2')?.id ?? '';
  const changed = await api.patch(`/submissions/${submission}/questions/${question}`, {
    reviewer: 'R',
    awarded: 0.5,
  });
  expect(changed.status).toBe(200);
  await page.reload();
  await isAt(page, '2');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByText(/changed/)
    .first()
    .waitFor();
  const { questions } = await resultOf(api, submission);
  expect(questions.find(({ label }) => label === '2')?.awarded).toBe(0.5);
  expect(problems).toEqual([]);
  await context.close();
});

test('the mark book says which copies a changed rubric leaves behind, and grades them again for a bill', async () => {
  const exam = await newExam();
  const copies = await newCopies(exam, 2);
  const question = exam.questions.find(({ label }) => label === '2')?.id ?? '';
  const [marked = '', left = ''] = copies;
  await api.patch(`/submissions/${marked}/questions/${question}`, { reviewer: 'R', awarded: 0.5 });
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const book = page.getByRole('table', { name: 'Mark book' });
  const marks = book.getByRole('link', { name: /^Question 2 of / });
  await page.goto(`${desk.url}/exams/${exam.id}`);
  await expect.poll(() => marks.count(), PATIENTLY).toBe(2);
  expect(await page.getByText('was graded before').count()).toBe(0);
  const changed = await api.patch(`/exams/${exam.id}/rubrics`, {
    questions: { [question]: { model_answer: 'Because of another reason.' } },
  });
  expect(changed.status).toBe(200);
  await page.reload();
  await page.getByText('1 copy was graded before a rubric or model answer was changed.').waitFor();
  await page
    .getByText('1 other copy stays as it is, because a teacher has marked these questions.')
    .waitFor();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Show these copies' }).click();
  await expect.poll(() => marks.count(), PATIENTLY).toBe(1);
  expect(await marks.first().getAttribute('href')).toContain(left);
  await page.getByRole('button', { name: /^Grade again for 2 credits$/ }).click();
  const asked = page.getByRole('dialog', { name: 'Grade again' });
  await asked.getByText('This costs 2 credits;').waitFor();
  await expectNoAxeViolations(page);
  await asked.getByRole('button', { name: 'Grade again' }).click();
  await page.getByText('1 copy is graded again.').waitFor();
  await untilOver(api, left);
  await page.getByText('was graded before').waitFor({ state: 'detached' });
  expect((await resultOf(api, marked)).questions.find(({ label }) => label === '2')?.awarded).toBe(0.5);

  await page.goto(`${desk.url}/exams/${exam.id}/statistics`);
  const people = page.getByRole('table', { name: /by person and question/ });
  await people.getByRole('row', { name: 'Another system 0 1 0 1' }).waitFor();
  await expectNoAxeViolations(page);
  expect(problems).toEqual([]);
  await context.close();
});
