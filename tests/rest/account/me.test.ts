import { expect, test } from 'vitest';
import type { Account } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, submit } from '../../harness/api.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { newTenant } from '../../harness/tenant.ts';

const { service } = await restSuite();

test('GET /me shows the key, its institute, and today’s usage', async () => {
  const provision = service.control.as({}).control;
  const { institute_id } = await provision.createInstitute.mutate({
    name: 'Sunrise School',
    credits: 10,
    daily_copy_quota: 7,
  });
  const { api_key } = await provision.createKey.mutate({
    institute_id,
    scopes: ['evaluation:write', 'evaluation:read'],
    rate_tier: 'high',
    daily_copy_cap: 3,
  });
  const { status, body } = await apiClient(service.baseUrl, api_key).get<Account>('/me');
  expect(status).toBe(200);
  expect(body).toEqual({
    institute: { id: institute_id, name: 'Sunrise School' },
    scopes: ['evaluation:write', 'evaluation:read'],
    rate_tier: 'high',
    daily_copy_quota: 7,
    daily_copy_cap: 3,
    quota_used_today: 0,
    quota_resets_at: expect.stringMatching(/T00:00:00(\.000)?Z$/),
  });
  const untilReset = Date.parse(body.quota_resets_at) - Date.now();
  expect(untilReset).toBeGreaterThan(0);
  expect(untilReset).toBeLessThanOrEqual(24 * 60 * 60 * 1000);
});

test('a new institute has a quota of 2000 copies a day, and its key has no cap', async () => {
  const { api } = await newTenant(service);
  expect((await api.get<Account>('/me')).body).toMatchObject({
    daily_copy_quota: 2000,
    daily_copy_cap: null,
    rate_tier: 'standard',
  });
});

test('each accepted submission counts one copy, also objective-only ones, over all keys of the institute', async () => {
  const tenant = await newTenant(service);
  const { api } = tenant;
  const exam = await createExam(api, typedExam([mcq('1')]));
  const answers = [{ question_label: '1', option_labels: ['A'] }];
  await submit(api, exam.id, { candidate: { external_id: 'a' }, answers });
  const { api: other } = await tenant.withKey();
  await submit(other, exam.id, { candidate: { external_id: 'b' }, answers: [] });
  for (const client of [api, other]) expect((await client.get<Account>('/me')).body.quota_used_today).toBe(2);
});
