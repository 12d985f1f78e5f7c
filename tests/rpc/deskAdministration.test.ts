import { randomUUID } from 'node:crypto';
import { failureOf } from '@evaluation/core-client';
import { staffActor } from '@evaluation/platform/signed-actor';
import { afterAll, expect, test } from 'vitest';
import { apiClient, createExam } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { restSuite } from '../harness/restSuite.ts';
import { openStaff } from '../harness/staff.ts';
import { newTenant } from '../harness/tenant.ts';
import { newTestExam } from '../harness/testExam.ts';

/* Keys, credits and the record of decisions, as admins see them at the desk (docs/desk/administration.md). */

const { service } = await restSuite();
const staff = await openStaff(service);
afterAll(() => staff.close());

test('a key made at the desk works at once, is listed without itself, and is refused after its revocation', async () => {
  const { instituteId } = await service.newInstitute();
  const { keys } = staff.as(instituteId).desk;
  const made = await keys.create.mutate({ scopes: ['evaluation:read'], daily_copy_cap: 5 });
  const api = apiClient(service.baseUrl, made.api_key);
  expect(await api.get('/me')).toMatchObject({ status: 200, body: { daily_copy_cap: 5 } });
  const listed = await keys.list.query({});
  expect(JSON.stringify(listed)).not.toContain(made.api_key);
  expect(listed.data[0]).toMatchObject({ key_id: made.key_id, rate_tier: 'standard', revoked_at: null });
  await keys.edit.mutate({ key_id: made.key_id, daily_copy_cap: null });
  expect(await api.get('/me')).toMatchObject({ body: { daily_copy_cap: null } });
  await keys.revoke.mutate({ key_id: made.key_id });
  expect(await api.get('/me')).toMatchObject({ status: 401 });
});

test('keys are listed newest first, in pages that show each once', async () => {
  const { instituteId, keyId } = await service.newInstitute();
  const { keys } = staff.as(instituteId).desk;
  const made = [keyId];
  for (let more = 0; more < 3; more += 1) {
    made.unshift((await keys.create.mutate({ scopes: ['evaluation:read'] })).key_id);
  }
  const seen: string[] = [];
  let before: Awaited<ReturnType<typeof keys.list.query>>['next_before'] = null;
  do {
    const page: Awaited<ReturnType<typeof keys.list.query>> = await keys.list.query({
      limit: 2,
      ...(before === null ? {} : { before }),
    });
    seen.push(...page.data.map(({ key_id }) => key_id));
    before = page.next_before;
  } while (before !== null);
  expect(seen).toEqual(made);
});

test('acts that outlive a session are refused after a quarter of an hour without the password', async () => {
  const { instituteId } = await service.newInstitute();
  const actorAt = (provedUntil: number) =>
    staff.access.as({
      actor: staffActor({
        institute_id: instituteId,
        staff_id: randomUUID(),
        role: 'admin',
        scopes: ['evaluation:read'],
        proved_until: provedUntil,
      }),
    }).public.desk;
  const { keys, people, settings } = actorAt(Date.now() - 1);
  const scopes: ['evaluation:read'] = ['evaluation:read'];
  for (const call of [
    () => keys.create.mutate({ scopes }),
    () => keys.edit.mutate({ key_id: randomUUID(), scopes }),
    () => people.resetPassword.mutate({ staff_id: randomUUID() }),
    () => people.invite.mutate({ email: `${randomUUID()}@example.org`, name: 'A', role: 'admin' }),
    () => people.enable.mutate({ staff_id: randomUUID() }),
    () => people.changeRole.mutate({ staff_id: randomUUID(), role: 'admin' }),
    () =>
      settings.changeRetention.mutate({
        seen: 0,
        files_days: null,
        evidence_days: null,
        readings_days: null,
      }),
  ])
    await expect(call()).rejects.toMatchObject({ data: { code: 'PRECONDITION_FAILED' } });
  await keys.list.query({});
  expect(await actorAt(Date.now() + 60_000).keys.create.mutate({ scopes })).toHaveProperty('api_key');
});

