import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SCOPES, type Account, type Scope } from '@evaluation/rest-contract/schemas';
import { answerOf, apiClient } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { everyEndpoint, newOwnedObjects, paramsOf, send, type Endpoint } from '../../harness/endpoints.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, newTenant, tenantState } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();
const own = await newOwnedObjects(tenant.api);

const endpoints = everyEndpoint();

const get = async (path: string, headers: Record<string, string> = {}) =>
  answerOf(await fetch(`${service.baseUrl}${path}`, { headers }));
const withKey = (key: string) => get('/me', { 'x-api-key': key });
const newKey = async (more: object = {}): Promise<{ api_key: string; key_id: string }> =>
  service.control.as({}).control.createKey.mutate({ institute_id: tenant.instituteId, ...more });

describe('keys', () => {
  test('a key that is unknown, malformed, or in another place is invalid, and no error repeats it', async () => {
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
    expectError(await get('/me', { authorization: `Bearer ${known}` }), 401, 'invalid_api_key');
    expectError(await get(`/me?x-api-key=${known}`), 401, 'invalid_api_key');
  });

  test('a key is a fixed prefix and 48 random hexadecimal characters', async () => {
    const keys = await Promise.all([newKey(), newKey()]);
    for (const { api_key } of keys) expect(api_key).toMatch(/^[A-Za-z0-9_]+_[0-9a-f]{48}$/);
    expect(new Set(keys.map(({ api_key }) => api_key)).size).toBe(2);
    expect(new Set(keys.map(({ api_key }) => api_key.slice(0, -48))).size).toBe(1);
  });

  test('a key works until it expires and not after', async () => {
    const at = Date.now() + 1500;
    const { api_key } = await newKey({ expires_at: new Date(at).toISOString() });
    const { status } = await withKey(api_key);
    // A very slow machine may reach the expiry before this request; then only the second half is checked.
    if (Date.now() < at) expect(status).toBe(200);
    await expect
      .poll(async () => (await withKey(api_key)).status, { timeout: 10_000, interval: 50 })
      .toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(at);
    const { api_key: stale } = await newKey({ expires_at: new Date(Date.now() - 1000).toISOString() });
    expectError(await withKey(stale), 401, 'invalid_api_key');
  });

  test('a new key has the scopes read and write only', async () => {
    const { api_key } = await newKey();
    const { body } = await apiClient(service.baseUrl, api_key).get<Account>('/me');
    expect(body.scopes).toEqual(['evaluation:read', 'evaluation:write']);
  });
});

const callers: [who: string, key: () => Promise<string | null>, status: number, code: string][] = [
  ['no key', async () => null, 401, 'invalid_api_key'],
  ['an empty key', async () => '', 401, 'invalid_api_key'],
  ['an unknown key', async () => `aek_${randomBytes(24).toString('hex')}`, 401, 'invalid_api_key'],
  ['a key that is too long', async () => tenant.api.apiKey + '0'.repeat(5000), 401, 'invalid_api_key'],
  ['a key that is not ASCII', async () => `${tenant.api.apiKey.slice(0, -1)}\u00e9`, 401, 'invalid_api_key'],
  ['a revoked key', () => keys.revoked(), 401, 'invalid_api_key'],
  ['an expired key', () => keys.expired(), 401, 'invalid_api_key'],
  ['a key whose institute has no API', () => keys.disabled(), 403, 'product_not_enabled'],
  [
    'a key without any scope, of such an institute',
    () => keys.disabledScopeless(),
    403,
    'product_not_enabled',
  ],
  ['a key without any scope', () => keys.with([]), 403, 'insufficient_scope'],
  ...SCOPES.map((scope): (typeof callers)[number] => [
    `a key with every scope but ${scope}`,
    () => keys.with(SCOPES.filter((one) => one !== scope)),
    403,
    'insufficient_scope',
  ]),
];

/** Made once, by the first test that needs it. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};
const withScopes = new Map<string, () => Promise<string>>();
const keys = {
  revoked: once(async () => {
    const { api_key, key_id } = await newKey();
    await service.control.as({}).control.revokeKey.mutate({ key_id });
    return api_key;
  }),
  expired: once(async () => {
    const expires_at = new Date(Date.now() - 1000).toISOString();
    return (await newKey({ expires_at, scopes: [...SCOPES] })).api_key;
  }),
  disabled: once(async () => (await newTenant(service, { apiEnabled: false })).api.apiKey),
  disabledScopeless: once(
    async () => (await newTenant(service, { apiEnabled: false, scopes: [] })).api.apiKey,
  ),
  with: (scopes: Scope[]): Promise<string> => {
    const known = withScopes.get(scopes.join()) ?? once(async () => (await newKey({ scopes })).api_key);
    withScopes.set(scopes.join(), known);
    return known();
  },
};

/** Whether the caller's scopes allow the endpoint; then this table does not apply. */
const isAllowed = ({ scope }: Endpoint, who: string): boolean =>
  who.startsWith('a key with every scope but')
    ? !who.endsWith(` ${scope}`)
    : who === 'a key without any scope' && scope === null;

