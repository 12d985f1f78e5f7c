import { closedAfterTests } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { freePort } from '../harness/processes.ts';
import { startAnotherDesk } from './harness/anotherDesk.ts';
import { deskSuite, expectNoAxeViolations } from './harness/deskSuite.ts';

/* Passkeys as a way in and a second factor, with the authenticator of a browser (docs/desk/people.md#passkeys). */

const desk = await deskSuite();
// A browser binds passkeys to a name, and 127.0.0.1 is none.
const port = await freePort();
const url = `http://localhost:${port}`;
closedAfterTests(await startAnotherDesk(desk, { DESK_PORT: String(port), DESK_URL: url }));

test('a passkey is added and signs in; the password alone then opens nothing, until the passkey is removed', async () => {
  const { context, page, problems } = await desk.newBrowser();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const typePassword = async () => {
    await page.getByLabel('E-mail').fill(desk.admin.email);
    await page.getByLabel('Password', { exact: true }).fill(desk.admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const isIn = () => page.getByRole('navigation', { name: 'Main' }).waitFor();
  const signOut = async () => {
    await page.getByRole('button', { name: 'First Admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  };
  await page.goto(`${url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await expectNoAxeViolations(page);
  await typePassword();
  await isIn();
  await page.goto(`${url}/account`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey was added.').waitFor();
  await page.getByRole('table', { name: 'Passkeys' }).waitFor();
  await expectNoAxeViolations(page);

  await signOut();
  const answered = page.waitForRequest((request) => request.url() === `${url}/session/passkey`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await isIn();
  const repeated = await page.request.post(`${url}/session/passkey`, {
    headers: { 'x-evaluation-desk': '1' },
    data: (await answered).postDataJSON(),
  });
  expect(await repeated.json()).toEqual({ refused: 'wrong_credentials' });
  await signOut();
  // The password is right, and the browser answers with the passkey at once.
  await typePassword();
  await isIn();
  await signOut();

  const stranger = await desk.newBrowser();
  const refused = await stranger.page.request.post(`${url}/session`, {
    headers: { 'x-evaluation-desk': '1' },
    data: desk.admin,
  });
  expect(await refused.json()).toEqual({ refused: 'passkey_needed' });
  await stranger.context.close();

  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await isIn();
  await page.goto(`${url}/account`);
  await page.getByRole('button', { name: /^Remove the passkey/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('table', { name: 'Passkeys' }).waitFor({ state: 'detached' });
  await signOut();
  await typePassword();
  await isIn();
  expect(problems).toEqual([]);
  await context.close();
});
