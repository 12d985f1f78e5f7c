import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { startLink } from '../harness/link.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';
import { startAnotherDesk } from './harness/anotherDesk.ts';

/* The marking screen in a browser (docs/desk/marking.md). */

const desk = await deskSuite();
const { api } = desk.service;
const PATIENTLY = { timeout: 20_000 };
const COLLEAGUE = { email: 'colleague@example.org', password: 'a long enough password' };

let exam: Exam;
beforeAll(async () => {
  exam = await createExam(api, typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]));
  await desk.service.control.as({}).control.staff.invite.mutate({
    institute_id: desk.instituteId,
    name: 'Second Examiner',
    role: 'examiner',
    ...COLLEAGUE,
  });
});

const newCopy = async (name?: string): Promise<string> => {
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: randomUUID(), ...(name === undefined ? {} : { name }) },
    answers: [
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', text: 'Because of this, I think.' },
      { question_label: '3', text: 'Because of that.' },
    ],
  });
  await untilOver(api, id);
  return id;
};
const markOf = async (submission: string, label: string) => {
  const { questions } = await resultOf(api, submission);
  const found = questions.find((question) => question.label === label);
  if (found === undefined) throw new Error(`no question ${label}`);
  return found;
};
const questionId = (label: string): string =>
  exam.questions.find((question) => question.label === label)?.id ?? '';
const addressOf = (submission: string, label: string): string =>
  `${desk.url}/exams/${exam.id}/mark?order=copy&submission=${submission}&question=${questionId(label)}`;
const open = async (page: Page, submission: string, label: string): Promise<void> => {
  await page.goto(addressOf(submission, label));
  await page.getByRole('heading', { level: 2, name: `Question ${label}` }).waitFor();
};
const marks = (page: Page) => page.getByRole('spinbutton', { name: 'Marks' });
const confirm = (page: Page) => page.getByRole('button', { name: 'Confirm', exact: true }).click();
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
const overridesOf = (submission: string) =>
  behind<{ action: string }>(
    desk.service.database,
    `select action from audit_entries where submission_id = $1
     and action::text !~ '^(submission_|re_evaluate)' order by id`,
    [submission],
  );

test('a copy is marked by keyboard alone, and each mark is stored', async () => {
  const submission = await newCopy();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.getByRole('region', { name: 'Page' }).getByText('Because of this, I think.').waitFor();
  await page.getByRole('table', { name: 'Criteria' }).waitFor();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);

  const before = Number(await marks(page).inputValue());
  await page.locator('body').press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const given = Math.max(before - 1, 0) + 0.5;
  expect(Number(await marks(page).inputValue())).toBe(given);
  await page.keyboard.press('c');
  await page.getByText('Marked by a teacher').waitFor();
  expect(await markOf(submission, '2')).toMatchObject({ awarded: given, source: 'ai_reviewed' });
  // While a field has the focus, keys type letters and do nothing else.
  await page.keyboard.press('m');
  await page.keyboard.type('nice cut');
  expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('nice cut');
  await page.keyboard.press('Tab');
  await page.keyboard.press('u');
  await page.getByText('Marked by a teacher').waitFor({ state: 'detached' });
  expect(await markOf(submission, '2')).toMatchObject({ awarded: before, source: 'ai' });
  await page.locator('body').press('n');
  await page.getByRole('heading', { level: 2, name: 'Question 3' }).waitFor();
  await page.keyboard.press('Enter');
  await saved(page);
  await expect.poll(async () => (await markOf(submission, '3')).source, PATIENTLY).toBe('ai_reviewed');
  expect(problems).toEqual([]);
  await page.locator('body').press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await expectNoAxeViolations(page);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Back to the exam' }).press('Enter');
  await page.waitForURL(`${desk.url}/exams/${exam.id}`);
  expect(problems).toEqual([]);
  await context.close();
});

