import { startOpenIdProvider, type OpenIdProvider, type Visit } from '@evaluation/test-services';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTestCore, type TestCore } from '../../test/newTestCore.ts';
import type { Services } from '../command/services.ts';
import { disableStaff, enableStaff, inviteStaff, listStaff, type Manager } from './manageStaff.ts';
import { oidcAccounts, oidcFinish, oidcJoin, oidcStart } from './oidc.ts';
import { findSession } from './sessions.ts';

/* Sign-in with an OpenID Connect provider (docs/desk/people.md#sign-in-with-a-provider). */

const CALLBACK = 'https://desk.example.org/oidc/callback';
const REFUSED = { refused: 'sign_in_failed' };
let core: TestCore;
let provider: OpenIdProvider;
let manager: Manager;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  core = await newTestCore(provider.environment);
  manager = { institute_id: await core.newInstitute(), staff_id: null };
});
afterAll(async () => {
  await core.close();
  await provider.close();
});

let people = 0;
const newPerson = async (email = `asha${(people += 1)}@example.org`) => {
  const { staff } = await inviteStaff(core.services, manager, { email, name: 'Asha', role: 'examiner' });
  return { id: staff.id, claims: { sub: `subject-${email}`, email, email_verified: true } };
};
const start = async () => {
  const started = await oidcStart(core.services, CALLBACK);
  if (started === null) throw new Error('the provider does not answer');
  return started;
};
let networks = 0;
/** A browser in a network of its own, so that limits of other tests do not count. */
const browser = () => {
  networks += 1;
  return { user_agent: 'Firefox', address: `10.${networks >> 8}.${networks & 255}.1` };
};
/** Finishes a sign-in; at the first one, the person goes on at the first institute that is shown. */
const finishWith = async (services: Services, input: Parameters<typeof oidcFinish>[1]) => {
  const answer = await oidcFinish(services, input);
  if (!('join' in answer)) return answer;
  const shown = await oidcAccounts(services, answer.join);
  const staffId = shown?.accounts[0]?.staff_id ?? '';
  return oidcJoin(services, { join: answer.join, staff_id: staffId, user_agent: 'Firefox' });
};
const finish = (url: string, transaction: string) =>
  finishWith(core.services, { url, transaction, ...browser() });
const signInWith = async (claims: object, options?: Visit) => {
  const { url, transaction } = await start();
  return finish(await provider.visit(url, claims, options), transaction);
};
const linksOf = (staffId: string) =>
  core.services.database.control.staff_identities.count({ where: { staff_id: staffId } });

