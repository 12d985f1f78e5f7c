import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { apiClient, createExam, type Answer, type ApiClient, type ErrorBody } from '../../harness/api.ts';
import { eventually } from '../../harness/ledger.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { expectError, newTenant, startIdleService } from '../../harness/tenant.ts';
import type { TestService } from '../../harness/service.ts';

/* Limits low enough to be reached; the last test checks the defaults. Windows follow the clock, see `inOneMinute`. */

const SMALL: Record<string, string> = {
  RATE_LIMITS_STANDARD:
    'key:reads:minute=6,institute:reads:minute=9,key:writes:minute=4,key:upload_files:minute=100',
  RATE_LIMITS_HIGH: 'key:reads:minute=8',
};

let service: TestService;
const withLimits = (settings: Record<string, string>): void => {
  beforeAll(async () => {
    service = await startIdleService(settings);
  });
  afterAll(() => service.close());
};

const MINUTE = 60_000;

/** Waits for the next window if this one ends soon; the following requests take seconds. */
const inOneMinute = async (): Promise<void> => {
  const left = MINUTE - (Date.now() % MINUTE);
  if (left < 8_000) await wait(left + 50);
};

const newKey = async (instituteId: string, more: object = {}): Promise<ApiClient> => {
  const { api_key } = await service.control
    .as({})
    .control.createKey.mutate({ institute_id: instituteId, ...more });
  return apiClient(service.baseUrl, api_key);
};

const rateOf = ({ headers }: { headers: Headers }): (number | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => {
    const value = headers.get(name);
    return value === null ? null : Number(value);
  });
const limitAndRemaining = (answer: { headers: Headers }): (number | null)[] => rateOf(answer).slice(0, 2);

const expectLimited = (answer: Answer<ErrorBody>, limit: number): void => {
  expectError(answer, 429, 'rate_limited');
  const [limits, remaining, reset] = rateOf(answer);
  expect([limits, remaining]).toEqual([limit, 0]);
  expect(reset).toBeGreaterThanOrEqual(1);
  expect(reset).toBeLessThanOrEqual(60);
  expect(Number(answer.headers.get('retry-after'))).toBe(reset);
};

const oneFile = { file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 1000 };
const files = (count: number): object => ({ files: Array.from({ length: count }, () => oneFile) });
const statusesOf = async (calls: Promise<Answer<unknown>>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status);