test('a digit begins a mark, and Enter confirms and goes on from wherever the focus is', async () => {
  // The second copy is the one to go on to.
  const [submission] = [await newCopy(), await newCopy()];
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  const isAt = (label: string) =>
    page.getByRole('heading', { level: 2, name: `Question ${label}` }).waitFor();
  const awardedOf = async (label: string) => (await markOf(submission, label)).awarded;
  await page.keyboard.press('1');
  await page.keyboard.type('.5');
  expect(await marks(page).inputValue()).toBe('1.5');
  // The field takes no letters, so the keys of actions work in it.
  await page.keyboard.press('j');
  expect(await marks(page).inputValue()).toBe('1');
  await page.keyboard.press('Enter');
  await isAt('3');
  await expect.poll(() => awardedOf('2'), PATIENTLY).toBe(1);
  await page.keyboard.press('p');
  await isAt('2');
  // The choice of the order keeps the focus, and Enter means the mark.
  await page.getByText('By question', { exact: true }).click();
  await page.waitForURL(/order=question/);
  await page.keyboard.press('0');
  await page.keyboard.press('m');
  await page.keyboard.type('Not enough.');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  await page.keyboard.press('m');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => awardedOf('2'), PATIENTLY).toBe(0);
  expect((await markOf(submission, '2')).review).toMatchObject({ reason: 'Not enough.' });

  await open(page, submission, '2');
  await page.getByText('By question', { exact: true }).click();
  await page.waitForURL(/order=question/);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.search.includes(submission));
  await saved(page);
  await open(page, submission, '2');
  await page.getByRole('button', { name: 'Confirm and next' }).click();
  await isAt('3');
  expect(problems).toEqual([]);
  await context.close();
});

