import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exam, ResultList, Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, newTenant } from '../../harness/tenant.ts';

/* The lists of an exam's submissions and results. Both have the same rows and filters. */

const CANDIDATES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const { service, tenant } = await restSuite();
const exam = await createExam(tenant.api, typedExam([mcq('1'), longAnswer('2')]));
/** Ids of the submissions by external id of the candidate. Candidate g also has a submission to another exam. */
const ids = new Map<string, string>();
beforeAll(async () => {
  const elsewhere = await createExam(tenant.api, typedExam([mcq('1')]));
  for (const external_id of CANDIDATES) {
    ids.set(external_id, (await submit(tenant.api, exam.id, { candidate: { external_id }, answers: [] })).id);
  }
  await submit(tenant.api, elsewhere.id, { candidate: { external_id: 'g' }, answers: [] });
  await flag('b', 'needs_review = true');
  await flag('c', 'finalized_at = now()');
  await flag('d', 'needs_review = true, finalized_at = now()');
});

/** Sets flags in the database; the exam stays open, since its counters are unchanged. */
const flag = (candidate: string, set: string) =>
  behind(service.database, `update submissions set ${set} where id = $1`, [ids.get(candidate)]);

interface Listed {
  candidates: string[];
  next: string | null;
  more: boolean;
}
const lists = {
  submissions: async (query: string, target = exam): Promise<Listed> => {
    const { status, body } = await tenant.api.get<SubmissionList>(`/exams/${target.id}/submissions?${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return {
      candidates: body.data.map(({ candidate }) => candidate.external_id),
      next: body.next_cursor,
      more: body.has_more,
    };
  },
  results: async (query: string, target = exam): Promise<Listed> => {
    const { status, body } = await tenant.api.get<ResultList>(`/exams/${target.id}/results?${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return {
      candidates: body.data.map(({ candidate }) => candidate.external_id),
      next: body.next_cursor,
      more: body.has_more,
    };
  },
};
type Name = keyof typeof lists;
const NAMES: Name[] = ['submissions', 'results'];
const path = (name: Name, target: { id: string } = exam): string => `/exams/${target.id}/${name}`;

/** In the order of their last change: flagged submissions come last. */
const ALL = ['a', 'e', 'f', 'g', 'b', 'c', 'd'];

describe.each(NAMES)('the %s of an exam', (name) => {
  const list = lists[name];

  test('has only the exam’s own, in the order of (updated_at, id)', async () => {
    expect(await list('')).toEqual({ candidates: ALL, next: null, more: false });
  });

  const byReview: [query: string, candidates: string[]][] = [
    ['needs_review=true', ['b', 'd']],
    ['needs_review=false', ['a', 'e', 'f', 'g', 'c']],
    ['needs_review=true&finalized=false', ['b']],
    ['needs_review=false&finalized=true', ['c']],
  ];
  test.each<[query: string, candidates: string[]]>([
    ['finalized=true', ['c', 'd']],
    ['finalized=false', ['a', 'e', 'f', 'g', 'b']],
    ...(name === 'submissions' ? byReview : []),
  ])('%s', async (query, candidates) => {
    expect(await list(query)).toMatchObject({ candidates });
    const first = await list(`${query}&limit=1`);
    expect(first).toMatchObject({ candidates: candidates.slice(0, 1), more: candidates.length > 1 });
  });

  test.each([1, 2, 3, 6, 7, 8])(
    'pages of %i, followed by next_cursor, have every row once and in order',
    async (limit) => {
      const seen: string[] = [];
      let page = await list(`limit=${limit}`);
      for (; page.next !== null; page = await list(`limit=${limit}&cursor=${page.next}`)) {
        expect(page.candidates).toHaveLength(limit);
        seen.push(...page.candidates);
      }
      expect(page.more).toBe(false);
      expect([...seen, ...page.candidates]).toEqual(ALL);
    },
  );

  test('updated_since returns rows updated since, inclusive to the millisecond', async () => {
    const { body } = await tenant.api.get<Submission>(`/submissions/${ids.get('f')}`);
    const later = new Date(Date.parse(body.updated_at) + 1).toISOString();
    expect((await list(`updated_since=${body.updated_at}`)).candidates[0]).toBe('f');
    expect((await list(`updated_since=${later}`)).candidates).toEqual(ALL.slice(ALL.indexOf('f') + 1));
    expect((await list('updated_since=2100-01-01T00:00:00Z')).candidates).toEqual([]);
  });

  test('has live submissions only: replaced and deleted ones are omitted, the replacement is listed', async () => {
    const own = await createExam(tenant.api, typedExam([mcq('1')]));
    const [kept, replaced, deleted] = [
      await submit(tenant.api, own.id, { candidate: { external_id: 'kept' }, answers: [] }),
      await submit(tenant.api, own.id, { candidate: { external_id: 'replaced' }, answers: [] }),
      await submit(tenant.api, own.id, { candidate: { external_id: 'deleted' }, answers: [] }),
    ];
    await tenant.api.delete(`/submissions/${deleted.id}`);
    const by = await submit(tenant.api, own.id, {
      candidate: { external_id: 'replaced' },
      answers: [],
      replace: true,
    });
    const { body } = await tenant.api.get<{ data: { id?: string; submission_id?: string }[] }>(
      path(name, own),
    );
    expect(body.data.map(({ id, submission_id }) => id ?? submission_id)).toEqual([kept.id, by.id]);
    expect(body.data).not.toContainEqual(expect.objectContaining({ id: replaced.id }));
  });

  test('has a default and a maximum limit', async () => {
    const [standard, largest] = name === 'submissions' ? [50, 200] : [20, 50];
    const crowd = await newTenant(service);
    const big = await createExam(crowd.api, typedExam([mcq('1')]));
    await Promise.all(
      Array.from({ length: standard + 1 }, (_, index) =>
        submit(crowd.api, big.id, { candidate: { external_id: `c${index}` }, answers: [] }),
      ),
    );
    const { body } = await crowd.api.get<SubmissionList>(path(name, big));
    expect(body.data).toHaveLength(standard);
    expect(body.has_more).toBe(true);
    expect((await crowd.api.get(`${path(name, big)}?limit=${largest}`)).status).toBe(200);
    expect(expectInvalid(await crowd.api.get(`${path(name, big)}?limit=${largest + 1}`))).toEqual([
      'limit: out_of_range',
    ]);
  });

  test('a cursor is bound to its exam, its list and its filters', async () => {
    const other = await createExam(tenant.api, typedExam([mcq('1')]));
    const { next } = await list('limit=2');
    const { next: filtered } = await list('limit=2&finalized=false');
    const otherList = NAMES.find((one) => one !== name) ?? name;
    const bad = [
      `${path(name, other)}?cursor=${next}`,
      `${path(otherList)}?cursor=${next}`,
      `/submissions?cursor=${next}`,
      `${path(name)}?finalized=false&cursor=${next}`,
      `${path(name)}?finalized=true&cursor=${filtered}`,
      `${path(name)}?cursor=${filtered}`,
      `${path(name)}?updated_since=2000-01-01T00:00:00Z&cursor=${next}`,
      `${path(name)}?cursor=x`,
    ];
    for (const query of bad) {
      const answer = await tenant.api.get(query);
      expect({ query, status: answer.status }).toEqual({ query, status: 400 });
      expectError(answer, 400, 'invalid_cursor');
    }
    expect((await list(`limit=50&cursor=${next}`)).candidates).toEqual(ALL.slice(2));
    // Clients send an empty parameter for one that they leave out.
    expect((await list('limit=50&cursor=')).candidates).toEqual(ALL);
  });

  test.each(['yes', '1', 'TRUE', ''])('finalized=%s answers 422', async (value) => {
    expect(expectInvalid(await tenant.api.get(`${path(name)}?finalized=${value}`))).toEqual([
      expect.stringMatching(/^finalized: /),
    ]);
  });

  test('an exam that is deleted, unknown or of another institute answers exam_not_found, with any query', async () => {
    const gone = await createExam(tenant.api, typedExam([mcq('1')]));
    await tenant.api.delete(`/exams/${gone.id}`);
    for (const id of [gone.id, randomUUID(), 'no-uuid']) {
      for (const query of ['', '?limit=0', '?cursor=x', '?format=csv']) {
        expectError(await tenant.api.get(`${path(name, { id })}${query}`), 404, 'exam_not_found');
      }
    }
    const stranger = await newTenant(service);
    expectError(await stranger.api.get(path(name)), 404, 'exam_not_found');
  });

  test('is empty for a draft', async () => {
    const { body: draft } = await tenant.api.post<Exam>('/exams', { ...typedExam([mcq('1')]) });
    expect(await list('', draft)).toEqual({ candidates: [], next: null, more: false });
  });
});
