import { afterAll, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { browser, codeOf, PASSWORD, testPeople, tokenOf, WRONG } from '../../test/testPeople.ts';
import { editInstitute } from './institutes/editInstitute.ts';
import { followLink } from './links.ts';
import { inviteStaff, resetPassword, type Manager } from './manageStaff.ts';
import { provePresence } from './ownAccount.ts';
import { findSession, sessionsOf, startSession } from './sessions.ts';

/* What a session may do, and when it is not valid (docs/desk/people.md). */

const core = await newTestCore();
const { services } = core;
afterAll(core.close);
const { newInstitute, newEmail, newPerson, signInAs, someAddress } = testPeople(core);

test('admins make no reset link for themselves, because an open session would become the account', async () => {
  const manager = await newInstitute();
  const admin = await newPerson(manager, 'admin');
  const self: Manager = { institute_id: manager.institute_id, staff_id: admin.id };
  expect(await codeOf(resetPassword(services, self, admin.id))).toBe('conflict');
  expect(await findSession(services, admin.token)).toMatchObject({ id: admin.id });
  const other = await newPerson(manager, 'admin');
  expect(await codeOf(resetPassword(services, self, other.id))).toBe('answered');
});

test('the password proves the presence of a session’s person for a quarter of an hour, and guesses are limited', async () => {
  const person = await newPerson(await newInstitute());
  const until = async () => (await findSession(services, person.token))?.proved_until ?? 0;
  expect(await until()).toBeGreaterThan(Date.now());
  await services.database.control.staff_sessions.updateMany({
    where: { staff_id: person.id },
    data: { proved_at: new Date(Date.now() - 15 * 60_000 - 1) },
  });
  expect(await until()).toBeLessThan(Date.now());
  const prove = (password: string) => provePresence(services, { token: person.token, password });
  expect(await prove('a wrong password')).toEqual(WRONG);
  expect(await until()).toBeLessThan(Date.now());
  expect(await prove(PASSWORD)).toEqual({ proved: true });
  expect(await until()).toBeGreaterThan(Date.now());
  for (let guess = 0; guess < 10; guess += 1) await prove('a wrong password');
  expect(await prove(PASSWORD)).toMatchObject({ refused: 'too_many_attempts' });
  expect(await provePresence(services, { token: 'none', password: PASSWORD })).toEqual(WRONG);
});

test('a person has 50 sessions, and a further sign-in ends the oldest', async () => {
  const person = await newPerson(await newInstitute());
  for (let more = 0; more < 49; more += 1) await startSession(services, person.id, 'Firefox');
  expect(await findSession(services, person.token)).toMatchObject({ id: person.id });
  await startSession(services, person.id, 'Firefox');
  expect(await findSession(services, person.token)).toBeNull();
  expect(await sessionsOf(services, person.id)).toHaveLength(50);
});

test('while its institute is disabled, a session is not valid, and no way of signing in starts one', async () => {
  const manager = await newInstitute();
  const person = await newPerson(manager);
  const { link } = await inviteStaff(services, manager, { email: newEmail(), name: 'A', role: 'examiner' });
  const enable = (isEnabled: boolean) =>
    editInstitute(services, { institute_id: manager.institute_id, api_enabled: isEnabled });
  await enable(false);
  expect(await findSession(services, person.token)).toBeNull();
  expect(await signInAs(person.email)).toEqual({ refused: 'institute_disabled' });
  expect(await signInAs(person.email, 'a wrong password'), 'only its people learn it').toEqual(WRONG);
  const follow = { token: tokenOf(link), password: PASSWORD, ...browser, address: someAddress() };
  expect(await followLink(services, follow)).toEqual({ refused: 'institute_disabled' });
  await enable(true);
  expect(await findSession(services, person.token)).toMatchObject({ id: person.id });
});