describe('a network that fails', () => {
  test('in mid-save loses no mark: it is sent after the page was loaded again, and stored once', async () => {
    const submission = await newCopy();
    const { context, page } = await desk.newBrowser();
    await signIn(desk, page);
    await open(page, submission, '2');
    // The call takes effect, and its answer is lost.
    await page.route('**/trpc/submissions.override', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await marks(page).fill('0.5');
    await confirm(page);
    await page.getByText('No connection: 1 mark is kept in this browser').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await saved(page);
    expect(await markOf(submission, '2')).toMatchObject({ awarded: 0.5, source: 'ai_reviewed' });
    expect(await overridesOf(submission)).toEqual([{ action: 'override' }]);
    await context.close();
  });

  test('lets the examiner go on: all marks are stored in order when it is back, never for another person, and typing stays', async () => {
    const submission = await newCopy();
    const { context, page } = await desk.newBrowser();
    await signIn(desk, page);
    await open(page, submission, '2');
    await context.setOffline(true);
    for (const mark of ['1', '0', '1.5']) {
      await marks(page).fill(mark);
      await confirm(page);
    }
    await page.getByText('No connection: 3 marks are kept in this browser').waitFor();
    // Meanwhile a colleague signs in on this computer, in another tab.
    const signInWith = (account: typeof COLLEAGUE) =>
      page.request.post(`${desk.url}/session`, { headers: { 'x-evaluation-desk': '1' }, data: account });
    await signInWith(COLLEAGUE);
    await context.setOffline(false);
    await page.getByText('Sign in again to save the marks.').waitFor();
    expect(await overridesOf(submission)).toEqual([]);
    await signInWith(desk.admin);
    await saved(page);
    expect(await markOf(submission, '2')).toMatchObject({ awarded: 1.5 });
    // The next mark is typed before the browser has stored the confirmed one.
    await page.evaluate(`(async () => {
      const field = document.querySelector('input[type="number"]');
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      const write = async (text) => {
        set.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        await null;
      };
      await write('1');
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Confirm').click();
      await write('0.5');
    })()`);
    await expect.poll(async () => (await markOf(submission, '2')).awarded, PATIENTLY).toBe(1);
    await saved(page);
    expect(await marks(page).inputValue()).toBe('0.5');
    await context.close();
  });
});

test('an outage of core in mid-marking loses no mark, and no mark is stored twice', async () => {
  const submission = await newCopy();
  const link = await startLink(Number(new URL(desk.coreUrl).port));
  const other = await startAnotherDesk(desk, { CORE_URL: `http://127.0.0.1:${link.port}` });
  const { context, page } = await desk.newBrowser();
  await signIn({ ...desk, url: other.url }, page);
  await page.goto(addressOf(submission, '2').replace(desk.url, other.url));
  await page.getByRole('heading', { level: 2, name: 'Question 2' }).waitFor();

  link.drop();
  await marks(page).fill('0.5');
  await confirm(page);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByRole('heading', { level: 2, name: 'Question 3' }).waitFor();
  await marks(page).fill('1.5');
  await confirm(page);
  await page.getByText('No connection: 2 marks are kept in this browser').waitFor();
  link.restore();
  await saved(page);
  expect(await markOf(submission, '2')).toMatchObject({ awarded: 0.5, source: 'ai_reviewed' });
  expect(await markOf(submission, '3')).toMatchObject({ awarded: 1.5, source: 'ai_reviewed' });
  expect(await overridesOf(submission)).toEqual([{ action: 'override' }, { action: 'override' }]);
  await context.close();
  await other.close();
  await link.close();
});

test('a question is flagged, names are hidden by choice, and a copy is approved as it is shown', async () => {
  const submission = await newCopy('Asha Rao');
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.getByText('Asha Rao').waitFor();
  await page.getByRole('switch', { name: 'Hide names' }).check({ force: true });
  await page.getByText('Asha Rao').waitFor({ state: 'detached' });
  await page.locator('body').press('f');
  const flag = page.getByRole('dialog', { name: 'Flag' });
  await flag.getByLabel('Note for a colleague').fill('Is this an answer?');
  await expectNoAxeViolations(page);
  await flag.getByRole('button', { name: 'Set the flag' }).click();
  await page.getByText('Flagged by First Admin. Is this an answer?').waitFor();
  await page.goto(`${desk.url}/review`);
  await page.getByRole('checkbox', { name: 'Flagged', exact: true }).check();
  await page.waitForURL(/flagged=true/);
  await expectNoAxeViolations(page);
  await page.getByRole('row', { name: /Question 2: Flagged by a colleague|2: Flagged/ }).waitFor();
  await open(page, submission, '2');
  await page.getByText('Flagged by First Admin.').waitFor();
  expect(await page.getByText('Asha Rao').count()).toBe(0);
  await page.getByRole('button', { name: 'Approve the copy' }).click();
  await page.getByText('Approved', { exact: true }).waitFor();
  expect((await markOf(submission, '2')).review).toMatchObject({ approved: true });
  expect(problems).toEqual([]);
  await context.close();
});

test('a key has another action after it was rebound, also on the page in Hindi', async () => {
  const submission = await newCopy();
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission, '2');
  await page.getByRole('button', { name: 'Keys' }).click();
  const keys = page.getByRole('dialog', { name: 'Keys' });
  // The key belongs to another action, which gets the key that becomes free.
  await keys.getByRole('button', { name: 'Change the key of: Next' }).click();
  await page.keyboard.press('j');
  await keys.getByRole('row', { name: /^Next J/i }).waitFor();
  await keys.getByRole('row', { name: /^Half a mark less N/i }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account of First Admin' }).click();
  await page.getByRole('menuitem', { name: 'हिन्दी' }).click();
  await page.getByRole('heading', { level: 2, name: 'प्रश्न 2' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 2, name: 'प्रश्न 2' }).waitFor();
  await page.locator('body').press('j');
  await page.getByRole('heading', { level: 2, name: 'प्रश्न 3' }).waitFor();
  await context.close();
});

test('answers that say the same are marked at once, with a mark that the question allows, and one Undo takes it back', async () => {
  const essay = await createExam(api, typedExam([longAnswer('1')], { blind: true }));
  const [question] = essay.questions;
  const answers = [...Array.from({ length: 30 }, () => 'It was so.'), 'The same.', 'The same.', 'Other.'];
  const submissions = await Promise.all(
    answers.map((text, index) =>
      submit(api, essay.id, {
        candidate: { external_id: `C${index}`, name: 'Biju Nair' },
        answers: [{ question_label: '1', text }],
      }),
    ),
  );
  for (const { id } of submissions) await untilOver(api, id);
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  const marked = await page.request.post(`${desk.url}/trpc/marking.markGroup`, {
    headers: { 'x-evaluation-desk': '1' },
    data: {
      exam_id: essay.id,
      question_id: question?.id,
      sameness: 'text',
      submission_ids: submissions.slice(0, 30).map(({ id }) => id),
      body: { reviewer: 'R', awarded: 1 },
    },
  });
  expect(marked.status()).toBe(200);
  const other = submissions.at(-1)?.id ?? '';
  await page.goto(
    `${desk.url}/exams/${essay.id}/mark?order=question&submission=${other}&question=${question?.id}`,
  );
  await page.getByText('Names are hidden in this exam').waitFor();
  expect(await page.getByText('Biju Nair').count()).toBe(0);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  const all = page.getByRole('button', { name: 'Give this mark to all 2 same answers' });
  await all.waitFor();
  await marks(page).fill('');
  await all.click();
  await page.getByText('From 0 to 2.', { exact: true }).waitFor();
  await marks(page).fill('1.5');
  await all.click();
  await page.getByText('2 answers were marked.').waitFor();
  const group = submissions.slice(30, 32);
  const sources = () =>
    Promise.all(group.map(async ({ id }) => (await resultOf(api, id)).questions[0]?.source));
  for (const { id } of group) {
    const [result] = (await resultOf(api, id)).questions;
    expect(result).toMatchObject({ awarded: 1.5, source: 'ai_reviewed' });
  }
  expect(await page.getByText('The mark was changed').count()).toBe(0);
  await page.getByRole('status').filter({ hasText: 'Question 1, 2 answers: 1.5' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(sources, PATIENTLY).toEqual(['ai', 'ai']);
  await context.close();
});

test('two examiners on one copy see each other, and the later one decides after seeing what changed', async () => {
  const submission = await newCopy();
  const [first, second] = [await desk.newBrowser(), await desk.newBrowser()];
  await signIn(desk, first.page);
  await signIn(desk, second.page, COLLEAGUE);
  await open(first.page, submission, '2');
  await open(second.page, submission, '2');
  await second.page.getByText('Also open: First Admin').waitFor();

  await marks(second.page).fill('1.5');
  await marks(first.page).fill('0');
  await confirm(first.page);
  await saved(first.page);
  // The colleague's mark arrives in the background, and does not replace what this examiner has typed.
  await second.page.getByRole('status').filter({ hasText: 'The mark was changed to 0' }).waitFor();
  expect(await marks(second.page).inputValue()).toBe('1.5');
  await confirm(second.page);
  const alert = second.page.getByRole('alert').filter({ hasText: 'Not saved: 1.5' });
  await alert.getByText('First Admin').waitFor();
  expect(await markOf(submission, '2')).toMatchObject({ awarded: 0 });
  await expectNoAxeViolations(second.page);
  await alert.getByRole('button', { name: 'Use my mark' }).click();
  await alert.waitFor({ state: 'detached' });
  await saved(second.page);
  expect(await markOf(submission, '2')).toMatchObject({ awarded: 1.5 });
  await first.context.close();
  await second.context.close();
});

test('by question, Next leads through all candidates with the same question', async () => {
  const copies = [await newCopy(), await newCopy()];
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/mark?order=question&question=${questionId('3')}`);
  const seen = new Set<string>();
  const now = (): string => new URL(page.url()).searchParams.get('submission') ?? '';
  await expect.poll(now, PATIENTLY).not.toBe('');
  for (let steps = 0; steps < 10 && !copies.every((copy) => seen.has(copy)); steps += 1) {
    const current = now();
    seen.add(current);
    await page.getByRole('heading', { level: 2, name: 'Question 3' }).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await expect.poll(now, PATIENTLY).not.toBe(current);
  }
  expect(copies.every((copy) => seen.has(copy))).toBe(true);
  await context.close();
});
