import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coreOverHttp } from '@evaluation/core-client';
import { readFacadeSettings } from '@evaluation/platform/settings';
import { apiClient, type ErrorBody } from '../../harness/api.ts';
import { eventually } from '../../harness/ledger.ts';
import { startProgram, startSplitService, type SplitService } from '../../harness/processes.ts';

/** Two facades cache keys as long as allowed and receive core's messages. NATS does not reach the third one. */
const CACHE_SECONDS = 30;
const DEAF_CACHE_SECONDS = 2;
/** Far less than the cache, far more than a message takes on a busy machine. */
const SOON_MS = 10_000;

let service: SplitService;
let replicas: string[];
let deaf: string;
let core: ReturnType<typeof coreOverHttp>;
beforeAll(async () => {
  service = await startSplitService({ KEY_CACHE_SECONDS: String(CACHE_SECONDS) });
  const { environment } = service;
  const [second, third] = await Promise.all([
    startProgram('facade', environment),
    startProgram('facade', {
      ...environment,
      NATS_URL: 'nats://127.0.0.1:1',
      KEY_CACHE_SECONDS: String(DEAF_CACHE_SECONDS),
    }),
  ]);
  replicas = [service.api.baseUrl, second.name];
  deaf = third.name;
  core = coreOverHttp({ url: service.core().name, token: environment['CORE_CONTROL_TOKEN'] ?? '' });
});
afterAll(async () => {
  await core.close();
  await service.close();
});

const control = () => core.as({}).control;
const newKey = () => control().createKey.mutate({ institute_id: service.instituteId });
/** Requests a list by default: GET /me would not test the facade's cache, because core looks up the key again. */
const ask = async (baseUrl: string, apiKey: string, path = '/exams'): Promise<string> => {
  const { status, body } = await apiClient(baseUrl, apiKey).get<Partial<ErrorBody>>(path);
  return body.error?.code ?? String(status);
};
const asked = (apiKey: string, path?: string) => Promise.all(replicas.map((url) => ask(url, apiKey, path)));

/** Waits until every replica gives this answer. @returns how long it took, in ms */
const untilAll = async (answer: string, apiKey: string, path?: string): Promise<number> => {
  const begun = performance.now();
  await eventually(`${answer} of every replica`, async () =>
    (await asked(apiKey, path)).every((code) => code === answer),
  );
  return performance.now() - begun;
};

describe('every replica', () => {
  test('refuses a revoked key at once, although it caches keys for half a minute', async () => {
    const { api_key, key_id } = await newKey();
    const { api_key: other } = await newKey();
    expect([...(await asked(api_key)), ...(await asked(other))]).toEqual(['200', '200', '200', '200']);
    await control().revokeKey.mutate({ key_id });
    expect(await untilAll('invalid_api_key', api_key)).toBeLessThan(SOON_MS);
    expect(await asked(other)).toEqual(['200', '200']);
  });

  test('applies at once that an institute’s API is disabled, and enabled again', async () => {
    const { institute_id } = await control().createInstitute.mutate({ name: 'Blinking School', credits: 1 });
    const { api_key } = await control().createKey.mutate({ institute_id });
    expect(await asked(api_key)).toEqual(['200', '200']);
    await control().editInstitute.mutate({ institute_id, api_enabled: false });
    expect(await untilAll('product_not_enabled', api_key)).toBeLessThan(SOON_MS);
    await control().editInstitute.mutate({ institute_id, api_enabled: true });
    expect(await untilAll('200', api_key)).toBeLessThan(SOON_MS);
  });

  test('applies a key’s new scopes and expiry at once', async () => {
    const { api_key, key_id } = await newKey();
    expect(await asked(api_key)).toEqual(['200', '200']);
    await control().editKey.mutate({ key_id, scopes: ['evaluation:write'] });
    expect(await untilAll('insufficient_scope', api_key)).toBeLessThan(SOON_MS);
    await control().editKey.mutate({ key_id, expires_at: new Date(Date.now() - 1000).toISOString() });
    expect(await untilAll('invalid_api_key', api_key)).toBeLessThan(SOON_MS);
    await control().editKey.mutate({ key_id, expires_at: null });
    expect(await untilAll('200', api_key, '/me')).toBeLessThan(SOON_MS);
  });

  test('an expiry that passes while a key is cached is enforced', async () => {
    const at = Date.now() + 1500;
    const { api_key } = await control().createKey.mutate({
      institute_id: service.instituteId,
      expires_at: new Date(at).toISOString(),
    });
    const first = await asked(api_key);
    if (Date.now() < at) expect(first).toEqual(['200', '200']);
    await untilAll('invalid_api_key', api_key);
    expect(Date.now()).toBeGreaterThanOrEqual(at);
  });
});

describe('without NATS', () => {
  test('a facade still serves, and refuses a revoked key once its cache entry has expired', async () => {
    const { api_key, key_id } = await newKey();
    expect(await ask(deaf, api_key)).toBe('200');
    await control().revokeKey.mutate({ key_id });
    const begun = performance.now();
    await eventually('the facade forgets', async () => (await ask(deaf, api_key)) === 'invalid_api_key');
    expect(performance.now() - begun).toBeLessThan(DEAF_CACHE_SECONDS * 1000 + SOON_MS);
  });

  test('no setting lets a facade cache a key for more than half a minute', () => {
    const { environment } = service;
    expect(readFacadeSettings(environment).keyCacheSeconds).toBe(CACHE_SECONDS);
    expect(() => readFacadeSettings({ ...environment, KEY_CACHE_SECONDS: '31' })).toThrow(
      'KEY_CACHE_SECONDS',
    );
  });
});
