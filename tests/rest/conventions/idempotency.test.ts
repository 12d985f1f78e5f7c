import type { Account, Exam, Submission } from '@evaluation/rest-contract/schemas';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createExam, type ErrorBody } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { newTenant, wholeFeed, type Tenant } from '../../harness/tenant.ts';

const { service } = await restSuite();

interface Said<T> {
  status: number;
  replayed: string | null;
  text: string;
  body: T;
  requestId: string | null;
}

const post = async <T = ErrorBody>(
  tenant: Tenant,
  path: string,
  key: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Said<T>> => {
  const response = await tenant.api.send(path, {
    method: 'POST',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': key,
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    text,
    body: JSON.parse(text) as T,
    requestId: response.headers.get('x-request-id'),
  };
};

const outcomes = async (tenant: Tenant): Promise<number> => {
  const [row] = await behind<{ stored: number }>(
    service.database,
    'select count(*)::int as stored from idempotency_records where institute_id = $1',
    [tenant.instituteId],
  );
  return row?.stored ?? 0;
};

const PAPER = typedExam([mcq('1'), longAnswer('2')]);
const ANSWERS = [{ question_label: '2', text: 'Because of this.' }];
const submission = (externalId: string) => ({ candidate: { external_id: externalId }, answers: ANSWERS });

describe('same key, same request', () => {
  test('the stored response is returned byte for byte, with `Idempotent-Replayed: true`', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    const path = `/exams/${exam.id}/submissions`;
    const first = await post<Submission>(tenant, path, 'one', submission('asha'));
    const second = await post<Submission>(tenant, path, 'one', submission('asha'));
    expect({ status: first.status, replayed: first.replayed }).toEqual({ status: 202, replayed: null });
    expect({ status: second.status, replayed: second.replayed }).toEqual({ status: 202, replayed: 'true' });
    expect(second.text).toBe(first.text);
    expect(second.requestId).not.toBe(first.requestId);
    expect(await wholeFeed(tenant.api)).toHaveLength(1);
    expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(1);
    expect(await tenant.credits()).toMatchObject({ committed: 1 });
  });

  test('the order of fields and white space do not change a request', async () => {
    const tenant = await newTenant(service);
    const first = await post<Exam>(tenant, '/exams', 'k', '{"title":"A","mode":"typed"}');
    const second = await post<Exam>(tenant, '/exams', 'k', '{ "mode" : "typed",\n "title": "A" }');
    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 201, replayed: 'true', body: { id: first.body.id } });
  });

  test('every POST that creates or changes something accepts a key', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, { ...PAPER, open: false });
    const question = longAnswer('9');
    const calls: [string, unknown][] = [
      ['/exams', { title: 'B', mode: 'typed' }],
      [`/exams/${exam.id}/questions`, { questions: [question] }],
      ['/candidates', { candidates: [{ external_id: 'c' }] }],
      [`/exams/${exam.id}/candidates`, { candidates: [{ external_id: 'd' }] }],
      [`/exams/${exam.id}/open`, undefined],
      ['/uploads', { files: [{ file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 9 }] }],
      [`/exams/${exam.id}/submissions`, submission('e')],
    ];
    for (const [index, [path, body]] of calls.entries()) {
      const first = await post(tenant, path, `call ${index}`, body);
      expect({ path, status: first.status }).toMatchObject({
        status: expect.toSatisfy((s: number) => s < 300),
      });
      const second = await post(tenant, path, `call ${index}`, body);
      // Compared by value: a service that checks its responses, as this one does, writes fields in another order.
      expect({ path, status: second.status, replayed: second.replayed, body: second.body }).toEqual({
        path,
        status: first.status,
        replayed: 'true',
        body: first.body,
      });
    }
  });

  test('a POST that only looks up data runs each time', async () => {
    const tenant = await newTenant(service);
    for (const _ of [1, 2]) {
      const { status, replayed } = await post(tenant, '/candidates/search', 'k', { external_ids: ['x'] });
      expect({ status, replayed }).toEqual({ status: 200, replayed: null });
    }
  });

  test('keys are per institute', async () => {
    const [a, b] = [await newTenant(service), await newTenant(service)];
    const first = await post<Exam>(a, '/exams', 'k', { title: 'A', mode: 'typed' });
    const second = await post<Exam>(b, '/exams', 'k', { title: 'A', mode: 'typed' });
    expect(second).toMatchObject({ status: 201, replayed: null });
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('200 simultaneous requests with one key and body: one effect; the others replay or answer request_in_progress', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    const path = `/exams/${exam.id}/submissions`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => post(tenant, path, 'burst', submission('asha'))),
    );
    const kinds = Object.groupBy(answers, ({ status, replayed, body }) =>
      status === 202 ? (replayed === 'true' ? 'replayed' : 'made') : `${status} ${body.error.code}`,
    );
    expect(kinds['made']).toHaveLength(1);
    expect(
      Object.keys(kinds).filter((kind) => !['made', 'replayed', '409 request_in_progress'].includes(kind)),
    ).toEqual([]);
    expect(await wholeFeed(tenant.api)).toHaveLength(1);
    expect(await tenant.credits()).toMatchObject({ committed: 1 });
  });

  test('after 48 hours the key is free again, and the old outcome is deleted', async () => {
    const tenant = await newTenant(service);
    const age = (hours: number) =>
      behind(
        service.database,
        'update idempotency_records set created_at = clock_timestamp() - make_interval(hours => $2) where institute_id = $1',
        [tenant.instituteId, hours],
      );
    const first = await post<Exam>(tenant, '/exams', 'k', { title: 'A', mode: 'typed' });
    await age(47);
    expect((await post<Exam>(tenant, '/exams', 'k', { title: 'A', mode: 'typed' })).replayed).toBe('true');
    await age(49);
    const second = await post<Exam>(tenant, '/exams', 'k', { title: 'B', mode: 'typed' });
    expect(second).toMatchObject({ status: 201, replayed: null });
    expect(second.body.id).not.toBe(first.body.id);
  });
});

