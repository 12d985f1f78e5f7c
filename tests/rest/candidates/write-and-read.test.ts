import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Candidate, CandidatesCreated, CandidatesFound } from '@evaluation/rest-contract/schemas';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, expectOk, newTenant, type Tenant } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();
const other = await newTenant(service);

const create = async (...candidates: object[]): Promise<CandidatesCreated['candidates']> =>
  expectOk(await tenant.api.post<CandidatesCreated>('/candidates', { candidates })).candidates;
const createOne = async (candidate: object): Promise<string> => (await create(candidate))[0]?.id ?? '';
const read = async (id: string): Promise<Candidate> =>
  expectOk(await tenant.api.get<Candidate>(`/candidates/${id}`));
const search = async (externalIds: string[], owner: Tenant = tenant): Promise<Candidate[]> =>
  expectOk(
    await owner.api.post<CandidatesFound>('/candidates/search', {
      external_ids: externalIds,
    }),
  ).data;
const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ external_id: `${prefix}${index}` }));

describe('POST /candidates', () => {
  test('answers id, external_id and whether it was created, in the order of the request', async () => {
    const [first] = await create({ external_id: 'order-b' });
    expect(first).toMatchObject({ external_id: 'order-b', created: true });
    const both = await create({ external_id: 'order-a' }, { external_id: 'order-b' });
    expect(both).toEqual([
      { id: expect.any(String), external_id: 'order-a', created: true },
      { id: first?.id, external_id: 'order-b', created: false },
    ]);
  });

  test('a candidate is returned as sent, with id, created_at and updated_at', async () => {
    const sent = {
      external_id: 'whole',
      name: 'Zoë Ü. 😀 & Co',
      roll_number: '007',
      section_or_class: '12-B',
      metadata: { list: [1, 2.5, null, 'x'], nested: { deep: { er: true } }, text: '<b>', 'a key': '' },
    };
    const candidate = await read(await createOne(sent));
    expect(candidate).toEqual({
      ...sent,
      id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: candidate.created_at,
    });
  });

  test('fields that were never sent are null', async () => {
    expect(await read(await createOne({ external_id: 'bare' }))).toMatchObject({
      name: null,
      roll_number: null,
      section_or_class: null,
      metadata: null,
    });
  });

  test('sent fields replace; omitted or null fields keep the stored value', async () => {
    const id = await createOne({
      external_id: 'keep',
      name: 'Asha Rao',
      roll_number: '17',
      section_or_class: '10-A',
      metadata: { house: 'red', year: 1 },
    });
    const before = await read(id);

    await create({ external_id: 'keep' });
    await create({
      external_id: 'keep',
      name: null,
      roll_number: null,
      section_or_class: null,
      metadata: null,
    });
    expect(await read(id)).toEqual(before);

    await create({ external_id: 'keep', roll_number: '', metadata: { year: 2 } });
    const after = await read(id);
    expect(after).toEqual({
      ...before,
      roll_number: '',
      metadata: { year: 2 },
      updated_at: after.updated_at,
    });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));

    await create({ external_id: 'keep', metadata: {} });
    expect((await read(id)).metadata).toEqual({});
  });

  test('updated_at does not change when the same values are sent again', async () => {
    const same = { external_id: 'same', name: 'Same', metadata: { a: 1, b: [true] } };
    const id = await createOne(same);
    const before = await read(id);
    await create({ ...same, metadata: { b: [true], a: 1 } });
    expect(await read(id)).toEqual(before);
  });

  test('external_id is unique per institute: the same one in two institutes names two candidates', async () => {
    const ours = await createOne({ external_id: 'shared', name: 'Ours' });
    const { body } = await other.api.post<CandidatesCreated>('/candidates', {
      candidates: [{ external_id: 'shared', name: 'Theirs' }],
    });
    expect(body.candidates[0]).toMatchObject({ created: true });
    expect(body.candidates[0]?.id).not.toBe(ours);
    expect((await read(ours)).name).toBe('Ours');
  });

  test('accepts 2000 candidates in one call', async () => {
    const made = await create(...many(2000, 'bulk-'));
    expect(made.filter(({ created }) => created)).toHaveLength(2000);
    expect(new Set(made.map(({ id }) => id)).size).toBe(2000);
    const again = await create(...many(2000, 'bulk-').toReversed());
    expect(again).toEqual(made.map((row) => ({ ...row, created: false })).toReversed());
  });

  test.each([
    ['none', { candidates: [] }, 'candidates: too_short'],
    ['2001', { candidates: many(2001, 'over-') }, 'candidates: too_long'],
    ['no list', {}, 'candidates: required'],
    ['null', { candidates: null }, 'candidates: invalid_type'],
    [
      'one candidate twice',
      { candidates: [...many(1, 'over-'), ...many(1, 'over-')] },
      'candidates[1].external_id: duplicate',
    ],
  ])('accepts 1 to 2000 different candidates: %s is refused', async (_name, body, problem) => {
    expect(expectInvalid(await tenant.api.post('/candidates', body))).toEqual([problem]);
    expect(await search(['over-0'])).toEqual([]);
  });

  test('every problem is listed with its path, also a repeated external_id; unknown fields are ignored, and nothing is stored', async () => {
    const candidates = [
      { external_id: 'fine', shoe_size: 42 },
      { name: '<b>' },
      { external_id: 'x'.repeat(129), roll_number: 'r'.repeat(65) },
      { external_id: 'fine', name: 'Again' },
    ];
    const answer = await tenant.api.post('/candidates', { candidates });
    expect(expectInvalid(answer).toSorted()).toEqual([
      'candidates[1].external_id: required',
      'candidates[1].name: invalid_characters',
      'candidates[2].external_id: too_long',
      'candidates[2].roll_number: too_long',
      'candidates[3].external_id: duplicate',
    ]);
    expect(await search(['fine'])).toEqual([]);
    expect(await create({ external_id: 'fine', shoe_size: 42 })).toMatchObject([{ created: true }]);
  });

  test('of calls that create the same candidates at the same time, exactly one reports each as created', async () => {
    const batch = many(40, 'race-');
    const calls = await Promise.all(
      Array.from({ length: 6 }, (_, call) => {
        const named = batch.map((candidate) => ({ ...candidate, name: `call ${call}` }));
        return create(...(call % 2 === 0 ? named : named.toReversed()));
      }),
    );
    for (const { external_id } of batch) {
      const answers = calls.flat().filter((row) => row.external_id === external_id);
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    }
  });
});