describe('the first sign-in of an invited person', () => {
  test('links the account by the verified e-mail address, and starts a session', async () => {
    const { id, claims } = await newPerson();
    const answer = await signInWith({ ...claims, email: claims.email.toUpperCase() });
    expect(answer).toMatchObject({ staff: { id, email: claims.email } });
    const token = 'token' in answer ? answer.token : '';
    expect(await findSession(core.services, token)).toMatchObject({ id });
    const { data } = await listStaff(core.services, manager.institute_id, { limit: 200 });
    expect(data.find((member) => member.id === id)).toMatchObject({ state: 'active' });
  });

  test('is one of the institute that the person chooses, and not of another that has made an account of the address', async () => {
    const { id, claims } = await newPerson();
    const squatter: Manager = { institute_id: await core.newInstitute(), staff_id: null };
    const { email } = claims;
    const taken = await inviteStaff(core.services, squatter, { email, name: 'Squatter', role: 'admin' });
    const { url, transaction } = await start();
    const visited = await provider.visit(url, claims);
    const answer = await oidcFinish(core.services, { url: visited, transaction, ...browser() });
    const join = 'join' in answer ? answer.join : '';
    const shown = await oidcAccounts(core.services, join);
    expect(shown).toMatchObject({ email, accounts: [{ staff_id: id }, { staff_id: taken.staff.id }] });
    const choose = (text: string, staffId: string) =>
      oidcJoin(core.services, { join: text, staff_id: staffId, user_agent: 'Firefox' });
    const stranger = await newPerson();
    expect(await choose(join, stranger.id)).toEqual(REFUSED);
    expect(await choose(`${join}x`, id)).toEqual(REFUSED);
    expect(await oidcAccounts(core.services, `x${join}`)).toBeNull();
    expect(await choose(join, id)).toMatchObject({ staff: { id } });
    expect(await linksOf(taken.staff.id)).toBe(0);
    expect(await signInWith(claims)).toMatchObject({ staff: { id } });
  });

  test('makes one link when two browsers finish at once', async () => {
    const { id, claims } = await newPerson();
    const both = await Promise.all([start(), start()]);
    const urls = [await provider.visit(both[0].url, claims), await provider.visit(both[1].url, claims)];
    const answers = await Promise.all(
      both.map(({ transaction }, index) => finish(urls[index] ?? '', transaction)),
    );
    expect(answers).toMatchObject([{ staff: { id } }, { staff: { id } }]);
    expect(await linksOf(id)).toBe(1);
  });

  test('finds an e-mail address that only the user info endpoint returns', async () => {
    const { id, claims } = await newPerson();
    const { sub } = claims;
    expect(await signInWith({ sub }, { userInfo: claims })).toMatchObject({ staff: { id } });
    const other = await newPerson();
    expect(await signInWith({ sub: 'mine' }, { userInfo: other.claims })).toEqual(REFUSED);
  });
});

test('a linked account is found by the subject, whatever e-mail address the provider reports', async () => {
  const [first, second] = [await newPerson(), await newPerson()];
  await signInWith(first.claims);
  const moved = { ...second.claims, sub: first.claims.sub };
  expect(await signInWith(moved)).toMatchObject({ staff: { id: first.id } });
  expect(await signInWith({ sub: first.claims.sub })).toMatchObject({ staff: { id: first.id } });
  expect(await linksOf(second.id)).toBe(0);
});

