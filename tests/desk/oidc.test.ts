import { findInstallation } from '@evaluation/installation';
import { startOpenIdProvider } from '@evaluation/test-services';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../harness/service.ts';

/* Sign-in with a provider over HTTP: desk → provider → desk, as a browser goes (docs/desk/people.md). */

const provider = await startOpenIdProvider();
const service = await startService({ ...provider.environment, OIDC_NAME: 'School ID' });
afterAll(async () => {
  await service.close();
  await provider.close();
});
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
  expect(await ways.json()).toEqual({ oidc: { name: 'School ID' } });
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
  expect(finished).toMatchObject({ status: 303, location: '/exams' });
  expect(pairOf(finished.cookies, 'desk-oidc')).toBe('desk-oidc=');
  const session = await fetch(`${desk}/session`, {
    headers: { 'x-evaluation-desk': '1', cookie: pairOf(finished.cookies, 'desk') },
  });
  expect(await session.json()).toMatchObject({ staff: { email, role: 'admin' } });

  // The same callback again, as from the history of a browser.
  expect(await open(callback, transaction)).toMatchObject({ status: 303, location: REFUSED });
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