describe('POST /candidates/search', () => {
  test('finds candidates by external_id, in the order asked for; unknown ids are omitted', async () => {
    await create({ external_id: 'find-1', name: 'One' }, { external_id: 'find-2', name: 'Two' });
    const found = await search(['find-2', 'unknown', 'find-1', 'find-2', 'FIND-1']);
    expect(found.map(({ external_id }) => external_id)).toEqual(['find-2', 'find-1']);
    for (const candidate of found) expect(await read(candidate.id)).toEqual(candidate);
  });

  test('finds only the institute’s own candidates', async () => {
    await create({ external_id: 'private' });
    expect(await search(['private'], other)).toEqual([]);
  });

  test('accepts 1 to 500 ids', async () => {
    const ids = many(501, 'bulk-').map(({ external_id }) => external_id);
    await create(...many(500, 'bulk-'));
    expect(await search(ids.slice(0, 500))).toHaveLength(500);
    const refusals = [
      [{ external_ids: ids }, 'external_ids: too_long'],
      [{ external_ids: [] }, 'external_ids: too_short'],
      [{}, 'external_ids: required'],
      [{ external_ids: ['a', 7] }, 'external_ids[1]: invalid_type'],
    ] as const;
    for (const [body, problem] of refusals) {
      expect(expectInvalid(await tenant.api.post('/candidates/search', body))).toEqual([problem]);
    }
  });
});

describe('GET /candidates/{id}', () => {
  test('an unknown, malformed or foreign id, or an external_id, answers candidate_not_found', async () => {
    const id = await createOne({ external_id: 'mine' });
    for (const unknown of [randomUUID(), 'mine', '1', `${id}0`]) {
      expectError(await tenant.api.get(`/candidates/${unknown}`), 404, 'candidate_not_found');
    }
    expectError(await other.api.get(`/candidates/${id}`), 404, 'candidate_not_found');
    expect((await read(id.toUpperCase())).id).toBe(id);
  });
});