test('a time that PostgreSQL does not take is refused by its field', async () => {
  const { instituteId } = await service.newInstitute();
  const { keys, audit } = staff.as(instituteId).desk;
  const never = '0000-01-01T00:00:00Z';
  const position = { created_at: never, id: randomUUID() };
  for (const call of [
    () => keys.create.mutate({ scopes: ['evaluation:read'], expires_at: never }),
    () => keys.list.query({ before: position }),
    () => audit.list.query({ before: { ...position, id: '1' } }),
    () => audit.list.query({ from: never }),
  ])
    await expect(call()).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } });
});

test('the history of credits names the exam of each charge, and the spending of today is the sum of its charges', async () => {
  const made = await newTestExam(service, { credits: 100 });
  const submission = await made.reach('graded');
  const { credits } = staff.as(made.tenant.instituteId).desk;
  const history = await credits.history.query({});
  expect(history.data.map(({ kind }) => kind)).toEqual(['charge', 'reserve', 'grant']);
  const [charge, , grant] = history.data;
  expect(charge).toMatchObject({
    amount: 2,
    balance_after: 98,
    submission_id: submission.id,
    exam: { id: made.exam.id, title: made.exam.title },
  });
  expect(grant).toMatchObject({ amount: 100, exam: null });
  const first = await credits.history.query({ limit: 1 });
  const rest = await credits.history.query({ limit: 2, before: first.next_before ?? '' });
  expect([...first.data, ...rest.data]).toEqual(history.data);
  const spending = await credits.spending.query({ days: 7 });
  expect(spending.map((day) => day.credits)).toEqual([0, 0, 0, 0, 0, 0, 2]);
  const { instituteId: other } = await service.newInstitute({ credits: 0 });
  expect((await staff.as(other).desk.credits.history.query({})).data).toEqual([]);
});

test('the record of decisions names the person, and is filtered by person, exam, kind and time', async () => {
  const made = await newTestExam(service);
  const { instituteId } = made.tenant;
  const { control } = service.control.as({});
  const invited = await control.staff.invite.mutate({
    institute_id: instituteId,
    email: `${randomUUID()}@example.org`,
    name: 'Asha Rao',
    role: 'examiner',
  });
  const submission = await made.reach('graded');
  await submission.override('2', { reviewer: 'backend', awarded: 1.5, reason: 'Partly right.' });
  await submission.approve({ reviewer: 'backend' });
  await behind(
    service.database,
    `insert into audit_entries (institute_id, key_id, staff_role, action, exam_id, submission_id, before, after)
     select institute_id, $2, 'examiner', 'approve', exam_id, id, '{}', '{}' from submissions where id = $1`,
    [submission.id, invited.staff.id],
  );
  const { audit } = staff.as(instituteId).desk;
  const all = await audit.list.query({});
  expect(all.data.slice(0, 3)).toMatchObject([
    { action: 'approve', person: { kind: 'staff', id: invited.staff.id, name: 'Asha Rao' } },
    { action: 'approve', person: { kind: 'key' }, reviewer: 'backend' },
    {
      action: 'override',
      question_label: '2',
      reason: 'Partly right.',
      exam: { id: made.exam.id, title: made.exam.title },
      submission: { id: submission.id },
    },
  ]);
  const actionsOf = async (query: Parameters<typeof audit.list.query>[0]) =>
    (await audit.list.query(query)).data.map(({ action }) => action);
  expect(await actionsOf({ person: invited.staff.id })).toEqual(['approve']);
  expect(await actionsOf({ action: 'override' })).toEqual(['override']);
  expect(await actionsOf({ exam_id: made.exam.id, action: 'approve' })).toEqual(['approve', 'approve']);
  const since = all.data[0]?.created_at ?? '';
  expect(await actionsOf({ from: since })).toEqual(['approve']);
  expect((await actionsOf({ to: since })).slice(0, 2)).toEqual(['approve', 'override']);
  const first = await audit.list.query({ limit: 2 });
  if (first.next_before === null) throw new Error('there is no second page');
  expect((await actionsOf({ before: first.next_before }))[0]).toBe('override');
});

test('the record shows nothing of another institute, also for its ids', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  await submission.approve({ reviewer: 'backend' });
  const { instituteId } = await service.newInstitute();
  const { audit } = staff.as(instituteId).desk;
  expect((await audit.list.query({})).data.map(({ action }) => action)).toEqual(['key_create']);
  for (const query of [
    { exam_id: made.exam.id },
    { submission_id: submission.id },
    { person: randomUUID() },
    { person: 'none' },
  ])
    expect(await audit.list.query(query)).toEqual({ data: [], next_before: null });
});

