import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { browser, codeOf, PASSWORD, testPeople, tokenOf, WRONG } from '../../test/testPeople.ts';
import { followLink } from './links.ts';
import { disableStaff, inviteStaff, resetPassword } from './manageStaff.ts';
import { changePassword, provePresence } from './ownAccount.ts';
import {
  addPasskey,
  passkeyOptions,
  passkeysOf,
  passkeySignInOptions,
  removePasskey,
  signInWithPasskey,
} from './passkeys.ts';
import { hashPassword, UNUSABLE } from './passwords.ts';
import { signIn } from './signIn.ts';

/* Sign-in by password (docs/desk/people.md). */

const core = await newTestCore();
const { services } = core;
afterAll(core.close);
const { newInstitute, newEmail, newPerson, signInAs, someAddress } = testPeople(core);

/** As after a hundred failures, the last of them now. */
const useUpNetwork = () =>
  core.client.query(
    `update sign_in_attempts set attempts = 100,
       expires_at = case when expires_at < now() + interval '1 minute' then clock_timestamp() + interval '5 s' else expires_at end
     where attempts = 1`,
  );

describe('sign-in', () => {
  test('answers alike for an unknown address, a wrong password and a disabled account', async () => {
    const manager = await newInstitute();
    const person = await newPerson(manager);
    const disabled = await newPerson(manager);
    await disableStaff(services, manager, disabled.id);
    expect(await signInAs(person.email, 'a wrong password')).toEqual(WRONG);
    expect(await signInAs(newEmail())).toEqual(WRONG);
    expect(await signInAs(disabled.email)).toEqual(WRONG);
  });

  test('is refused after ten failures of an e-mail address, whether or not it has an account', async () => {
    const { email } = await newPerson(await newInstitute());
    for (const address of [email, newEmail()]) {
      const tried = await Promise.all(
        Array.from({ length: 12 }, () => signInAs(address, 'wrong password 1')),
      );
      expect(
        tried.filter((answer) => 'refused' in answer && answer.refused === 'wrong_credentials').length,
      ).toBe(10);
      expect(await signInAs(address)).toMatchObject({ refused: 'too_many_attempts' });
    }
    await core.client.query(`update sign_in_attempts set expires_at = now()`);
    expect(await signInAs(email)).toMatchObject({ staff: { email } });
    expect(await signInAs(email)).toMatchObject({ staff: { email } });
  });

  test('finds the account of the password among those that institutes have made of one address', async () => {
    const [own, other] = [await newInstitute(), await newInstitute()];
    const { id, email } = await newPerson(own);
    const invited = await inviteStaff(services, other, { email, name: 'Another', role: 'admin' });
    const token = tokenOf(invited.link);
    await followLink(services, {
      token,
      password: 'quite another password',
      ...browser,
      address: someAddress(),
    });
    expect(await signInAs(email)).toMatchObject({ staff: { id } });
    expect(await signInAs(email, 'quite another password')).toMatchObject({
      staff: { id: invited.staff.id },
    });
    expect(await signInAs(email, 'a wrong password')).toEqual(WRONG);
    await disableStaff(services, own, id);
    expect(await signInAs(email)).toEqual(WRONG);
  });

  test('is slowed after a hundred failures from one network, for all its people together', async () => {
    const { email } = await newPerson(await newInstitute());
    const address = someAddress();
    expect(await signInAs(newEmail(), 'wrong password 1', address)).toEqual(WRONG);
    await useUpNetwork();
    const refused = await signInAs(email, PASSWORD, address);
    expect(refused).toMatchObject({ refused: 'too_many_attempts' });
    expect('retry_after_seconds' in refused && refused.retry_after_seconds).toBeLessThanOrEqual(5);
    await core.client.query(
      `update sign_in_attempts set expires_at = now() where expires_at < now() + '5 s'`,
    );
    expect(await signInAs(email, PASSWORD, address)).toMatchObject({ staff: { email } });
  });

  test('is open in a browser that has signed in before, whatever others try', async () => {
    const { email } = await newPerson(await newInstitute());
    const address = someAddress();
    const first = await signInAs(email, PASSWORD, address);
    const device = 'device' in first ? first.device : undefined;
    const again = (password: string, token = device, who = email) =>
      signIn(services, { email: who, password, address, user_agent: 'test', device: token });
    // Strangers use up the attempts of the e-mail address and of the network.
    expect(await signInAs(email, 'wrong password 1', address)).toEqual(WRONG);
    await core.client.query(`update sign_in_attempts set attempts = 1000 where attempts >= 1`);
    expect(await signInAs(email, PASSWORD, address)).toMatchObject({ refused: 'too_many_attempts' });
    expect(await again(PASSWORD)).toMatchObject({ staff: { email } });
    expect(await again(PASSWORD, `${device?.slice(0, -3)}abc`)).toMatchObject({
      refused: 'too_many_attempts',
    });
    expect(await again(PASSWORD, device, newEmail())).toMatchObject({ refused: 'too_many_attempts' });
    // The browser has attempts of its own.
    const tried = await Promise.all(Array.from({ length: 12 }, () => again('wrong password 1')));
    expect(tried.filter((answer) => 'retry_after_seconds' in answer)).toHaveLength(2);
  });

  test('counts all addresses of an IPv6 network of 64 bits together', async () => {
    const { email } = await newPerson(await newInstitute());
    expect(await signInAs(email, 'wrong password 1', '2001:db8:7:1::1')).toEqual(WRONG);
    await useUpNetwork();
    const signInFrom = (address: string) => signInAs(newEmail(), PASSWORD, address);
    expect(await signInFrom('2001:db8:7:1:ffff::2')).toMatchObject({ refused: 'too_many_attempts' });
    expect(await signInFrom('2001:db8:7:2::1')).toEqual(WRONG);
  });

  test('is refused for a password where staff signs in with the provider alone, and so is every other use of one', async () => {
    const person = await newPerson(await newInstitute());
    const oidc = {
      issuer: 'https://id.example.org',
      clientId: 'desk',
      clientSecret: 'secret',
      tenants: [],
      name: 'School ID',
      isOnlyWay: true,
    };
    const only = { ...services, settings: { ...services.settings, oidc } };
    const me = { institute_id: randomUUID(), staff_id: person.id };
    for (const call of [
      signIn(only, { email: person.email, password: PASSWORD, ...browser, address: someAddress() }),
      provePresence(only, { token: person.token, password: PASSWORD }),
      followLink(only, { token: 'none', password: PASSWORD, ...browser, address: someAddress() }),
      changePassword(only, me, { current: PASSWORD, next: PASSWORD }),
    ])
      expect(await codeOf(call)).toBe('conflict');
  });

  test.each(['aaaaaaaaaaaa', 'passwordpassword', 'Password1234', 'qwertyuiop12', 'asha-rao@example.org'])(
    'a password that others guess soon cannot be set: %s',
    async (password) => {
      const about = ['asha-rao@example.org', 'Asha Rao'];
      expect(await codeOf(hashPassword('test', password, { about }))).toBe('validation_failed');
    },
  );

  test('compares the password of an unknown address with a hash of the same cost', async () => {
    const costOf = (stored: string) => stored.split('$').slice(0, 4);
    expect(costOf(UNUSABLE)).toEqual(costOf(await hashPassword('test', PASSWORD)));
  });

  test('stores neither passwords nor tokens', async () => {
    const { token } = await newPerson(await newInstitute());
    for (const table of ['staff', 'staff_sessions', 'staff_links', 'audit_entries']) {
      const { rows } = await core.client.query<{ row: string }>(`select t::text as row from ${table} t`);
      const text = rows.map(({ row }) => row).join('\n');
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(token);
    }
  });
});

