import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { submit } from '../../harness/api.ts';
import {
  everyEndpoint,
  newOwnedObjects,
  paramsOf,
  send,
  type Call,
  type Endpoint,
  type OwnedObjects,
} from '../../harness/endpoints.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { seen } from '../../harness/seenAnswer.ts';
import { newTenant, tenantState, wholeFeed, type Tenant } from '../../harness/tenant.ts';

const { service, tenant: mine } = await restSuite();
const theirs = await newTenant(service);
const [own, foreign] = await Promise.all([newOwnedObjects(mine.api), newOwnedObjects(theirs.api)]);

const endpoints = everyEndpoint();

interface ForeignCall {
  name: string;
  endpoint: Endpoint;
  call: (id: string) => Call;
  foreignId: () => string;
  /** Code of the answer to an unknown id. */
  code: string;
}

const codeFor = (param: string): string =>
  ({ examId: 'exam_not_found', candidateId: 'candidate_not_found' })[param] ?? 'not_found';

const places: ForeignCall[] = endpoints.flatMap((endpoint) => [
  ...paramsOf(endpoint).map((param) => ({
    name: `${endpoint.method} ${endpoint.path}: ${param}`,
    endpoint,
    call: (id: string): Call => {
      const right = endpoint.call(own);
      return { ...right, params: { ...right.params, [param]: id } };
    },
    foreignId: () => endpoint.call(foreign).params?.[param] ?? '',
    code: codeFor(param),
  })),
  ...Object.entries(endpoint.inBody ?? {}).map(([field, { idOf, call }]) => ({
    name: `${endpoint.method} ${endpoint.path}: ${field} of the body`,
    endpoint,
    call: (id: string): Call => call(own, id),
    foreignId: () => idOf(foreign),
    code: '',
  })),
]);

const asMe = (endpoint: Endpoint, call: Call): Promise<Response> =>
  send(service.baseUrl, endpoint, call, { 'x-api-key': mine.api.apiKey });

const stateOf = async (tenant: Tenant, { exam }: OwnedObjects): Promise<object> => ({
  ...(await tenantState(tenant)),
  exams: (await tenant.api.get('/exams?limit=200')).body,
  registered: (await tenant.api.get(`/exams/${exam.id}/candidates`)).body,
});
const both = async (): Promise<object[]> => [await stateOf(mine, own), await stateOf(theirs, foreign)];
/** What both institutes hold. No request about an id of the other institute changes it. */
const unchanged = await both();

describe('another institute’s id', () => {
  test.each(places.map((place): [string, ForeignCall] => [place.name, place]))(
    '%s answers byte for byte like an unknown id',
    async (_name, { endpoint, call, foreignId }) => {
      const theirId = foreignId();
      expect(theirId).not.toBe('');
      const unknownId = randomUUID();
      const unknown = await seen(await asMe(endpoint, call(unknownId)), unknownId);
      expect(await seen(await asMe(endpoint, call(theirId)), theirId)).toEqual(unknown);
      expect(await seen(await asMe(endpoint, call(theirId.toUpperCase())), theirId.toUpperCase())).toEqual(
        unknown,
      );
      expect(await both()).toEqual(unchanged);
    },
  );

  const paths = places.filter(({ name }) => !name.endsWith('of the body'));

  test.each(paths.map((place): [string, ForeignCall] => [place.name, place]))(
    '%s answers 404, also for a malformed id and with an invalid body',
    async (_name, { endpoint, call, foreignId, code }) => {
      const unknown = await seen(await asMe(endpoint, call(randomUUID())), '-');
      expect(unknown).toMatchObject({ status: 404, body: expect.stringContaining(`"code":"${code}"`) });
      if (call('').body !== undefined) {
        const invalid = { ...call(randomUUID()), body: [] };
        expect(await seen(await asMe(endpoint, invalid), '-')).toEqual(unknown);
      }
      for (const id of [
        'no-uuid',
        'x'.repeat(300),
        `${foreignId()}0`,
        '00000000-0000-0000-0000-000000000000',
      ])
        expect([id, await seen(await asMe(endpoint, call(id)), '-')]).toEqual([id, unknown]);
    },
  );

  test('all ids of a path at once answer the same', async () => {
    for (const endpoint of endpoints.filter((one) => paramsOf(one).length > 1)) {
      const call = endpoint.call(own);
      const unknown = Object.fromEntries(paramsOf(endpoint).map((name) => [name, randomUUID()]));
      const answers = [];
      for (const params of [unknown, endpoint.call(foreign).params ?? {}])
        answers.push(await seen(await asMe(endpoint, { ...call, params }), '-'));
      expect([endpoint.name, answers[1]]).toEqual([endpoint.name, answers[0]]);
    }
  });

  test('no answer contains an id or name of another institute', async () => {
    const names = JSON.stringify(foreign).match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
    expect(names).toEqual(expect.arrayContaining([foreign.exam.external_ref, foreign.externalId]));
    for (const endpoint of endpoints.filter(({ method }) => method === 'GET')) {
      const body = await (await asMe(endpoint, endpoint.call(own))).text();
      expect([endpoint.name, names.filter((name) => body.includes(name))]).toEqual([endpoint.name, []]);
    }
  });
});

test('two institutes share no feed, candidates or external ids', async () => {
  const before = (await wholeFeed(theirs.api)).map(({ id }) => id);
  const submission = await submit(mine.api, own.exam.id, {
    candidate: { external_id: foreign.externalId },
    answers: [],
  });
  expect(submission.candidate.id).not.toBe(foreign.candidateId);
  expect((await wholeFeed(theirs.api)).map(({ id }) => id)).toEqual(before);
  const { body } = await mine.api.get<{ candidate: { name: string | null } }>(
    `/submissions/${submission.id}/result`,
  );
  expect(body.candidate.name).toBeNull();
});

// Last: these requests change or delete the objects that they name.
test.each(endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]))(
  '%s: the owner’s own request succeeds',
  async (_name, endpoint) => {
    const response = await send(service.baseUrl, endpoint, endpoint.call(foreign), {
      'x-api-key': theirs.api.apiKey,
    });
    expect({ status: response.status, body: await response.text() }).toMatchObject({
      status: endpoint.ownerStatus ?? endpoint.success,
    });
  },
);