test('settings of the institute are the defaults of exams of staff, and not of exams of the API', async () => {
  const tenant = await newTenant(service);
  const { desk, exams, guide } = staff.as(tenant.instituteId);
  const paper = (title: string, change: object = {}) => typedExam([longAnswer('1')], { title, ...change });
  const make = async (title: string, change: object = {}) => {
    const { id, blind } = await exams.create.mutate({ body: paper(title, change) });
    return { blind, target: (await guide.show.query({ exam_id: id })).target };
  };
  expect(await desk.settings.show.query()).toEqual({
    blind: false,
    guide_target: 0.95,
    assigned_only: false,
    revision: 0,
    changed: null,
    retention: { files_days: 30, evidence_days: 365, readings_days: 365 },
    own_retention: { files_days: null, evidence_days: null, readings_days: null },
  });
  expect(await make('Before')).toEqual({ blind: false, target: 0.95 });

  const changed = await desk.settings.change.mutate({ blind: true, guide_target: 0.8, seen: 0 });
  expect(changed).toMatchObject({ blind: true, guide_target: 0.8, revision: 1 });
  expect(await make('After')).toEqual({ blind: true, target: 0.8 });
  expect(await make('Chosen otherwise', { blind: false })).toEqual({ blind: false, target: 0.8 });
  const ofApi = await createExam(tenant.api, paper('Of the API'));
  expect(ofApi.blind).toBe(false);
  expect((await guide.show.query({ exam_id: ofApi.id })).target).toBe(0.95);
  const other = await newTenant(service);
  expect(await staff.as(other.instituteId).desk.settings.show.query()).toMatchObject({ revision: 0 });
});

test('an institute keeps data for fewer days than the operator, and never for more', async () => {
  const { instituteId } = await service.newInstitute();
  const { settings } = staff.as(instituteId).desk;
  await settings.change.mutate({ blind: true, guide_target: 0.8, seen: 0 });
  const days = { files_days: 30, evidence_days: 90, readings_days: null };
  const changed = await settings.changeRetention.mutate({ ...days, seen: 1 });
  expect(changed).toMatchObject({ blind: true, guide_target: 0.8, revision: 2, own_retention: days });
  expect(await settings.change.mutate({ blind: false, guide_target: 0.8, seen: 2 })).toMatchObject({
    own_retention: days,
  });
  const refused = async (change: object) =>
    failureOf(
      await settings.changeRetention.mutate({ ...days, ...change, seen: 3 }).catch((error: unknown) => error),
    );
  for (const change of [{ files_days: 31 }, { evidence_days: 366 }, { readings_days: 366 }])
    expect(await refused(change)).toMatchObject({
      code: 'validation_failed',
      details: { errors: [{ field: Object.keys(change)[0], code: 'out_of_range' }] },
    });
  for (const change of [{ files_days: 0 }, { evidence_days: 0 }, { readings_days: 1 }])
    await expect(settings.changeRetention.mutate({ ...days, ...change, seen: 3 })).rejects.toThrow(
      'BAD_REQUEST',
    );
  expect(await settings.show.query()).toMatchObject({ revision: 3, own_retention: days });
});

test('settings that were never changed are refused a change that follows another revision', async () => {
  const { instituteId } = await service.newInstitute();
  const { settings } = staff.as(instituteId).desk;
  const refusal = await settings.change
    .mutate({ blind: true, guide_target: 0.8, seen: 1 })
    .catch((error: unknown) => error);
  expect(failureOf(refusal)?.code).toBe('conflict');
  expect(await settings.show.query()).toMatchObject({ revision: 0, blind: false });
});

test('of two admins who change the same settings at once, one is refused because they have changed', async () => {
  const { instituteId } = await service.newInstitute();
  const { settings } = staff.as(instituteId).desk;
  for (const seen of [0, 1]) {
    const outcomes = await Promise.allSettled(
      [0.7, 0.9].map((guide_target) => settings.change.mutate({ blind: true, guide_target, seen })),
    );
    const stored = await settings.show.query();
    expect(stored.revision).toBe(seen + 1);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value.guide_target).toBe(stored.guide_target);
      else expect(failureOf(outcome.reason)?.code).toBe('conflict');
    }
  }
});
