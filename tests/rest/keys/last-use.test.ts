import pg from 'pg';
import { expect, test } from 'vitest';
import { apiClient } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { eventually } from '../../harness/ledger.ts';
import { restSuite } from '../../harness/restSuite.ts';

/** Facades of this service cache no key, so each request asks core for it. */
const { service, tenant } = await restSuite();

const control = () => service.control.as({}).control;
const newKey = (more: object = {}) =>
  control().createKey.mutate({ institute_id: tenant.instituteId, ...more });
const use = async (apiKey: string) => (await apiClient(service.baseUrl, apiKey).get('/me')).status;
const lastUse = async (keyId: string, instituteId = tenant.instituteId): Promise<string | null> => {
  const { keys } = await control().showInstitute.query({ institute_id: instituteId });
  return keys.find(({ key_id }) => key_id === keyId)?.last_used_at ?? null;
};
const used = (keyId: string) => eventually('a last use', async () => (await lastUse(keyId)) ?? undefined);

test('the last use of a key is recorded when it is used, and not when it is created', async () => {
  const { api_key, key_id } = await newKey();
  expect(await lastUse(key_id)).toBeNull();
  const before = Date.now();
  expect(await use(api_key)).toBe(200);
  expect(Math.abs(Date.parse(await used(key_id)) - before)).toBeLessThan(60_000);
});

test('the last use is written once in five minutes, however many requests there are', async () => {
  const { api_key, key_id } = await newKey();
  await use(api_key);
  const first = await used(key_id);
  await Promise.all(Array.from({ length: 20 }, () => use(api_key)));
  const [written] = await behind<{ xmin: string }>(
    service.database,
    'select xmin from api_keys where id = $1',
    [key_id],
  );
  await Promise.all(Array.from({ length: 20 }, () => use(api_key)));
  const [still] = await behind<{ xmin: string }>(
    service.database,
    'select xmin from api_keys where id = $1',
    [key_id],
  );
  expect([await lastUse(key_id), still]).toEqual([first, written]);

  await behind(
    service.database,
    `update api_keys set last_used_at = now() - interval '6 minutes' where id = $1`,
    [key_id],
  );
  await use(api_key);
  await eventually('a later use', async () => Date.parse((await lastUse(key_id)) ?? '') >= Date.parse(first));
});

test('a refused request does not count as use', async () => {
  const expired = await newKey({ expires_at: new Date(Date.now() - 1000).toISOString() });
  const revoked = await newKey();
  await control().revokeKey.mutate({ key_id: revoked.key_id });
  const disabled = await service.newInstitute({ apiEnabled: false });
  expect([await use(expired.api_key), await use(revoked.api_key), await use(disabled.api.apiKey)]).toEqual([
    401, 401, 403,
  ]);
  // Uses are recorded in order, so earlier ones would be recorded by now.
  const { api_key, key_id } = await newKey();
  await use(api_key);
  await used(key_id);
  expect([
    await lastUse(expired.key_id),
    await lastUse(revoked.key_id),
    await lastUse(disabled.keyId, disabled.instituteId),
  ]).toEqual([null, null, null]);
});

test('no request waits for the record: a key with a locked row works, and its use is recorded later', async () => {
  const { api_key, key_id } = await newKey();
  const holder = new pg.Client({ connectionString: service.database.superuserUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from api_keys where id = $1 for update', [key_id]);
    // More requests than core has connections: a waiting write must hold none of them.
    expect(new Set(await Promise.all(Array.from({ length: 40 }, () => use(api_key))))).toEqual(
      new Set([200]),
    );
    expect(await lastUse(key_id)).toBeNull();
    await holder.query('rollback');
  } finally {
    await holder.end();
  }
  await use(api_key);
  await used(key_id);
});
