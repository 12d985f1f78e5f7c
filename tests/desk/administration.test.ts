import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { staffActor } from '@evaluation/platform/signed-actor';
import { expect, test } from 'vitest';
import { apiClient, createExam, submit, untilOver } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { openStaff } from '../harness/staff.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

/* The pages of admins: staff, keys, credits and decisions (docs/desk/administration.md). */

const desk = await deskSuite();
const PASSWORD = 'correct horse battery';

test('an admin invites an examiner, who follows the link, sees no pages of admins, and is shut out at once', async () => {
  const admin = await desk.newBrowser();
  const email = `${randomUUID()}@example.org`;
  await signIn(desk, admin.page);
  await admin.page.getByRole('link', { name: 'Staff' }).click();
  await admin.page.getByRole('cell', { name: 'First Admin (you)' }).waitFor();
  await expectNoAxeViolations(admin.page);
  await expectNoSidewaysScroll(admin.page);
  await admin.page.getByRole('button', { name: 'Invite a person' }).click();
  await admin.page.getByLabel('Name').fill('Asha Rao');
  await admin.page.getByRole('dialog').getByLabel('E-mail').fill(email);
  await expectNoAxeViolations(admin.page);
  await admin.page.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = await admin.page.getByLabel('Link', { exact: true }).inputValue();
  await admin.page.getByRole('button', { name: 'Done' }).click();

  const examiner = await desk.newBrowser();
  await examiner.page.goto(link);
  await examiner.page.getByText('Your account is one of').waitFor();
  await expectNoAxeViolations(examiner.page);
  await examiner.page.getByLabel('New password', { exact: true }).fill('short');
  await examiner.page.getByRole('button', { name: 'Set the password' }).click();
  await examiner.page.getByRole('alert').waitFor();
  await examiner.page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await examiner.page.getByRole('button', { name: 'Set the password' }).click();
  await examiner.page.getByRole('navigation', { name: 'Main' }).waitFor();
  for (const name of ['Staff', 'API keys', 'Credits', 'Audit'])
    expect(await examiner.page.getByRole('link', { name }).count()).toBe(0);
  await examiner.page.goto(`${desk.url}/staff`);
  await examiner.page.getByText('Your role does not allow this').waitFor();

  await admin.page.reload();
  await admin.page.getByRole('button', { name: 'Actions for Asha Rao' }).click();
  await admin.page.getByRole('menuitem', { name: 'Disable' }).click();
  await admin.page.getByRole('button', { name: 'Disable' }).click();
  await admin.page.getByRole('cell', { name: 'Disabled' }).waitFor();
  await expect
    .poll(
      async () => {
        await examiner.page.goto(`${desk.url}/staff`);
        await examiner.page.getByRole('heading', { level: 1 }).waitFor();
        return new URL(examiner.page.url()).pathname;
      },
      { timeout: 15_000, interval: 500 },
    )
    .toBe('/sign-in');
  await signInIsRefused(examiner.page, email);
  expect([...admin.problems, ...examiner.problems]).toEqual([]);
  await admin.context.close();
  await examiner.context.close();
});

const signInIsRefused = async (
  page: Awaited<ReturnType<typeof desk.newBrowser>>['page'],
  email: string,
): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
};

test('an admin makes a key that is shown once and works, and revokes it', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Copies a day').fill('7');
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Create' }).click();
  const key = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  const api = apiClient(desk.service.baseUrl, key);
  expect(await api.get('/me')).toMatchObject({ status: 200, body: { daily_copy_cap: 7 } });
  await page.reload();
  await page.getByRole('cell', { name: `…${key.slice(-4)}`, exact: true }).waitFor();
  expect(await page.content()).not.toContain(key);
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: `Revoke the key …${key.slice(-4)}` }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('cell', { name: 'Revoked' }).waitFor();
  expect(await api.get('/me')).toMatchObject({ status: 401 });
  expect(problems).toEqual([]);
  await context.close();
});

