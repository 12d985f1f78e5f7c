import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '@evaluation/rest-contract/schemas';
import { apiClient, type ApiClient, type ErrorBody } from '../harness/api.ts';
import { mcq, typedExam } from '../harness/papers.ts';
import { expectError, newTenant, startIdleService, type Tenant } from '../harness/tenant.ts';
import type { TestService } from '../harness/service.ts';

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
  service = await startIdleService();
  tenant = await newTenant(service);
});
afterAll(() => service.close());

const id = '00000000-0000-4000-8000-000000000000';
const reads = [
  '/submissions',
  `/submissions/${id}`,
  `/submissions/${id}/result`,
  `/submissions/${id}/checked-copy`,
  `/exams/${id}`,
  `/uploads/${id}`,
];
const writes = ['/exams', `/exams/${id}/open`, `/exams/${id}/submissions`, '/uploads'];
const routes: [method: 'GET' | 'POST', path: string][] = [
  ['GET', '/me'],
  ...reads.map((path): ['GET', string] => ['GET', path]),
  ...writes.map((path): ['POST', string] => ['POST', path]),
];

const call = async (api: ApiClient, method: string, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${api.baseUrl}${path}`, {
    method,
    headers: method === 'POST' ? { 'content-type': 'text/plain', ...headers } : headers,
    ...(method === 'POST' ? { body: 'not even JSON' } : {}),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as ErrorBody };
};
const withKey = (key: string, method = 'GET', path = '/me') =>
  call(tenant.api, method, path, { 'x-api-key': key });
const newKey = async (more: object = {}): Promise<{ api_key: string; key_id: string }> =>
  service.control.as({}).control.createKey.mutate({ institute_id: tenant.instituteId, ...more });

describe('5.4 keys', () => {
  test.each(routes)(
    '5.4 %s %s without a key answers invalid_api_key, before anything else is looked at',
    async (method, path) => {
      expectError(await call(tenant.api, method, path), 401, 'invalid_api_key');
    },
  );

  test('5.4 a key that is unknown, of another form, or in another place is invalid, and no error repeats it', async () => {
    const known = tenant.api.apiKey;
    const prefix = known.slice(0, -48);
    const wrong = [
      `${prefix}${randomBytes(24).toString('hex')}`,
      known.slice(0, -1),
      `${known}0`,
      known.toUpperCase(),
      known.slice(prefix.length),
      `Bearer ${known}`,
      'x',
      'x'.repeat(5000),
      `${known}, ${known}`,
      "' or 1=1 --",
    ];
    for (const key of wrong) {
      const answer = await withKey(key);
      expectError(answer, 401, 'invalid_api_key');
      expect(JSON.stringify(answer.body)).not.toContain(key);
    }
    expectError(
      await call(tenant.api, 'GET', '/me', { authorization: `Bearer ${known}` }),
      401,
      'invalid_api_key',
    );
    expectError(await call(tenant.api, 'GET', `/me?x-api-key=${known}`), 401, 'invalid_api_key');
  });

  test('5.1 a key is a fixed prefix and 48 hexadecimal characters, different each time', async () => {
    const keys = await Promise.all([newKey(), newKey()]);
    for (const { api_key } of keys) expect(api_key).toMatch(/^[A-Za-z0-9_]+_[0-9a-f]{48}$/);
    expect(new Set(keys.map(({ api_key }) => api_key)).size).toBe(2);
    expect(new Set(keys.map(({ api_key }) => api_key.slice(0, -48))).size).toBe(1);
  });

  test('5.2 a key that expires works until then and not after', async () => {
    const at = Date.now() + 1500;
    const { api_key } = await newKey({ expires_at: new Date(at).toISOString() });
    const { status } = await withKey(api_key);
    // On a machine so busy that it has expired meanwhile only the other half is shown.
    if (Date.now() < at) expect(status).toBe(200);
    await expect
      .poll(async () => (await withKey(api_key)).status, { timeout: 10_000, interval: 50 })
      .toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(at);
    const { api_key: stale } = await newKey({ expires_at: new Date(Date.now() - 1000).toISOString() });
    expectError(await withKey(stale), 401, 'invalid_api_key');
  });

  test('5.2 a revoked key is invalid, and the institute’s other keys go on', async () => {
    const { api_key, key_id } = await newKey();
    expect((await withKey(api_key)).status).toBe(200);
    await service.control.as({}).control.revokeKey.mutate({ key_id });
    expectError(await withKey(api_key), 401, 'invalid_api_key');
    expect((await tenant.api.get('/me')).status).toBe(200);
  });

  test('5.3 a new key has read and write and no more', async () => {
    const { api_key } = await newKey();
    const { body } = await apiClient(service.baseUrl, api_key).get<Account>('/me');
    expect(body.scopes).toEqual(['evaluation:read', 'evaluation:write']);
  });
});

describe('5.4 scopes', () => {
  test.each([
    ['evaluation:read', reads.map((path) => ['GET', path] as const)],
    ['evaluation:write', writes.map((path) => ['POST', path] as const)],
  ])(
    '5.4 without %s its endpoints answer insufficient_scope, before media type, body and existence',
    async (scope, paths) => {
      const others = (
        ['evaluation:read', 'evaluation:write', 'evaluation:review', 'evaluation:finalize'] as const
      ).filter((one) => one !== scope);
      const { api_key } = await newKey({ scopes: others });
      for (const [method, path] of paths) {
        const error = expectError(await withKey(api_key, method, path), 403, 'insufficient_scope');
        expect({ path, details: error.details }).toEqual({ path, details: { required_scope: scope } });
      }
    },
  );

  test('5.5 GET /me needs a key and no scope', async () => {
    const { api_key } = await newKey({ scopes: [] });
    const { status, body } = await apiClient(service.baseUrl, api_key).get<Account>('/me');
    expect({ status, scopes: body.scopes }).toEqual({ status: 200, scopes: [] });
  });

  test('5.4 an institute without the API answers product_not_enabled, before scope', async () => {
    const disabled = await newTenant(service, { apiEnabled: false, scopes: [] });
    for (const [method, path] of routes) {
      expectError(
        await call(tenant.api, method, path, { 'x-api-key': disabled.api.apiKey }),
        403,
        'product_not_enabled',
      );
    }
  });

  test('5.4 what a key without write sends changes nothing', async () => {
    const { api_key } = await newKey({ scopes: ['evaluation:read'] });
    const body = typedExam([mcq('1')], { external_ref: 'forbidden' });
    expectError(await apiClient(service.baseUrl, api_key).post('/exams', body), 403, 'insufficient_scope');
    expect((await tenant.api.post('/exams', body)).status).toBe(201);
  });
});