describe('a passkey', () => {
  const ORIGIN = 'https://desk.example.org';
  const credential = {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key' as const,
    clientExtensionResults: {},
  };
  const withPasskey = async () => {
    const manager = await newInstitute();
    const person = await newPerson(manager);
    await core.client.query(
      `insert into staff_passkeys (id, staff_id, public_key, name) values ($2, $1, '\\x00', 'Phone')`,
      [person.id, `passkey-of-${person.id}`],
    );
    return { manager, person };
  };

  test('is needed beside the right password, and a wrong password does not tell of it', async () => {
    const { person } = await withPasskey();
    // The right password is no failed attempt, however often it is given.
    for (let time = 0; time < 12; time += 1)
      expect(await signInAs(person.email)).toEqual({ refused: 'passkey_needed' });
    expect(await signInAs(person.email, 'a wrong password')).toEqual(WRONG);
  });

  test('goes with the link that an admin makes for a person who has lost the device', async () => {
    const { manager, person } = await withPasskey();
    const link = await resetPassword(services, manager, person.id);
    await followLink(services, {
      token: tokenOf(link),
      password: PASSWORD,
      ...browser,
      address: someAddress(),
    });
    expect(await passkeysOf(services, person.id)).toEqual([]);
    expect(await signInAs(person.email)).toMatchObject({ staff: { id: person.id } });
  });

  test('is not added or used with another answer, challenge or account', async () => {
    const { manager, person } = await withPasskey();
    const me = { institute_id: manager.institute_id, staff_id: person.id };
    const { challenge } = await passkeyOptions(services, me, ORIGIN);
    const attestation = { ...credential, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } };
    const add = (who: typeof me, text: string) =>
      codeOf(
        addPasskey(services, who, { origin: ORIGIN, challenge: text, name: 'X', response: attestation }),
      );
    const other = { ...me, staff_id: (await newPerson(manager)).id };
    expect(await add(me, challenge)).toBe('validation_failed');
    expect(await add(other, challenge)).toBe('validation_failed');
    expect(await add(me, 'forged.text')).toBe('validation_failed');
    const asked = await passkeySignInOptions(services, ORIGIN);
    const assertion = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
    for (const id of ['AAAA', `passkey-of-${person.id}`])
      for (const text of [asked.challenge, challenge])
        expect(
          await signInWithPasskey(services, {
            origin: ORIGIN,
            challenge: text,
            response: { ...credential, id, rawId: id, response: assertion },
            ...browser,
            address: someAddress(),
          }),
        ).toEqual(WRONG);
    expect(await codeOf(removePasskey(services, other, `passkey-of-${person.id}`))).toBe('not_found');
    expect(await passkeysOf(services, person.id)).toHaveLength(1);
  });
});