describe('same key, different request', () => {
  test.each([
    ['another body', (id: string) => [`/exams/${id}/submissions`, submission('binod')] as const],
    ['another path', () => ['/exams', submission('asha')] as const],
  ])('%s: 422 idempotency_key_reused, and no effect', async (_what, other) => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    await post(tenant, `/exams/${exam.id}/submissions`, 'k', submission('asha'));
    const [path, body] = other(exam.id);
    const refused = await post(tenant, path, 'k', body);
    expect(refused).toMatchObject({
      status: 422,
      replayed: null,
      body: { error: { code: 'idempotency_key_reused' } },
    });
    expect(await wholeFeed(tenant.api)).toHaveLength(1);
  });
});

describe('stored outcomes', () => {
  test('most 4xx: the refusal is replayed with the new request id, although the state has changed', async () => {
    const tenant = await newTenant(service);
    const refused = await post(tenant, '/exams', 'k', { mode: 'typed' });
    const again = await post(tenant, '/exams', 'k', { mode: 'typed' });
    expect(refused).toMatchObject({
      status: 422,
      replayed: null,
      body: { error: { code: 'validation_failed' } },
    });
    expect(again).toMatchObject({ status: 422, replayed: 'true' });
    expect(again.body.error.request_id).toBe(again.requestId);
    expect({ ...again.body.error, request_id: '' }).toEqual({ ...refused.body.error, request_id: '' });

    const path = `/exams/${crypto.randomUUID()}/open`;
    expect(await post(tenant, path, 'k2')).toMatchObject({ status: 404, replayed: null });
    expect(await post(tenant, path, 'k2')).toMatchObject({ status: 404, replayed: 'true' });
  });

  test('a refusal stores nothing besides its outcome', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    const body = { candidate: { external_id: 'new' }, answers: [{ question_label: 'x', text: 'y' }] };
    await post(tenant, `/exams/${exam.id}/submissions`, 'k', body);
    const found = await tenant.api.post<{ data: unknown[] }>('/candidates/search', { external_ids: ['new'] });
    expect(found.body.data).toEqual([]);
  });

  test('402 is not stored: once there are credits the same key runs', async () => {
    const tenant = await newTenant(service, { credits: 0 });
    const exam = await createExam(tenant.api, PAPER);
    const path = `/exams/${exam.id}/submissions`;
    expect((await post(tenant, path, 'k', submission('a'))).body.error.code).toBe('insufficient_credits');
    await service.control.as({}).control.grantCredits.mutate({ institute_id: tenant.instituteId, amount: 5 });
    expect(await post(tenant, path, 'k', submission('a'))).toMatchObject({ status: 202, replayed: null });
  });

  test('409 is not stored: once the state allows it the same key runs', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, { ...PAPER, open: false });
    const path = `/exams/${exam.id}/submissions`;
    expect((await post(tenant, path, 'k', submission('a'))).body.error.code).toBe('exam_not_open');
    await tenant.api.post(`/exams/${exam.id}/open`);
    expect(await post(tenant, path, 'k', submission('a'))).toMatchObject({ status: 202, replayed: null });
  });

  test('a used external_ref answers exam_exists with a key too, and the key runs once it is free', async () => {
    const tenant = await newTenant(service);
    const body = { title: 'A', mode: 'typed', external_ref: 'mid-term' };
    const { body: first } = await post<Exam>(tenant, '/exams', 'k1', body);
    const refused = await post(tenant, '/exams', 'k2', body);
    expect(refused).toMatchObject({ status: 409, replayed: null });
    expect(refused.body.error).toMatchObject({ code: 'exam_exists', details: { exam_id: first.id } });
    await tenant.api.delete(`/exams/${first.id}`);
    expect(await post(tenant, '/exams', 'k2', body)).toMatchObject({ status: 201, replayed: null });
  });

  test('a truncated body stores no outcome: the retry runs', async () => {
    const tenant = await newTenant(service);
    const { hostname, port } = new URL(tenant.api.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const refusedBefore = await outcomes(tenant);
    socket.write(
      `POST /v1/exams HTTP/1.1\r\nhost: x\r\nx-api-key: ${tenant.api.apiKey}\r\nidempotency-key: cut\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"title": "A", "mode"',
    );
    socket.end();
    socket.resume();
    await once(socket, 'close');
    const retried = await post(tenant, '/exams', 'cut', { title: 'A', mode: 'typed' });
    expect(retried).toMatchObject({ status: 201, replayed: null });
    expect(await outcomes(tenant)).toBe(refusedBefore + 1);
  });

  test('429 is not stored', async () => {
    const tenant = await newTenant(service, { dailyCopyQuota: 1 });
    const exam = await createExam(tenant.api, PAPER);
    const path = `/exams/${exam.id}/submissions`;
    await post(tenant, path, 'k1', submission('a'));
    for (const _ of [1, 2]) {
      const refused = await post(tenant, path, 'k2', submission('b'));
      expect(refused).toMatchObject({ status: 429, replayed: null });
    }
  });

  test('malformed JSON is refused, and stays refused under its key', async () => {
    const tenant = await newTenant(service);
    const broken = await post(tenant, '/exams', 'k', '{"title": ');
    expect(broken).toMatchObject({
      status: 400,
      replayed: null,
      body: { error: { code: 'malformed_json' } },
    });
    expect(await post(tenant, '/exams', 'k', '{"title": ')).toMatchObject({ status: 400, replayed: 'true' });
    const text = { 'content-type': 'text/plain' };
    expect(await post(tenant, '/exams', 't', 'x', text)).toMatchObject({ status: 415, replayed: null });
    expect(await post(tenant, '/exams', 't', 'x', text)).toMatchObject({ status: 415, replayed: 'true' });
    expect(await post(tenant, '/exams', 'k', { title: 'A', mode: 'typed' })).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency_key_reused' } },
    });
  });

  test('the scope is checked before a replay', async () => {
    const tenant = await newTenant(service);
    await post(tenant, '/exams', 'k', { title: 'A', mode: 'typed' });
    const reader = await tenant.withKey({ scopes: ['evaluation:read'] });
    expect(await post(reader, '/exams', 'k', { title: 'A', mode: 'typed' })).toMatchObject({
      status: 403,
      replayed: null,
    });
  });
});

describe('the Idempotency-Key header', () => {
  test.each([
    ['of 255 characters', 'k'.repeat(255)],
    ['with spaces and signs', 'a b~!"#'],
    ['of one character', '1'],
  ])('one %s is accepted', async (_what, key) => {
    const tenant = await newTenant(service);
    expect((await post(tenant, '/exams', key, { title: 'A', mode: 'typed' })).status).toBe(201);
  });

  test.each([
    ['of 256 characters', 'k'.repeat(256)],
    ['that is not ASCII', 'schlüssel'],
    ['that is empty', ''],
  ])('one %s answers 422 and names the header', async (_what, key) => {
    const tenant = await newTenant(service);
    const refused = await post(tenant, '/exams', key, { title: 'A', mode: 'typed' });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details?.errors).toMatchObject([{ field: 'Idempotency-Key' }]);
  });
});