describe('small limits', () => {
  withLimits(SMALL);

  test('every GET and the three look-ups by POST are reads, all others are writes, and each is counted separately', async () => {
    await inOneMinute();
    const { api } = await newTenant(service);
    expect(limitAndRemaining(await api.get('/me'))).toEqual([6, 5]);
    expect(limitAndRemaining(await api.get('/exams'))).toEqual([6, 4]);
    expect(limitAndRemaining(await api.post('/exams/search', { external_ref: 'x' }))).toEqual([6, 3]);
    expect(limitAndRemaining(await api.post('/candidates/search', { external_ids: ['x'] }))).toEqual([6, 2]);
    expect(limitAndRemaining(await api.post('/credits/quote', { pages: 1 }))).toEqual([6, 1]);
    const exam = await createExam(api, typedExam([mcq('1')]));
    expect(limitAndRemaining(await api.patch(`/exams/${exam.id}`, { title: 'New' }))).toEqual([4, 2]);
    expect(limitAndRemaining(await api.delete(`/exams/${exam.id}`))).toEqual([4, 1]);
    const head = await api.send('/me', { method: 'HEAD' });
    expect(limitAndRemaining(head)).toEqual([6, 0]);
    expectLimited(await api.get('/me'), 6);
    expect(limitAndRemaining(await api.post('/candidates', { candidates: [] }))).toEqual([4, 0]);
    expectLimited(await api.post('/candidates', { candidates: [] }), 4);
  });

  test('POST /uploads is a write, and each presigned file counts against the limit of files', async () => {
    await inOneMinute();
    const { api } = await newTenant(service);
    const first = await api.post('/uploads', files(60));
    expect({ status: first.status, rate: limitAndRemaining(first) }).toEqual({
      status: 201,
      rate: [100, 40],
    });
    const refused = await api.post('/uploads', files(41));
    expectError(refused, 429, 'rate_limited');
    expect(limitAndRemaining(refused)).toEqual([100, 40]);
    // The refused request used up neither files nor a write.
    const second = await api.post('/uploads', files(40));
    expect({ status: second.status, rate: limitAndRemaining(second) }).toEqual({
      status: 201,
      rate: [100, 0],
    });
    expect(limitAndRemaining(await api.post('/candidates', {}))).toEqual([4, 1]);
  });

  test('a POST /uploads that presigns nothing counts as a write and no files', async () => {
    await inOneMinute();
    const { api } = await newTenant(service);
    expectError(await api.post('/uploads', { files: [{ file_name: 'a.pdf' }] }), 422, 'validation_failed');
    expectError(await api.post('/uploads', files(101)), 422, 'validation_failed');
    const broken = await api.send('/uploads', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(broken.status).toBe(400);
    expect(limitAndRemaining(broken)).toEqual([4, 1]);
    // The fourth write may still presign all files. Of two equally used windows, the headers report one.
    const all = await api.post('/uploads', files(100));
    expect({ status: all.status, left: limitAndRemaining(all)[1] }).toEqual({ status: 201, left: 0 });
  });

  test('a request counts against its key and against the institute, over all of its keys', async () => {
    await inOneMinute();
    const { api, instituteId } = await newTenant(service);
    const other = await newKey(instituteId);
    for (let i = 0; i < 5; i += 1) expect((await api.get('/me')).status).toBe(200);
    for (let i = 0; i < 4; i += 1) expect((await other.get('/me')).status).toBe(200);
    expectLimited(await other.get('/me'), 9);
    expectLimited(await api.get('/me'), 9);
    const elsewhere = await newTenant(service);
    expect((await elsewhere.api.get('/me')).status).toBe(200);
  });

  test('a refused request uses up no window', async () => {
    await inOneMinute();
    const { api, instituteId } = await newTenant(service);
    for (let i = 0; i < 6; i += 1) expect((await api.get('/me')).status).toBe(200);
    // Refused by the key's window: the three left in the institute's window stay.
    for (let i = 0; i < 5; i += 1) expectLimited(await api.get('/me'), 6);
    const other = await newKey(instituteId);
    expect(await statusesOf([1, 2, 3].map(() => other.get('/me')))).toEqual([200, 200, 200]);
    expectLimited(await other.get('/me'), 9);
  });

  test('failed requests count and have the headers; those refused for key or scope do neither', async () => {
    await inOneMinute();
    const { instituteId } = await newTenant(service);
    const api = await newKey(instituteId, { scopes: ['evaluation:read'] });
    const unknown = await apiClient(service.baseUrl, 'x').get('/me');
    expect([unknown.status, ...rateOf(unknown)]).toEqual([401, null, null, null]);
    const forbidden = await api.post('/exams', {});
    expect([forbidden.status, ...rateOf(forbidden)]).toEqual([403, null, null, null]);
    const missing = await api.get('/exams/00000000-0000-4000-8000-000000000000');
    expect([missing.status, ...limitAndRemaining(missing)]).toEqual([404, 6, 5]);
    const invalid = await api.get('/submissions?limit=0');
    expect([invalid.status, ...limitAndRemaining(invalid)]).toEqual([422, 6, 4]);
    const media = await api.send('/exams/search', { method: 'POST', body: 'x' });
    expect([media.status, ...limitAndRemaining(media)]).toEqual([415, 6, 3]);
  });

  test('the limit is checked before media type, JSON and existence', async () => {
    await inOneMinute();
    const { api } = await newTenant(service);
    for (let i = 0; i < 4; i += 1) await api.post('/exams', {});
    const calls = [
      api.post('/exams/00000000-0000-4000-8000-000000000000/open'),
      api.send('/exams', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }),
      api.send('/uploads', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
    ];
    for (const { status } of await Promise.all(calls)) expect(status).toBe(429);
  });

  test('each key has the limits of its tier, and reads of all keys count for the institute', async () => {
    await inOneMinute();
    const { api, instituteId } = await newTenant(service);
    const high = await newKey(instituteId, { rate_tier: 'high' });
    for (let i = 0; i < 8; i += 1) expect((await high.get('/me')).status).toBe(200);
    expectLimited(await high.get('/me'), 8);
    expect(limitAndRemaining(await api.get('/me'))).toEqual([9, 0]);
    expectLimited(await api.get('/me'), 9);
  });

  test('a limit without a value is not enforced, and has no headers', async () => {
    const { instituteId } = await newTenant(service);
    const high = await newKey(instituteId, { rate_tier: 'high' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => high.post('/candidates', {})));
    for (const answer of answers) expect([answer.status, ...rateOf(answer)]).toEqual([422, null, null, null]);
  });
});

describe('windows of a second and of a minute', () => {
  withLimits({ RATE_LIMITS_STANDARD: 'key:reads:minute=100,institute:reads:second=5' });

  test('the headers report the window with the smallest share left; after its end it is full again', async () => {
    await inOneMinute();
    const { api } = await newTenant(service);
    const { headers } = await api.get('/me');
    expect(rateOf({ headers })).toEqual([5, 4, 1]);
    const all = await Promise.all(Array.from({ length: 30 }, () => api.get('/me')));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(rateOf(answer)).toEqual([5, 0, 1]);
    await wait(1000 * Number(refused[0]?.headers.get('retry-after')));
    expect((await api.get('/me')).status).toBe(200);
    // With enough use of the minute's window, its share is the smallest.
    const slow = await newTenant(service);
    let limits: (number | null)[] = [];
    for (let i = 0; i < 25; i += 1) {
      limits = limitAndRemaining(await slow.api.get('/me'));
      if (limits[0] === 100) break;
      await wait(210);
    }
    expect(limits[0]).toBe(100);
  });
});

describe('defaults', () => {
  withLimits({ RATE_LIMITS_STANDARD: '', RATE_LIMITS_HIGH: '' });

  test('by default the standard tier allows 40 reads per second and institute, 600 reads and 120 writes per minute and key', async () => {
    const { api } = await newTenant(service);
    const refused: Answer<ErrorBody>[] = [];
    const limits = new Set<number | null>();
    const secondNow = () => Math.floor(Date.now() / 1000);
    const first = secondNow();
    let admitted = 0;
    // A slow machine answers fewer than 40 reads in most seconds, so read until one is refused.
    await eventually('a read is refused', async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => api.get<ErrorBody>('/me')));
      for (const answer of answers) limits.add(rateOf(answer)[0] ?? null);
      refused.push(...answers.filter(({ status }) => status === 429));
      admitted += answers.filter(({ status }) => status === 200).length;
      expect(admitted).toBeLessThanOrEqual(40 * (secondNow() - first + 1));
      return refused.length > 0;
    });
    expect(limits).toContain(40);
    for (const answer of refused) expect([40, 600]).toContain(rateOf(answer)[0]);

    await inOneMinute();
    const writes = await Promise.all(Array.from({ length: 125 }, () => api.post('/candidates', {})));
    expect(writes.filter(({ status }) => status === 422)).toHaveLength(120);
    for (const answer of writes.filter(({ status }) => status !== 422)) expectLimited(answer, 120);
  });
});