describe('oidcFinish refuses with the same answer', () => {
  test('an e-mail address that the provider has not verified, and one without an account', async () => {
    const { id, claims } = await newPerson();
    expect(await signInWith({ ...claims, email_verified: false })).toEqual(REFUSED);
    expect(await signInWith({ ...claims, email_verified: undefined })).toEqual(REFUSED);
    // Only Microsoft Entra's `xms_edov` counts.
    expect(await signInWith({ ...claims, email_verified: undefined, xms_edov: true })).toEqual(REFUSED);
    expect(await signInWith({ ...claims, email: 'unknown@example.org' })).toEqual(REFUSED);
    expect(await signInWith({ sub: claims.sub })).toEqual(REFUSED);
    expect(await linksOf(id)).toBe(0);
  });

  test('an address that only looks like a stored one: the Kelvin sign is no k', async () => {
    const { id } = await newPerson('kate@example.org');
    const claims = { sub: 'subject-of-kelvin', email: '\u212aate@example.org', email_verified: true };
    expect(await signInWith(claims)).toEqual(REFUSED);
    expect(await linksOf(id)).toBe(0);
    expect(await signInWith({ ...claims, email: 'Kate@Example.org' })).toHaveProperty('staff');
  });

  test('a disabled account, before and after it was linked', async () => {
    const { id, claims } = await newPerson();
    await disableStaff(core.services, manager, id);
    expect(await signInWith(claims)).toEqual(REFUSED);
    expect(await linksOf(id)).toBe(0);
    await enableStaff(core.services, manager, id);
    expect(await signInWith(claims)).toMatchObject({ staff: { id } });
    await disableStaff(core.services, manager, id);
    expect(await signInWith(claims)).toEqual(REFUSED);
  });

  test('an identity token of another nonce, audience, issuer or key, and an expired one', async () => {
    const { id, claims } = await newPerson();
    const now = Math.floor(Date.now() / 1000);
    const wrong = [
      { nonce: 'of another sign-in' },
      { nonce: undefined },
      { aud: 'another client' },
      { iss: 'https://provider.example.org' },
      { iat: now - 7200, exp: now - 3600 },
    ];
    for (const claim of wrong) expect(await signInWith({ ...claims, ...claim })).toEqual(REFUSED);
    expect(await signInWith(claims, { isForged: true })).toEqual(REFUSED);
    expect(await linksOf(id)).toBe(0);
  });

  test('a state that is missing, changed, or of another browser', async () => {
    const { claims } = await newPerson();
    const [own, other] = [await start(), await start()];
    const url = await provider.visit(own.url, claims);
    expect(await finish(url, other.transaction)).toEqual(REFUSED);
    for (const state of ['', 'guessed']) {
      const changed = new URL(url);
      changed.searchParams.set('state', state);
      expect(await finish(changed.href, own.transaction)).toEqual(REFUSED);
    }
    // No refusal has used the code.
    expect(await finish(url, own.transaction)).toHaveProperty('token');
  });

  test('a callback that is sent again', async () => {
    const { claims } = await newPerson();
    const { url, transaction } = await start();
    const callback = await provider.visit(url, claims);
    expect(await finish(callback, transaction)).toHaveProperty('token');
    expect(await finish(callback, transaction)).toEqual(REFUSED);
  });

  test('a refusal of the provider, and texts that are no address or no transaction', async () => {
    const { url, transaction } = await start();
    const state = new URL(url).searchParams.get('state') ?? '';
    expect(await finish(`${CALLBACK}?error=access_denied&state=${state}`, transaction)).toEqual(REFUSED);
    expect(await finish('no address', transaction)).toEqual(REFUSED);
    for (const text of ['', 'e30', '%', 'a'.repeat(2000)]) {
      expect(await finish(`${CALLBACK}?code=c&state=${state}`, text)).toEqual(REFUSED);
    }
  });
});

test('callbacks of one network are refused after a hundred failures, and a success is no failure', async () => {
  const { claims } = await newPerson();
  const finishFrom = async (address: string) => {
    const { url, transaction } = await start();
    const callback = await provider.visit(url, claims);
    return finishWith(core.services, { url: callback, transaction, user_agent: 'Firefox', address });
  };
  const { transaction } = await start();
  const fail = (address: string) =>
    oidcFinish(core.services, { url: `${CALLBACK}?code=c`, transaction, user_agent: '', address });
  expect(await fail('2001:db8::1')).toEqual(REFUSED);
  expect(await finishFrom('2001:db8::1')).toHaveProperty('token');
  await core.client.query(`update sign_in_attempts set attempts = 99 where attempts = 1`);
  expect(await fail('2001:db8::2')).toEqual(REFUSED);
  expect(await finishFrom('2001:db8::1')).toEqual(REFUSED);
  expect(await finishFrom('2001:db8:1::1')).toHaveProperty('token');
});

test('a code is of use only with the verifier of the browser that began', async () => {
  const { claims } = await newPerson();
  const [own, other] = [await start(), await start()];
  const stolen = new URL(await provider.visit(own.url, claims));
  stolen.searchParams.set('state', new URL(other.url).searchParams.get('state') ?? '');
  expect(await finish(stolen.href, other.transaction)).toEqual(REFUSED);
});

test('after a provider did not answer, the next sign-in asks it again', async () => {
  const gone = await startOpenIdProvider();
  const {
    OIDC_ISSUER: issuer = '',
    OIDC_CLIENT_ID: clientId = '',
    OIDC_CLIENT_SECRET: secret = '',
  } = gone.environment;
  await gone.close();
  const oidc = { issuer, clientId, clientSecret: secret, tenants: [], name: 'Gone', isOnlyWay: false };
  const services = { ...core.services, settings: { ...core.services.settings, oidc } };
  expect(await oidcStart(services, CALLBACK)).toBeNull();
  const { transaction } = await start();
  expect(await oidcFinish(services, { url: `${CALLBACK}?code=c`, transaction, ...browser() })).toEqual(
    REFUSED,
  );
  expect(await oidcStart(services, CALLBACK)).toBeNull();
});