/** A request that succeeds with the right key, and one that is invalid in every other respect. */
const requestsOf = (endpoint: Endpoint, key: string | null) => {
  const headers = key === null ? {} : { 'x-api-key': key };
  const unknown = Object.fromEntries(paramsOf(endpoint).map((name) => [name, 'no-uuid']));
  return [
    () => send(service.baseUrl, endpoint, endpoint.call(own), headers),
    () =>
      endpoint.method === 'GET'
        ? send(service.baseUrl, endpoint, { params: unknown }, headers)
        : send(
            service.baseUrl,
            endpoint,
            { params: unknown, body: {} },
            { ...headers, 'content-type': 'text/plain' },
          ),
  ];
};

const everything = async (): Promise<object> => ({
  ...(await tenantState(tenant)),
  exams: (await tenant.api.get('/exams?limit=200')).body,
  questions: (await tenant.api.get(`/exams/${own.draft.id}/questions?include=rubric,model_answer`)).body,
  registered: (await tenant.api.get(`/exams/${own.exam.id}/candidates`)).body,
  probe: (await tenant.api.post('/candidates/search', { external_ids: ['probe', own.externalId] })).body,
});

describe('every endpoint', () => {
  test.each(callers)(
    'answers %s as documented, before any other check, and has no effect',
    async (who, key, status, code) => {
      const before = await everything();
      const refused = endpoints.filter((endpoint) => !isAllowed(endpoint, who));
      const apiKey = await key();
      for (const endpoint of refused) {
        for (const request of requestsOf(endpoint, apiKey)) {
          const answer = await answerOf(await request());
          const error = expectError(answer, status, code);
          expect({ endpoint: endpoint.name, details: error.details }).toEqual({
            endpoint: endpoint.name,
            details: code === 'insufficient_scope' ? { required_scope: endpoint.scope } : undefined,
          });
        }
      }
      expect(await everything()).toEqual(before);
    },
  );

  test('accepts a key with only the required scope, and GET /me accepts any key', async () => {
    for (const endpoint of endpoints) {
      if (endpoint.scope === 'public') continue;
      const apiKey = await keys.with(endpoint.scope === null ? ['evaluation:finalize'] : [endpoint.scope]);
      const params = Object.fromEntries(paramsOf(endpoint).map((name) => [name, randomUUID()]));
      // An unknown object or an invalid body: passes the key check, and has no effect.
      const body = endpoint.method === 'GET' ? {} : { body: null };
      const response = await send(service.baseUrl, endpoint, { params, ...body }, { 'x-api-key': apiKey });
      await response.arrayBuffer();
      const { status } = response;
      expect([endpoint.name, status, status < 300 || status === 404 || status === 422]).toEqual([
        endpoint.name,
        status,
        true,
      ]);
    }
  });

  test('enforces exactly the key and scope of openapi.json', async () => {
    const { paths } = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Described;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const none = await keys.with([]);
    const enforced = [];
    for (const endpoint of endpoints) {
      const ask = async (headers: Record<string, string>) =>
        answerOf(await send(service.baseUrl, endpoint, { params: {} }, headers));
      const [without, scopeless] = [await ask({}), await ask({ 'x-api-key': none })];
      enforced.push({
        operation: endpoint.name,
        key: without.status === 401,
        scope: scopeless.status === 403 ? (scopeless.body.error.details?.['required_scope'] ?? 'none') : null,
      });
    }
    const byName = (a: { operation: string }, b: { operation: string }) =>
      a.operation.localeCompare(b.operation);
    const documented = operations.map(({ operationId, security, responses, ...more }) => {
      const scope = more['x-required-scope'] ?? null;
      expect([operationId, security]).toEqual([operationId, [{ ApiKey: scope === null ? [] : [scope] }]]);
      return { operation: operationId, key: '401' in responses && '403' in responses, scope };
    });
    expect(enforced.toSorted(byName)).toEqual(documented.toSorted(byName));
  });
});

interface Described {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        security: object[];
        responses: Record<string, object>;
        'x-required-scope'?: string;
      }
    >
  >;
}

describe('scopes', () => {
  test('a review needs evaluation:review, finalizing evaluation:finalize, a look-up evaluation:read, and the rest evaluation:write', () => {
    const others: Record<string, Scope | null> = {
      'account.me': null,
      'exams.search': 'evaluation:read',
      'candidates.search': 'evaluation:read',
      'credits.quote': 'evaluation:read',
      'submissions.override': 'evaluation:review',
      'submissions.approve': 'evaluation:review',
      'exams.finalize': 'evaluation:finalize',
      'submissions.unfinalize': 'evaluation:finalize',
    };
    for (const { name, method, scope } of endpoints) {
      const usual = method === 'GET' ? 'evaluation:read' : 'evaluation:write';
      expect([name, scope]).toEqual([name, name in others ? others[name] : usual]);
    }
  });

  test('GET /me answers a key with no scope, with any one, and with one that this release does not know', async () => {
    for (const scopes of [[], ...SCOPES.map((scope) => [scope])]) {
      const { body } = await apiClient(service.baseUrl, await keys.with(scopes)).get<Account>('/me');
      expect(body.scopes).toEqual(scopes);
    }
    const { api_key, key_id } = await newKey();
    await behind(service.database, `update api_keys set scopes = '{evaluation:publish}' where id = $1`, [
      key_id,
    ]);
    const { status, body } = await apiClient(service.baseUrl, api_key).get<Account>('/me');
    expect({ status, scopes: body.scopes }).toEqual({ status: 200, scopes: [] });
  });
});