test('when an account is disabled, the keys that this person made are named and revoked', async () => {
  const { instituteId } = desk;
  const { staff: ben } = await desk.service.control.as({}).control.staff.invite.mutate({
    institute_id: instituteId,
    email: `${randomUUID()}@example.org`,
    name: 'Ben Ogle',
    role: 'admin',
    password: PASSWORD,
  });
  const staff = await openStaff(desk.service);
  const actor = staffActor({ institute_id: instituteId, staff_id: ben.id, role: 'admin', scopes: [] });
  const { desk: calls } = staff.access.as({ actor }).public;
  const { api_key: key } = await calls.keys.create.mutate({ scopes: ['evaluation:read'] });
  await staff.close();
  const api = apiClient(desk.service.baseUrl, key);
  expect(await api.get('/me')).toMatchObject({ status: 200 });

  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page
    .getByRole('row', { name: `…${key.slice(-4)}` })
    .getByRole('cell', { name: 'Ben Ogle' })
    .waitFor();
  await page.getByRole('link', { name: 'Staff' }).click();
  await page.getByRole('button', { name: 'Actions for Ben Ogle' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`…${key.slice(-4)}`).waitFor();
  await expectNoAxeViolations(page);
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('row', { name: 'Ben Ogle' }).getByRole('cell', { name: 'Disabled' }).waitFor();
  expect(await api.get('/me')).toMatchObject({ status: 401 });
  expect(problems).toEqual([]);
  await context.close();
});

test('in a session that was left open, a new key needs the password', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await behind(desk.service.database, `update staff_sessions set proved_at = now() - interval '16 minutes'`);
  // The desk keeps what it knows of the session for some seconds.
  const provedUntil = async () => {
    const response = await page.request.get(`${desk.url}/session`, { headers: { 'x-evaluation-desk': '1' } });
    return ((await response.json()) as { staff: { proved_until: number } }).staff.proved_until;
  };
  await expect.poll(provedUntil, { timeout: 20_000, interval: 500 }).toBeLessThan(Date.now());
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  const question = page.getByRole('dialog', { name: 'Is it you?' });
  await question.getByLabel('Password', { exact: true }).fill('a wrong password');
  await question.getByRole('button', { name: 'Go on' }).click();
  await question.getByRole('alert').waitFor();
  await expectNoAxeViolations(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Nothing was changed, because the password was not given.').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await question.getByLabel('Password', { exact: true }).fill(desk.admin.password);
  await question.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('Key', { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('credits show each movement with its exam, and decisions are filtered and downloaded as CSV', async () => {
  const { api } = desk.service;
  const exam = await createExam(api, typedExam([longAnswer('1')], { title: 'Biology' }));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'candidate-1' },
    answers: [{ question_label: '1', text: 'Because of this.' }],
  });
  await untilOver(api, id);
  await api.post(`/submissions/${id}/approve`, { reviewer: '=teacher' });
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'Credits' }).click();
  await page.getByRole('cell', { name: 'Spent' }).waitFor();
  await page.getByRole('link', { name: 'Biology' }).first().waitFor();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('cell', { name: 'Copy approved' }).waitFor();
  await page.getByRole('cell', { name: 'Exam created' }).waitFor();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ]);
  const csv = await readFile(await download.path(), 'utf8');
  expect(csv).toContain('Biology');
  expect(csv).toContain("'=teacher");
  await page.getByRole('button', { name: 'History of the copy of candidate-1' }).first().click();
  await page.getByText('Shown: one copy and its exam.').waitFor();
  await page.getByRole('cell', { name: 'Key made' }).first().waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'Answers submitted' }).waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole('combobox', { name: 'Act', exact: true }).click();
  await page.getByRole('option', { name: 'Guide applied' }).click();
  await page.getByText('There are no such entries.').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('settings fill the form of a new exam, and fewer days of retention are stored after a warning', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Mark blind' }).check();
  await page.getByLabel('Target agreement of guides').fill('90');
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/Last changed on .* by First Admin/).waitFor();

  const evidence = page.getByLabel('Evidence of marks by the AI');
  const save = page.getByRole('button', { name: 'Save the days' });
  await evidence.fill('90');
  await save.click();
  const warning = page.getByRole('dialog', { name: 'Delete older data?' });
  await warning.getByText(/^Evidence that is older than 90 days is deleted/).waitFor();
  await expectNoAxeViolations(page);
  await warning.getByRole('button', { name: 'Cancel' }).click();
  const storedDays = () =>
    behind(desk.service.database, 'select evidence_days, files_days from institute_settings');
  expect(await storedDays()).toEqual([{ evidence_days: null, files_days: null }]);
  await save.click();
  await warning.getByRole('button', { name: 'Delete older data' }).click();
  await expect.poll(storedDays).toEqual([{ evidence_days: 90, files_days: null }]);
  // The days of the operator are more, so there is no warning.
  await page.reload();
  await expect.poll(() => evidence.inputValue()).toBe('90');
  await evidence.fill('');
  await save.click();
  await expect.poll(storedDays).toEqual([{ evidence_days: null, files_days: null }]);
  await page.goto(`${desk.url}/exams/new`);
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  expect(await page.getByRole('checkbox', { name: 'Mark blind' }).isChecked()).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
});

test('an admin lets examiners see assigned exams only, and assigns one on the page of the exam', async () => {
  const { control } = desk.service.control.as({});
  const email = `${randomUUID()}@example.org`;
  await control.staff.invite.mutate({
    institute_id: desk.instituteId,
    email,
    name: 'Chitra Sen',
    role: 'examiner',
    password: PASSWORD,
  });
  const exam = await createExam(desk.service.api, typedExam([longAnswer('1')], { title: 'Assigned exam' }));
  const examiner = await desk.newBrowser();
  await signIn({ ...desk, admin: { email, password: PASSWORD } }, examiner.page);
  await examiner.page.getByRole('link', { name: 'Assigned exam' }).waitFor();

  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('checkbox', { name: 'Examiners see assigned exams only' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The settings were saved.').waitFor();
  await examiner.page.goto(`${desk.url}/exams`);
  await examiner.page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => examiner.page.getByRole('link', { name: 'Assigned exam' }).count()).toBe(0);

  await page.goto(`${desk.url}/exams/${exam.id}`);
  await page.getByRole('combobox', { name: 'Examiners' }).click();
  await page.getByRole('option', { name: 'Chitra Sen' }).click();
  await page.keyboard.press('Escape');
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The examiners were saved.').waitFor();
  await examiner.page.goto(`${desk.url}/exams`);
  await examiner.page.getByRole('link', { name: 'Assigned exam' }).waitFor();

  await page.goto(`${desk.url}/settings`);
  await page.getByRole('checkbox', { name: 'Examiners see assigned exams only' }).uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The settings were saved.').waitFor();
  expect([...problems, ...examiner.problems]).toEqual([]);
  await context.close();
  await examiner.context.close();
});