describe('a provider whose issuer is shared by many tenants', () => {
  const OWN_TENANT = '0b7c1de2-8f0c-4b0a-9a53-0c8f2c1f8a01';
  const OTHER_TENANT = '5d2f9a44-1f7e-4c43-8f0e-6a3d3c9b7e02';
  let shared: OpenIdProvider;
  beforeAll(async () => {
    shared = await startOpenIdProvider({ hasTenants: true });
  });
  afterAll(() => shared.close());

  const servicesFor = (tenants: readonly string[]) => {
    const {
      OIDC_ISSUER: issuer = '',
      OIDC_CLIENT_ID: clientId = '',
      OIDC_CLIENT_SECRET = '',
    } = shared.environment;
    const oidc = {
      issuer,
      clientId,
      clientSecret: OIDC_CLIENT_SECRET,
      tenants: [...tenants],
      name: 'Shared',
      isOnlyWay: false,
    };
    return { ...core.services, settings: { ...core.services.settings, oidc } };
  };
  const signInAs = async (claims: object, tenants: readonly string[] = [OWN_TENANT]) => {
    const services = servicesFor(tenants);
    const started = await oidcStart(services, CALLBACK);
    if (started === null) return null;
    const url = await shared.visit(started.url, claims);
    return finishWith(services, { url, transaction: started.transaction, ...browser() });
  };

  test('signs in people of the tenants that are allowed, and links them under the issuer of their tenant', async () => {
    const { id, claims } = await newPerson();
    expect(await signInAs({ ...claims, tid: OWN_TENANT })).toMatchObject({ staff: { id } });
    const [link] = await core.services.database.control.staff_identities.findMany({
      where: { staff_id: id },
    });
    expect(link?.issuer).toBe(`https://login.microsoftonline.com/${OWN_TENANT}/v2.0`);
    // The same subject of another tenant is another person.
    const other = { sub: claims.sub, tid: OTHER_TENANT };
    expect(await signInAs(other, [OWN_TENANT, OTHER_TENANT])).toEqual(REFUSED);
  });

  test('refuses other tenants, a token without a tenant, and a token with the issuer of another tenant', async () => {
    const { id, claims } = await newPerson();
    const otherIssuer = `https://login.microsoftonline.com/${OTHER_TENANT}/v2.0`;
    const wrong = [
      { tid: OTHER_TENANT },
      { tid: undefined },
      { tid: OWN_TENANT, iss: otherIssuer },
      { tid: OTHER_TENANT, iss: `https://login.microsoftonline.com/${OWN_TENANT}/v2.0` },
      { tid: '{tenantid}' },
      { tid: '$&' },
    ];
    for (const claim of wrong) expect(await signInAs({ ...claims, ...claim })).toEqual(REFUSED);
    expect(await linksOf(id)).toBe(0);
  });

  test('is not used without a list of tenants', async () => {
    const { claims } = await newPerson();
    expect(await signInAs({ ...claims, tid: OWN_TENANT }, [])).toBeNull();
  });

  test('reports a verified e-mail address as a verified owner of its domain', async () => {
    const { id, claims } = await newPerson();
    const { email_verified: _, ...reported } = claims;
    const person = { ...reported, tid: OWN_TENANT };
    for (const xms_edov of [undefined, false, '0'])
      expect(await signInAs({ ...person, xms_edov })).toEqual(REFUSED);
    expect(await signInAs({ ...person, xms_edov: true, email_verified: false })).toEqual(REFUSED);
    expect(await signInAs({ ...person, xms_edov: true })).toMatchObject({ staff: { id } });
  });
});
