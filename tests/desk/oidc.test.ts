import { findInstallation } from '@evaluation/platform/installation';
import { closedAfterTests, startOpenIdProvider } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { startService } from '../harness/service.ts';

/* Sign-in with a provider over HTTP: desk → provider → desk, as a browser goes (docs/desk/people.md). */

const provider = closedAfterTests(await startOpenIdProvider());
const service = closedAfterTests(await startService({ ...provider.environment, OIDC_NAME: 'School ID' }));
const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
if (installation?.desk?.url == null) throw new Error('the service has no desk');
const { url: desk, email } = installation.desk;
const PERSON = { sub: 'subject-1', email, email_verified: true };
const REFUSED = '/sign-in?refused=1';

/** Opens an address as a browser without JavaScript. */
const open = async (url: string, cookie = '') => {
  const { status, headers } = await fetch(new URL(url, desk), { redirect: 'manual', headers: { cookie } });
  return { status, location: headers.get('location') ?? '', cookies: headers.getSetCookie() };
};
const pairOf = (cookies: string[], name: string): string =>
  cookies.find((each) => each.startsWith(`${name}=`))?.split(';')[0] ?? '';

test('the sign-in page gets the name of the provider', async () => {
  const ways = await fetch(`${desk}/session/ways`, { headers: { 'x-evaluation-desk': '1' } });
  expect(await ways.json()).toEqual({ password: true, oidc: { name: 'School ID' } });
});

test('a person signs in with the provider, and gets the cookie of a session', async () => {
  const started = await open('/oidc/start');
  expect(started.status).toBe(303);
  const authorization = new URL(started.location);
  expect(authorization.origin).toBe(provider.environment['OIDC_ISSUER']);
  expect(Object.fromEntries(authorization.searchParams)).toMatchObject({
    redirect_uri: `${desk}/oidc/callback`,
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid email',
  });
  expect(started.cookies).toHaveLength(1);
  expect(started.cookies[0]).toMatch(
    /^desk-oidc=[\w-]+; Max-Age=600; Path=\/oidc; .*HttpOnly; SameSite=Lax$/,
  );

  const transaction = pairOf(started.cookies, 'desk-oidc');
  const callback = await provider.visit(started.location, PERSON);
  const finished = await open(callback, transaction);
  expect(finished).toMatchObject({ status: 303, location: '/join' });
  expect(pairOf(finished.cookies, 'desk-oidc')).toBe('desk-oidc=');
  expect(pairOf(finished.cookies, 'desk')).toBe('');
  const join = { 'x-evaluation-desk': '1', cookie: pairOf(finished.cookies, 'desk-join') };
  const shown = await fetch(`${desk}/session/join`, { headers: join });
  const { join: offered } = (await shown.json()) as { join: { accounts: { staff_id: string }[] } };
  expect(offered).toMatchObject({ email, accounts: [{ institute_name: 'First Institute' }] });
  const choose = (headers: Record<string, string>) =>
    fetch(`${desk}/session/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ staff_id: offered.accounts[0]?.staff_id }),
    });
  expect((await choose({ 'x-evaluation-desk': '1' })).status).toBe(401);
  expect((await choose({ cookie: join.cookie })).status).toBe(403);
  const joined = (await choose(join)).headers.getSetCookie();
  expect(pairOf(joined, 'desk')).not.toBe('');

  // From now on the callback leads to the page.
  const again = await open('/oidc/start');
  const next = await open(await provider.visit(again.location, PERSON), pairOf(again.cookies, 'desk-oidc'));
  expect(next).toMatchObject({ status: 303, location: '/exams' });
  const session = await fetch(`${desk}/session`, {
    headers: { 'x-evaluation-desk': '1', cookie: pairOf(next.cookies, 'desk') },
  });
  expect(await session.json()).toMatchObject({ staff: { email, role: 'admin' } });

  // The same callback again, as from the history of a browser.
  expect(await open(callback, transaction)).toMatchObject({ status: 303, location: REFUSED });
});

test('a sign-in that was begun for a page leads to it, and to no other site', async () => {
  const signInFor = async (from: string) => {
    const started = await open(`/oidc/start?from=${encodeURIComponent(from)}`);
    const begun = ['desk-oidc', 'desk-from'].map((name) => pairOf(started.cookies, name)).join('; ');
    const finished = await open(await provider.visit(started.location, PERSON), begun);
    expect(pairOf(finished.cookies, 'desk')).not.toBe('');
    if (begun.includes('desk-from=')) expect(pairOf(finished.cookies, 'desk-from')).toBe('desk-from=');
    return finished.location;
  };
  const page = '/exams/0191c0de-0000-7000-8000-000000000000/mark?order=question';
  expect(await signInFor(page)).toBe(page);
  const elsewhere = [
    '//example.org',
    '/\\example.org',
    'https://example.org',
    '/\t/example.org',
    '/oidc/start',
    '/OIDC/start',
    '/exams/../oidc/start',
    '/exams/%2E%2e/oidc/start',
  ];
  for (const from of elsewhere) expect(await signInFor(from)).toBe('/exams');
  // The page of an earlier sign-in that was not finished is forgotten.
  const again = await open('/oidc/start', `desk-from=${Buffer.from(page).toString('base64url')}`);
  expect(pairOf(again.cookies, 'desk-from')).toBe('desk-from=');
  // A cookie that another host has set.
  const started = await open('/oidc/start');
  const forged = `${pairOf(started.cookies, 'desk-oidc')}; desk-from=${Buffer.from('//example.org').toString('base64url')}`;
  expect((await open(await provider.visit(started.location, PERSON), forged)).location).toBe('/exams');
});

test('each refusal leads to one address of the sign-in page, and sets no session', async () => {
  const [own, other] = [await open('/oidc/start'), await open('/oidc/start')];
  const transaction = pairOf(own.cookies, 'desk-oidc');
  const callback = await provider.visit(own.location, PERSON);
  const stranger = await provider.visit(own.location, { ...PERSON, sub: 's', email: 'stranger@example.org' });
  const refused = [
    await open(callback),
    await open(callback, pairOf(other.cookies, 'desk-oidc')),
    await open(callback, 'desk-oidc=forged'),
    await open('/oidc/callback', transaction),
    await open('/oidc/callback?error=access_denied', transaction),
    await open(`/oidc/callback?code=${'c'.repeat(11_000)}`, transaction),
    await open('/oidc/callback?url=https://elsewhere.example.org', transaction),
    await open(stranger, transaction),
  ];
  for (const answer of refused) {
    expect(answer).toMatchObject({ status: 303, location: REFUSED });
    expect(pairOf(answer.cookies, 'desk')).toBe('');
  }
});

test('no form of another site can finish a sign-in', async () => {
  const answer = await fetch(`${desk}/oidc/callback?code=c`, { method: 'POST', redirect: 'manual' });
  expect(answer.status).toBe(404);
});
