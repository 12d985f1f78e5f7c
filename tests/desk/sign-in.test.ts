import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { metrics } from '@evaluation/platform/telemetry';
import { createExam } from '../harness/api.ts';
import { startLink } from '../harness/link.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { startAnotherDesk } from './harness/anotherDesk.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

// No call reaches this provider: tests/desk/oidc.test.ts signs in with one.
const desk = await deskSuite({
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'desk',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_NAME: 'School ID',
});
const PATIENTLY = { timeout: 20_000 };
/** Streams that one session may have open at a desk. */
const MOST_STREAMS = 20;
const OWN = { 'x-evaluation-desk': '1' };

const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(`${desk.url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** The cookie of a new session, as `name=value`. */
const newCookie = async (): Promise<string> => {
  const response = await send('POST', '/session', OWN, desk.admin);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
};

describe('in a browser', () => {
  test('a person signs in, stays signed in after a reload, and signs out', async () => {
    const { context, page, problems } = await desk.newBrowser();
    await page.goto(`${desk.url}/exams`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);

    await signIn(desk, page);
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/exams');
    await expectNoAxeViolations(page);

    await page.getByRole('button', { name: 'Account of First Admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goto(`${desk.url}/exams`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a wrong password is refused with a text, by keyboard alone, and so are too many attempts', async () => {
    const { context, page } = await desk.newBrowser();
    await page.goto(`${desk.url}/sign-in`);
    await page.getByLabel('E-mail').waitFor();
    await page.keyboard.type(desk.admin.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('wrong');
    await expectNoAxeViolations(page);
    // An address without an account is throttled like one with an account.
    const guess = { email: 'guessed@example.org', password: 'not this one' };
    for (let attempt = 0; attempt < 10; attempt += 1) await send('POST', '/session', OWN, guess);
    await page.getByLabel('E-mail').fill(guess.email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/too many/i)
      .waitFor();
    await context.close();
  });

  test('a refused sign-in with the provider is shown, and can be begun again', async () => {
    const { context, page, problems } = await desk.newBrowser();
    await page.goto(`${desk.url}/sign-in?refused=1`);
    expect(await page.getByRole('alert').textContent()).toContain('did not work');
    const link = page.getByRole('link', { name: 'Sign in with School ID' });
    expect(await link.getAttribute('href')).toBe('/oidc/start');
    await expectNoAxeViolations(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a session that was ended elsewhere leads to the sign-in page, and back after it', async () => {
    const { context, page } = await desk.newBrowser();
    await signIn(desk, page);
    const cookie = (await context.cookies()).find(({ name }) => name === 'desk');
    await send('DELETE', '/session', { ...OWN, cookie: `${cookie?.name}=${cookie?.value}` });
    await page.goto(`${desk.url}/exams?status=open`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toBe('/exams?status=open');
    const withProvider = page.getByRole('link', { name: 'Sign in with School ID' });
    expect(await withProvider.getAttribute('href')).toBe('/oidc/start?from=%2Fexams%3Fstatus%3Dopen');
    await context.close();
  });

  test('a person changes the password on the account page, which ends the session of another browser', async () => {
    const admin = await desk.newBrowser();
    await signIn(desk, admin.page);
    // A separate account, because the other tests sign in as the first admin.
    const email = 'asha@example.org';
    await admin.page.getByRole('link', { name: 'Staff' }).click();
    await admin.page.getByRole('button', { name: 'Invite a person' }).click();
    await admin.page.getByLabel('Name').fill('Asha Rao');
    await admin.page.getByRole('dialog').getByLabel('E-mail').fill(email);
    await admin.page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await admin.page.getByLabel('Link', { exact: true }).inputValue();
    await admin.context.close();

    const { context, page, problems } = await desk.newBrowser();
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('button', { name: 'Account of Asha Rao' }).click();
    const other = await desk.newBrowser();
    await signIn(desk, other.page, { email, password: 'correct horse battery' });
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    await page.getByRole('cell', { name: 'This browser' }).waitFor();
    await page.getByRole('button', { name: 'End all others' }).waitFor();
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
    await page.getByLabel('Present password', { exact: true }).fill('not this one');
    await page.getByLabel('New password', { exact: true }).fill('another long password');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('This is not your present password.').waitFor();
    await page.getByLabel('Present password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password was changed.').waitFor();
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    await expect
      .poll(
        async () => {
          await other.page.goto(`${desk.url}/account`);
          await other.page.getByRole('heading', { level: 1 }).waitFor();
          return new URL(other.page.url()).pathname;
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe('/sign-in');
    await signIn(desk, other.page, { email, password: 'another long password' });
    expect([...problems, ...other.problems]).toEqual([]);
    await context.close();
    await other.context.close();
  });

  test('the texts are Hindi after the language was changed, also the warnings about an exam', async () => {
    const exam = await createExam(desk.service.api, typedExam([longAnswer('1', { model_answer: null })]));
    const { context, page } = await desk.newBrowser();
    await signIn(desk, page);
    await page.getByRole('button', { name: 'Account of First Admin' }).click();
    await page.getByRole('menuitem', { name: 'हिन्दी' }).click();
    await page.getByRole('navigation', { name: 'मुख्य' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('hi');
    await page.goto(`${desk.url}/exams/${exam.id}`);
    await page.getByText('प्रश्न 1 के न मूल्यांकन मानदंड हैं, न आदर्श उत्तर').waitFor();
    await context.close();
  });
});

describe('the server', () => {
  test('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const response = await send('POST', '/session', OWN, desk.admin);
    const cookies = response.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['desk', 'desk-device']);
    const text = await response.text();
    for (const cookie of cookies) {
      expect(cookie).toMatch(/HttpOnly/);
      expect(cookie).toMatch(/SameSite=Lax/);
      const token = cookie.split(/[=;]/)[1] ?? '';
      expect(token.length).toBeGreaterThan(20);
      expect(text).not.toContain(token);
    }
    const again = await send(
      'POST',
      '/session',
      { ...OWN, cookie: cookies[1]?.split(';')[0] ?? '' },
      desk.admin,
    );
    expect(again.headers.getSetCookie()).toHaveLength(1);
  });

  test('with an HTTPS address gives a cookie of this host that travels encrypted only, and takes its own origin', async () => {
    const address = 'https://desk.example.org';
    const other = await startAnotherDesk(desk, { DESK_URL: address });
    const signInFrom = (origin: string) =>
      fetch(`${other.url}/session`, {
        method: 'POST',
        headers: { ...OWN, origin, 'content-type': 'application/json' },
        body: JSON.stringify(desk.admin),
      });
    expect((await signInFrom(other.url)).status).toBe(403);
    const response = await signInFrom(address);
    expect(response.status).toBe(200);
    expect(response.headers.get('strict-transport-security')).toContain('max-age=31536000');
    const cookie = response.headers.get('set-cookie') ?? '';
    for (const part of [/^__Host-desk=/, /; Path=\//, /; HttpOnly/, /; Secure/, /; SameSite=Lax/])
      expect(cookie).toMatch(part);
    expect(cookie).not.toMatch(/Domain/i);
    await other.close();
  });

  test('refuses a disabled account 5 seconds later at most', async () => {
    const account = { email: 'leaves@example.org', password: 'a long enough password' };
    const { staff } = desk.service.control.as({}).control;
    await staff.invite.mutate({
      institute_id: desk.instituteId,
      name: 'Leaves Soon',
      role: 'examiner',
      ...account,
    });
    const signedIn = await send('POST', '/session', OWN, account);
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const call = async () =>
      (await send('POST', '/trpc/exams.list', { ...OWN, cookie }, { query: {} })).status;
    expect(await call()).toBe(200);
    await staff.disable.mutate({ email: account.email });
    const disabledAt = performance.now();
    let lastAcceptedAt = 0;
    const calledOnce = async () => {
      const calledAt = performance.now();
      const status = await call();
      if (status === 200) lastAcceptedAt = calledAt;
      return status;
    };
    await expect.poll(calledOnce, PATIENTLY).toBe(401);
    // The time of the call and not of its answer, which a busy machine delays.
    expect(lastAcceptedAt - disabledAt).toBeLessThan(5000);
    expect(await (await send('POST', '/session', OWN, account)).json()).toEqual({
      refused: 'wrong_credentials',
    });
  });

  test('allows no inline script and no other origin', async () => {
    const response = await fetch(`${desk.url}/sign-in`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const scripts = [...(await response.text()).matchAll(/<script[^>]*>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [tag, content] of scripts)
      expect([tag, content]).toEqual([expect.stringContaining('src="/'), '']);
  });

  test('refuses a session, a read and a command without the header of its page, and of another origin', async () => {
    const cookie = await newCookie();
    for (const headers of [{ cookie }, { cookie, ...OWN, origin: 'https://other.example.org' }]) {
      for (const path of ['/trpc/exams.list', '/trpc/exams.create', '/session'])
        expect([path, (await send('POST', path, headers, {})).status]).toEqual([path, 403]);
      expect((await send('DELETE', '/session', headers)).status).toBe(403);
    }
    expect((await send('POST', '/trpc/exams.list', { cookie, ...OWN }, { query: {} })).status).toBe(200);
  });

  test('refuses calls without a session, and procedures that are not for staff', async () => {
    expect((await send('POST', '/trpc/exams.list', OWN, { query: {} })).status).toBe(401);
    const cookie = await newCookie();
    const call = (path: string, body: unknown) => send('POST', `/trpc/${path}`, { ...OWN, cookie }, body);
    expect((await call('authenticate', { hash: 'a'.repeat(64) })).status).toBe(403);
    expect((await call('desk.people.session', { token: 'x' })).status).toBe(403);
    expect((await call('constructor', {})).status).toBe(404);
    expect((await call('..%2Fcontrol.createInstitute', {})).status).toBe(404);
  });

  test('refuses a command of another person than the one who is signed in now', async () => {
    const cookie = await newCookie();
    const { staff } = (await (await send('GET', '/session', { ...OWN, cookie })).json()) as {
      staff: { id: string };
    };
    const list = async (sender: string) =>
      (
        await send(
          'POST',
          '/trpc/exams.list',
          { ...OWN, cookie, 'x-evaluation-staff': sender },
          { query: {} },
        )
      ).status;
    expect(await list(staff.id)).toBe(200);
    expect(await list(randomUUID())).toBe(401);
  });

  test('repeats a command with the same key without a second effect, and gives the same answer', async () => {
    const cookie = await newCookie();
    const create = async () =>
      (
        await send(
          'POST',
          '/trpc/exams.create',
          { ...OWN, cookie, 'idempotency-key': 'one-exam' },
          { body: typedExam([mcq('1')], { external_ref: 'once' }) },
        )
      ).text();
    const first = await create();
    expect(first).toContain('"external_ref":"once"');
    expect(await create()).toBe(first);
  });
});

describe('the stream of changes', () => {
  /** @returns the events until one names `id`: changes of the tests before may be announced first */
  const eventsUntil = async (id: string, cookie: string, act: () => Promise<unknown>): Promise<string> => {
    const stopped = new AbortController();
    const response = await fetch(`${desk.url}/events`, { headers: { cookie }, signal: stopped.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    await act();
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes(id) && text.endsWith('\n\n')) break;
    }
    stopped.abort();
    return text;
  };

  test('names the exam that the API has changed, and nothing of other institutes', async () => {
    const exam = await createExam(desk.service.api, typedExam([mcq('1')]));
    const other = await desk.service.newInstitute();
    const foreign = await createExam(other.api, typedExam([mcq('1')]));
    const events = await eventsUntil(exam.id, await newCookie(), async () => {
      await other.api.delete(`/exams/${foreign.id}`);
      await desk.service.api.delete(`/exams/${exam.id}`);
    });
    expect(events).toMatch(new RegExp(`^data: {"exam_ids":\\[[^\\]]*"${exam.id}"`, 'm'));
    expect(events).not.toContain(foreign.id);
  });

  test('is closed to people who are not signed in', async () => {
    expect((await fetch(`${desk.url}/events`)).status).toBe(401);
  });

  test('is open to a session whose earlier browsers left before core had answered', async () => {
    const link = await startLink(Number(new URL(desk.coreUrl).port));
    const other = await startAnotherDesk(desk, { CORE_URL: `http://127.0.0.1:${link.port}` });
    const cookie = await newCookie();
    const inFlight = async () => {
      const { values } = await metrics.httpInFlight.get();
      return values.find(({ labels }) => labels.service === 'desk')?.value ?? 0;
    };
    const before = await inFlight();
    const left = new AbortController();
    const open = (signal: AbortSignal) => fetch(`${other.url}/events`, { headers: { cookie }, signal });
    link.delay(1000);
    const leaving = Array.from({ length: MOST_STREAMS }, () => open(left.signal).catch(() => null));
    await expect.poll(inFlight, PATIENTLY).toBe(before + MOST_STREAMS);
    left.abort();
    await Promise.all(leaving);
    link.restore();
    const last = new AbortController();
    await expect.poll(async () => (await open(last.signal)).status, PATIENTLY).toBe(200);
    last.abort();
    await other.close();
    await link.close();
  });
});
