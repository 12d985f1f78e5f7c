import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Account, Exam, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import {
  expectError,
  expectPostRefused,
  expectRefused,
  newTenant,
  type Tenant,
} from '../../harness/tenant.ts';

const { service } = await restSuite();

const paperOf = ({ api }: Tenant): Promise<Exam> => createExam(api, typedExam([mcq('1'), longAnswer('2')]));
const handIn = (owner: Tenant, paper: Exam, answers: object[] = []): Promise<Submission> =>
  submit(owner.api, paper.id, { candidate: { external_id: randomUUID() }, answers });
const post = (owner: Tenant, paper: Exam) =>
  owner.api.post(`/exams/${paper.id}/submissions`, { candidate: { external_id: randomUUID() }, answers: [] });
const usedToday = async ({ api }: Tenant): Promise<number> =>
  (await api.get<Account>('/me')).body.quota_used_today;

const aDayLater = (owner: Tenant) =>
  behind(
    service.database,
    `update daily_copies set day = to_char(day::date - 1, 'YYYY-MM-DD') where institute_id = $1`,
    [owner.instituteId],
  );

test('the quota is reset at 00:00 UTC, also the key’s cap, which applies to that key only', async () => {
  const owner = await newTenant(service, { dailyCopyQuota: 2 });
  const capped = await owner.withKey({ daily_copy_cap: 1 });
  const paper = await paperOf(owner);
  await handIn(owner, paper);
  await handIn(capped, paper);
  await expectRefused(owner, () => post(owner, paper), 429, 'daily_quota_exceeded');
  await aDayLater(owner);
  expect(await usedToday(owner)).toBe(0);
  await handIn(capped, paper);
  const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
  expect(error.details).toMatchObject({ quota: 'daily_copy_cap', limit: 1 });
  await handIn(owner, paper);
  expect(await usedToday(owner)).toBe(2);
});

test('a cap set during the day counts the copies of that day', async () => {
  const owner = await newTenant(service);
  const capped = await owner.withKey();
  const paper = await paperOf(owner);
  await handIn(capped, paper);
  await service.control.as({}).control.editKey.mutate({ key_id: capped.keyId, daily_copy_cap: 2 });
  await handIn(capped, paper);
  const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
  expect(error.details).toMatchObject({ quota: 'daily_copy_cap', limit: 2 });
});

test('resets_at is the next 00:00 UTC, and Retry-After the seconds until then', async () => {
  const owner = await newTenant(service, { dailyCopyQuota: 0 });
  const answer = await post(owner, await paperOf(owner));
  const { details } = expectError(answer, 429, 'daily_quota_exceeded');
  expect(details).toEqual({ quota: 'daily_copy_quota', limit: 0, resets_at: expect.any(String) });
  const resets = new Date(String(details?.['resets_at']));
  const day = 24 * 60 * 60 * 1000;
  expect(resets.getTime() % day).toBe(0);
  const left = resets.getTime() - Date.now();
  expect(left).toBeGreaterThan(-60_000);
  expect(left).toBeLessThanOrEqual(day);
  const retryAfter = answer.headers.get('retry-after') ?? '';
  expect(retryAfter).toMatch(/^\d+$/);
  expect(Math.abs(Number(retryAfter) - left / 1000)).toBeLessThan(30);
  expect((await owner.api.get<Account>('/me')).body.quota_resets_at).toBe(resets.toISOString());
});

test('the lower of quota and cap applies: a cap above the quota does not raise it', async () => {
  const owner = await newTenant(service, { dailyCopyQuota: 1 });
  const capped = await owner.withKey({ daily_copy_cap: 5 });
  const paper = await paperOf(owner);
  await handIn(capped, paper);
  const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
  expect(error.details).toMatchObject({ quota: 'daily_copy_quota', limit: 1 });
});

test('a cancelled, deleted or replaced submission stays counted', async () => {
  const owner = await newTenant(service, { dailyCopyQuota: 4 });
  const paper = await paperOf(owner);
  const long = [{ question_label: '2', text: 'Because of this.' }];
  const cancelled = await handIn(owner, paper, long);
  expect((await owner.api.post(`/submissions/${cancelled.id}/cancel`)).status).toBe(200);
  const deleted = await handIn(owner, paper, long);
  expect((await owner.api.delete(`/submissions/${deleted.id}`)).status).toBe(200);
  const { candidate } = await handIn(owner, paper, long);
  const replacing = { candidate_id: candidate.id, replace: true, answers: long };
  await submit(owner.api, paper.id, replacing);
  expect(await usedToday(owner)).toBe(4);
  const error = await expectPostRefused(
    owner,
    429,
    'daily_quota_exceeded',
    `/exams/${paper.id}/submissions`,
    replacing,
  );
  expect(error.details).toMatchObject({ limit: 4 });
});

test('a raised quota applies at once, and a lowered one refuses the next copy', async () => {
  const owner = await newTenant(service, { dailyCopyQuota: 1 });
  const paper = await paperOf(owner);
  await handIn(owner, paper);
  await owner.edit({ daily_copy_quota: 3 });
  await handIn(owner, paper);
  await owner.edit({ daily_copy_quota: 1 });
  await expectRefused(owner, () => post(owner, paper), 429, 'daily_quota_exceeded');
  expect(await usedToday(owner)).toBe(2);
});
