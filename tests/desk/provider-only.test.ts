import { randomUUID } from 'node:crypto';
import { closedAfterTests, startOpenIdProvider } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { deskSuite, expectNoAxeViolations } from './harness/deskSuite.ts';

/* An installation whose staff signs in with the provider alone (docs/desk/people.md#sign-in-with-a-provider). */

const provider = closedAfterTests(await startOpenIdProvider());
const desk = await deskSuite({ ...provider.environment, OIDC_NAME: 'School ID', OIDC_ONLY: 'true' });

test('the pages offer the provider and ask for no password', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await page.goto(`${desk.url}/sign-in`);
  await page.getByRole('link', { name: 'Sign in with School ID' }).waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await expectNoAxeViolations(page);

  const { control } = desk.service.control.as({});
  const invited = await control.staff.invite.mutate({
    institute_id: desk.instituteId,
    email: `${randomUUID()}@example.org`,
    name: 'Asha Rao',
    role: 'examiner',
  });
  await page.goto(`${desk.url}${invited.link?.path}`);
  await page.getByText('Sign in with School ID to begin.').waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await expectNoAxeViolations(page);

  // As an open tab of before the setting sends it.
  const answer = await page.request.post(`${desk.url}/session`, {
    headers: { 'x-evaluation-desk': '1' },
    data: desk.admin,
  });
  expect(answer.status()).toBe(409);
  expect(problems).toEqual([]);
  await context.close();
});

test('at the first sign-in a person sees whose account it is, and goes on', async () => {
  const { context, page, problems } = await desk.newBrowser();
  const { email } = desk.admin;
  const begin = await page.request.get(`${desk.url}/oidc/start`, { maxRedirects: 0 });
  const callback = await provider.visit(begin.headers()['location'] ?? '', {
    sub: 'subject',
    email,
    email_verified: true,
  });
  await page.goto(callback);
  await page.getByText(`Your provider has confirmed ${email}.`).waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Go on at First Institute' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.goto(`${desk.url}/join`);
  await page.getByText('The sign-in took too long.').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
