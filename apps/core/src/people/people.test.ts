import { afterAll, describe, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { browser, codeOf, PASSWORD, testPeople, tokenOf, WRONG } from '../../test/testPeople.ts';
import { followLink, showLink } from './links.ts';
import {
  changeRole,
  disableStaff,
  enableStaff,
  endSession,
  inviteStaff,
  listStaff,
  resetPassword,
  type Manager,
} from './manageStaff.ts';
import { changePassword, endOtherSessions } from './ownAccount.ts';
import { findSession, sessionsOf, signOut } from './sessions.ts';
import type { signIn } from './signIn.ts';
import { sweepPeople } from './sweep.ts';

/* Accounts, sessions and sign-in of staff (docs/desk/people.md). */

const core = await newTestCore();
const { services } = core;
afterAll(core.close);
const { newInstitute, newEmail, newPerson, signInAs, someAddress } = testPeople(core);

describe('an invitation', () => {
  test('sets a password once and signs in', async () => {
    const manager = await newInstitute();
    const email = newEmail();
    const invited = await inviteStaff(services, manager, { email, name: 'A. Rao', role: 'examiner' });
    expect(invited.staff).toMatchObject({ email, role: 'examiner', state: 'invited' });
    expect(await signInAs(email)).toEqual(WRONG);
    const token = tokenOf(invited.link);
    expect(await showLink(services, token)).toMatchObject({ purpose: 'invitation', email, name: 'A. Rao' });
    expect(await codeOf(followLink(services, { token, password: 'short', ...browser }))).toBe(
      'validation_failed',
    );
    const joined = await followLink(services, { token, name: 'Asha Rao', password: PASSWORD, ...browser });
    expect(joined).toMatchObject({ staff: { name: 'Asha Rao', institute_id: manager.institute_id } });
    expect(await showLink(services, token)).toBeNull();
    expect(await codeOf(followLink(services, { token, password: PASSWORD, ...browser }))).toBe('not_found');
    expect(await signInAs(email.toUpperCase())).toMatchObject({ staff: { email, name: 'Asha Rao' } });
  });

  test('that two browsers follow at once is used by one of them', async () => {
    const manager = await newInstitute();
    const { link } = await inviteStaff(services, manager, {
      email: newEmail(),
      name: 'A',
      role: 'admin',
    });
    const follow = (password: string) =>
      codeOf(followLink(services, { token: tokenOf(link), password, ...browser, address: someAddress() }));
    expect((await Promise.all([follow(PASSWORD), follow('another long password')])).toSorted()).toEqual([
      'answered',
      'not_found',
    ]);
  });

  test('is void after a newer one, and while its account is disabled', async () => {
    const manager = await newInstitute();
    const invited = await inviteStaff(services, manager, { email: newEmail(), name: 'A', role: 'admin' });
    const again = await resetPassword(services, manager, invited.staff.id);
    expect(await showLink(services, tokenOf(invited.link))).toBeNull();
    expect(await showLink(services, tokenOf(again))).toMatchObject({ purpose: 'invitation' });
    await disableStaff(services, manager, invited.staff.id);
    expect(await showLink(services, tokenOf(again))).toBeNull();
    expect(await codeOf(resetPassword(services, manager, invited.staff.id))).toBe('conflict');
  });

  test('to an address that has an account is refused in its institute, and does not tell another one', async () => {
    const own = await newInstitute();
    const { email } = await newPerson(own);
    const invite = (manager: Manager) => inviteStaff(services, manager, { email, name: 'A', role: 'admin' });
    expect(await codeOf(invite(own))).toBe('conflict');
    expect(await invite(await newInstitute())).toMatchObject({ staff: { email, state: 'invited' } });
  });

  test('is refused to an admin who has made 500 accounts in a day, and not to the operator', async () => {
    const operator = await newInstitute();
    const admin = await newPerson(operator, 'admin');
    await core.client.query(
      `insert into staff (id, institute_id, email, name, role)
       select gen_random_uuid(), $1, 'x' || n || '@example.org', 'X', 'examiner' from generate_series(1, 499) n`,
      [operator.institute_id],
    );
    const invite = (manager: Manager) =>
      inviteStaff(services, manager, { email: newEmail(), name: 'A', role: 'examiner' });
    expect(await codeOf(invite({ ...operator, staff_id: admin.id }))).toBe('rate_limited');
    expect(await codeOf(invite(operator))).toBe('answered');
  });
});

describe('a session', () => {
  test('is extended by its use, and expires without', async () => {
    const { token, id } = await newPerson(await newInstitute());
    expect(await findSession(services, token)).toMatchObject({ id, scopes: expect.any(Array) });
    const age = (seen: string, expires: string) =>
      core.client.query(
        `update staff_sessions set last_seen_at = now() - $2::interval, expires_at = now() + $3::interval
         where staff_id = $1`,
        [id, seen, expires],
      );
    await age('2 minutes', '1 minute');
    expect(await findSession(services, token)).not.toBeNull();
    const [extended] = await sessionsOf(services, id);
    expect(Date.parse(extended?.expires_at ?? '') - Date.now()).toBeGreaterThan(11 * 3600_000);
    await age('13 hours', '-1 second');
    expect(await findSession(services, token)).toBeNull();
  });

  test('ends by signing out, by its owner, by an admin, and with its account', async () => {
    const manager = await newInstitute();
    const { id, email, token } = await newPerson(manager);
    await signOut(services, token);
    expect(await findSession(services, token)).toBeNull();
    const tokenOfAnswer = (answer: Awaited<ReturnType<typeof signIn>>) =>
      'token' in answer ? answer.token : '';
    const next = tokenOfAnswer(await signInAs(email));
    const [shown] = await sessionsOf(services, id);
    const ending = { staff_id: id, session_id: shown?.id ?? '' };
    await endSession(services, manager, ending);
    expect(await findSession(services, next)).toBeNull();
    expect(await codeOf(endSession(services, manager, ending))).toBe('not_found');
    const last = tokenOfAnswer(await signInAs(email));
    await disableStaff(services, manager, id);
    expect(await findSession(services, last)).toBeNull();
    await enableStaff(services, manager, id);
    expect(await findSession(services, last)).toBeNull();
  });

  test('of another browser ends when the password changes', async () => {
    const manager = await newInstitute();
    const { id, email, token } = await newPerson(manager);
    const answer = await signInAs(email);
    const own = 'staff' in answer ? answer : null;
    const me = { institute_id: manager.institute_id, staff_id: id };
    const change = (current: string, next: string) =>
      changePassword(services, me, { current, next, session_id: own?.staff.session_id });
    expect(await codeOf(change('not my password', 'another long password'))).toBe('validation_failed');
    expect(await codeOf(change(PASSWORD, 'short'))).toBe('validation_failed');
    await change(PASSWORD, 'another long password');
    expect(await findSession(services, token)).toBeNull();
    expect(await findSession(services, own?.token ?? '')).not.toBeNull();
    expect(await signInAs(email)).toEqual(WRONG);
    expect(await signInAs(email, 'another long password')).toMatchObject({ staff: { id } });
  });
});

describe('the own account', () => {
  test('ends all own sessions but one, and none of other people', async () => {
    const manager = await newInstitute();
    const [me, other] = [await newPerson(manager), await newPerson(manager)];
    const answer = await signInAs(me.email);
    const own = 'staff' in answer ? answer : null;
    const actor = { institute_id: manager.institute_id, staff_id: me.id };
    const endOthers = () => endOtherSessions(services, actor, own?.staff.session_id ?? '');
    expect(await endOthers()).toEqual({ ended: 1 });
    expect(await endOthers()).toEqual({ ended: 0 });
    expect(await findSession(services, me.token)).toBeNull();
    expect(await findSession(services, own?.token ?? '')).not.toBeNull();
    expect(await findSession(services, other.token)).not.toBeNull();
  });

  test('counts wrong present passwords as failed sign-ins, and records a change', async () => {
    const manager = await newInstitute();
    const { id, email } = await newPerson(manager);
    const me = { institute_id: manager.institute_id, staff_id: id };
    const change = (current: string) =>
      codeOf(changePassword(services, me, { current, next: 'another long password' }));
    expect(await change('not my password')).toBe('validation_failed');
    await core.client.query(`update sign_in_attempts set attempts = 10 where attempts = 1`);
    expect(await change(PASSWORD)).toBe('rate_limited');
    expect(await signInAs(email)).toMatchObject({ refused: 'too_many_attempts' });
    await core.client.query(`update sign_in_attempts set expires_at = now()`);
    expect(await change(PASSWORD)).toBe('answered');
    const { rows } = await core.client.query(
      `select key_id from audit_entries where subject_id = $1 and action = 'staff_password'`,
      [id],
    );
    expect(rows).toEqual([{ key_id: id }]);
  });
});

describe('the last admin', () => {
  test('cannot be demoted or disabled, also not by two admins at once', async () => {
    const operator = await newInstitute();
    const [a, b] = [await newPerson(operator, 'admin'), await newPerson(operator, 'admin')];
    const by = (person: { id: string }): Manager => ({ ...operator, staff_id: person.id });
    const outcomes = await Promise.all([
      codeOf(changeRole(services, by(a), b.id, 'examiner')),
      codeOf(disableStaff(services, by(b), a.id)),
    ]);
    expect(outcomes.toSorted()).toEqual(['answered', 'conflict']);
    const { data } = await listStaff(services, operator.institute_id, { limit: 10 });
    expect(data.filter(({ role, state }) => role === 'admin' && state === 'active').length).toBe(1);
  });

  test('is not replaced by an admin who has only been invited, and the operator may disable both', async () => {
    const operator = await newInstitute();
    const admin = await newPerson(operator, 'admin');
    const invited = await inviteStaff(services, operator, { email: newEmail(), name: 'A', role: 'admin' });
    const self = { ...operator, staff_id: admin.id };
    expect(await codeOf(disableStaff(services, self, admin.id))).toBe('conflict');
    expect(await codeOf(disableStaff(services, self, invited.staff.id))).toBe('answered');
    expect(await codeOf(disableStaff(services, operator, admin.id))).toBe('answered');
  });
});

test('accounts of another institute answer as missing ones, and are not listed', async () => {
  const [own, other] = [await newInstitute(), await newInstitute()];
  const stranger = await newPerson(other);
  const [session] = await sessionsOf(services, stranger.id);
  for (const id of [stranger.id, '00000000-0000-4000-8000-000000000000', 'none']) {
    expect(await codeOf(changeRole(services, own, id, 'admin'))).toBe('not_found');
    expect(await codeOf(disableStaff(services, own, id))).toBe('not_found');
    expect(await codeOf(enableStaff(services, own, id))).toBe('not_found');
    expect(await codeOf(resetPassword(services, own, id))).toBe('not_found');
    const ended = endSession(services, own, { staff_id: id, session_id: session?.id ?? '' });
    expect(await codeOf(ended)).toBe('not_found');
  }
  expect((await listStaff(services, own.institute_id, { limit: 10 })).data).toEqual([]);
});

test('accounts are listed in pages, and each change is recorded with its actor', async () => {
  const operator = await newInstitute();
  const admin = await newPerson(operator, 'admin');
  const by = { ...operator, staff_id: admin.id };
  const second = await newPerson(by);
  await changeRole(services, by, second.id, 'admin');
  const first = await listStaff(services, operator.institute_id, { limit: 1 });
  expect(first.data.map(({ id }) => id)).toEqual([admin.id]);
  const rest = await listStaff(services, operator.institute_id, { limit: 1, after: first.next_after ?? '' });
  expect(rest).toMatchObject({ data: [{ id: second.id, role: 'admin' }], next_after: null });
  const { rows } = await core.client.query<{
    action: string;
    staff_role: string;
    key_id: string;
    subject_id: string;
  }>('select action, staff_role, key_id, subject_id from audit_entries where institute_id = $1 order by id', [
    operator.institute_id,
  ]);
  expect(rows.map(({ action, staff_role, subject_id }) => [action, staff_role, subject_id])).toEqual([
    ['staff_invite', 'operator', admin.id],
    ['staff_join', 'admin', admin.id],
    ['staff_invite', 'admin', second.id],
    ['staff_join', 'examiner', second.id],
    ['staff_role', 'admin', second.id],
  ]);
  expect(rows.slice(1).map(({ key_id }) => key_id)).toEqual([admin.id, admin.id, second.id, admin.id]);
});

test('expired sessions and links are deleted a month later, and passed counters at once', async () => {
  const { id } = await newPerson(await newInstitute());
  await signInAs(newEmail());
  const left = async (table: string, where: string) => {
    const text = `select count(*)::int as rows from ${table} where ${where}`;
    const { rows } = await core.client.query<{ rows: number }>(text);
    return rows[0]?.rows;
  };
  await core.client.query(`update sign_in_attempts set expires_at = now() - interval '1 second'`);
  await core.client.query(
    `update staff_sessions set expires_at = now() - interval '29 days' where staff_id = '${id}'`,
  );
  await sweepPeople(services);
  expect(await left('sign_in_attempts', 'true')).toBe(0);
  expect(await left('staff_sessions', `staff_id = '${id}'`)).toBe(1);
  await core.client.query(
    `update staff_sessions set expires_at = now() - interval '31 days' where staff_id = '${id}'`,
  );
  await sweepPeople(services);
  expect(await left('staff_sessions', `staff_id = '${id}'`)).toBe(0);
});
