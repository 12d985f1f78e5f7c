import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { takeRun } from '../../harness/takeRun.ts';
import {
  expectError,
  expectInvalid,
  expectOk,
  newTenant,
  startIdleService,
  stored,
  wholeFeed,
  type Tenant,
} from '../../harness/tenant.ts';

const ROWS = 12;

let tenant: Tenant;
let other: Tenant;
let rows: Submission[];
const service = closedAfterTests(await startIdleService());

beforeAll(async () => {
  [tenant, other] = await Promise.all([newTenant(service), newTenant(service)]);
  await filled(other, 3);
  rows = await filled(tenant, ROWS);
});

const filled = async ({ api }: Tenant, count: number): Promise<Submission[]> => {
  const exams = [
    await createExam(api, typedExam([mcq('1')])),
    await createExam(api, typedExam([longAnswer('1')])),
  ];
  const answers = [[], [{ question_label: '1', text: 'x' }]];
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      submit(api, exams[index % 2]?.id ?? '', {
        candidate: { external_id: `c${index}` },
        answers: answers[index % 2],
      }),
    ),
  );
};

const page = async (query: string, reader: Tenant = tenant): Promise<SubmissionList> =>
  expectOk(await reader.api.get<SubmissionList>(`/submissions?${query}`));
const inOrder = (a: Submission, b: Submission): number =>
  Date.parse(a.updated_at) - Date.parse(b.updated_at) || (a.id < b.id ? -1 : 1);
const ids = (listed: readonly Submission[]): string[] => listed.map(({ id }) => id);

describe('the feed', () => {
  test('has the submissions of all of the institute’s exams and no others, as GET shows them', async () => {
    const found = await page('');
    expect(ids(found.data)).toEqual(ids(rows.toSorted(inOrder)));
    expect(found).toMatchObject({ has_more: false, next_cursor: null });
    for (const row of found.data) {
      const { body } = await tenant.api.get<Submission>(`/submissions/${row.id}`);
      expect(body).toEqual({ ...row, queue: body.queue });
      expect(body.queue?.position).toBe(row.queue?.position);
    }
  });

  test.each([1, 2, 5, ROWS - 1, ROWS, ROWS + 1])(
    'pages of %i, followed by next_cursor, have every row once and in order',
    async (limit) => {
      const seen: Submission[] = [];
      let pages = 0;
      for (let cursor = ''; ;) {
        const { data, has_more, next_cursor } = await page(`limit=${limit}${cursor}`);
        seen.push(...data);
        pages += 1;
        expect(data.length).toBeLessThanOrEqual(limit);
        expect(has_more).toBe(next_cursor !== null);
        if (next_cursor === null) break;
        expect(data).toHaveLength(limit);
        cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
      }
      expect(ids(seen)).toEqual(ids(rows.toSorted(inOrder)));
      expect(pages).toBe(Math.ceil(ROWS / limit));
    },
  );

  test('rows with the same updated_at are ordered by id: none is lost or repeated', async () => {
    const tied = await newTenant(service);
    const made = await filled(tied, 7);
    const at = '2026-01-02T03:04:05.678Z';
    const client = new pg.Client({ connectionString: service.database.superuserUrl });
    await client.connect();
    try {
      // Disables the trigger that gives each row a time of its own.
      await client.query('set session_replication_role = replica');
      await client.query('update submissions set updated_at = $1 where institute_id = $2', [
        at,
        tied.instituteId,
      ]);
    } finally {
      await client.end();
    }
    for (const limit of [1, 2, 3]) {
      expect(ids(await wholeFeed(tied.api, `limit=${limit}&updated_since=${at}`))).toEqual(
        ids(made).toSorted(),
      );
    }
  });

  test('updated_since is inclusive, to the millisecond', async () => {
    const sorted = rows.toSorted(inOrder);
    const middle = sorted[ROWS / 2];
    if (middle === undefined) throw new Error('no row');
    const from = (at: string) => sorted.filter(({ updated_at }) => updated_at >= at);
    expect(ids((await page(`updated_since=${middle.updated_at}`)).data)).toEqual(
      ids(from(middle.updated_at)),
    );
    const later = new Date(Date.parse(middle.updated_at) + 1).toISOString();
    const after = await page(`updated_since=${later}`);
    expect(ids(after.data)).toEqual(ids(from(later)));
    expect(ids(after.data)).not.toContain(middle.id);
    expect(ids((await page('updated_since=2000-01-01T00:00:00Z')).data)).toHaveLength(ROWS);
    expect((await page('updated_since=2100-01-01T00:00:00Z')).data).toEqual([]);
  });

  test('unknown query parameters are ignored, also with a cursor', async () => {
    const first = await page('limit=5&shoe=44');
    const next = await page(`limit=5&colour=red&cursor=${first.next_cursor}`);
    expect(ids([...first.data, ...next.data])).toEqual(ids(rows.toSorted(inOrder)).slice(0, 10));
  });

  test('limit is not a filter: a cursor continues with another one', async () => {
    const first = await page('limit=2');
    const rest = await page(`limit=200&cursor=${first.next_cursor}`);
    expect(ids([...first.data, ...rest.data])).toEqual(ids(rows.toSorted(inOrder)));
  });

  test('the default limit is 50', async () => {
    const big = await newTenant(service);
    await filled(big, 51);
    expect((await page('', big)).data).toHaveLength(50);
    expect(await page('limit=200', big)).toMatchObject({ has_more: false });
  });
});

describe('the feed rules', () => {
  /** A client's store: the newest row of each submission. Rows that are not newer are skipped. */
  const client = ({ api }: Tenant) => {
    const kept = new Map<string, Submission>();
    let newest = 0;
    return {
      kept,
      /** One pass, from about two minutes before the newest processed row. @returns the rows that were newer */
      pass: async (): Promise<Submission[]> => {
        const since = new Date(Math.max(0, newest - 120_000)).toISOString();
        const news: Submission[] = [];
        for (const row of await wholeFeed(api, `limit=3&updated_since=${since}`)) {
          if (row.updated_at <= (kept.get(row.id)?.updated_at ?? '')) continue;
          kept.set(row.id, row);
          news.push(row);
          newest = Math.max(newest, Date.parse(row.updated_at));
        }
        return news;
      },
    };
  };

  test('a submission reappears at each change, and a client that follows the rules sees every change', async () => {
    const owner = await newTenant(service);
    const exam = await createExam(owner.api, typedExam([longAnswer('1')]));
    const answers = [{ question_label: '1', text: 'x' }];
    const body = { candidate: { external_id: 'asha' }, answers };
    const { id } = await submit(owner.api, exam.id, body);
    const others = await filled(owner, 4);
    const { kept, pass } = client(owner);
    expect(ids(await pass()).toSorted()).toEqual([...ids(others), id].toSorted());
    expect(await pass(), 'nothing has changed').toEqual([]);

    const command = (name: string) => owner.api.post(`/submissions/${id}/${name}`);
    const changes: [change: () => Promise<unknown>, seen: Partial<Submission>][] = [
      [() => command('cancel'), { status: 'cancelled' }],
      [() => command('re-evaluate'), { status: 'queued', attempt_count: 2 }],
      [() => takeRun(service, id).then((held) => held.fail('timed_out')), { status: 'failed' }],
      // Dashboard actions change the row without an event.
      [
        () => behind(service.database, 'update submissions set needs_review = false where id = $1', [id]),
        { needs_review: false },
      ],
      [
        () => behind(service.database, 'update submissions set finalized_at = now() where id = $1', [id]),
        { finalized: true },
      ],
      [
        () => behind(service.database, 'update submissions set finalized_at = null where id = $1', [id]),
        { finalized: false },
      ],
    ];
    for (const [change, seen] of changes) {
      await change();
      const news = await pass();
      expect(ids(news)).toEqual([id]);
      expect(news[0]).toMatchObject(seen);
    }

    const replacing = await submit(owner.api, exam.id, { ...body, replace: true });
    // One transaction changes both rows: with the same millisecond, the ids decide their order.
    const both = new Map((await pass()).map((row) => [row.id, [row.state, row.replaced_by]]));
    expect(both).toEqual(
      new Map([
        [id, ['replaced', replacing.id]],
        [replacing.id, ['live', undefined]],
      ]),
    );
    await owner.api.delete(`/submissions/${replacing.id}`);
    expect((await pass()).map((row) => [row.id, row.state])).toEqual([[replacing.id, 'deleted']]);
    expect(await pass()).toEqual([]);
    const feed = await wholeFeed(owner.api);
    expect([...kept.values()].toSorted(inOrder).map(stored)).toEqual(feed.map(stored));
  });

  test('a pass that stays at the end of the feed for hours misses no late commit', async () => {
    const owner = await newTenant(service);
    const [late, ...others] = (await filled(owner, 5)).toSorted(inOrder);
    if (late === undefined) throw new Error('no row');
    const transaction = new pg.Client({ connectionString: service.database.superuserUrl });
    const clock = new pg.Client({ connectionString: service.database.superuserUrl });
    await Promise.all([transaction.connect(), clock.connect()]);
    try {
      const kept = new Map<string, Submission>();
      const keep = (list: SubmissionList) => {
        for (const row of list.data)
          if (row.updated_at > (kept.get(row.id)?.updated_at ?? '')) kept.set(row.id, row);
        return list;
      };
      const query = `limit=1&updated_since=${late.updated_at}`;
      let list = keep(await page(query, owner));
      expect([...kept.keys()]).toEqual([late.id]);
      await transaction.query('begin');
      await transaction.query('update submissions set needs_review = true where id = $1', [late.id]);
      // Stands for rows that change during the following hours, each before the pass reaches its page.
      await clock.query('set session_replication_role = replica');
      for (const [hours, { id }] of others.entries()) {
        await clock.query(
          `update submissions set updated_at = now() + make_interval(mins => 2, secs => 5, hours => $1) where id = $2`,
          [hours, id],
        );
      }
      while (list.next_cursor !== null)
        list = keep(await page(`${query}&cursor=${encodeURIComponent(list.next_cursor)}`, owner));
      await transaction.query('commit');

      const newest = Math.max(...[...kept.values()].map(({ updated_at }) => Date.parse(updated_at)));
      keep(await page(`updated_since=${new Date(newest - 120_000).toISOString()}`, owner));
      expect(kept.get(late.id)).toMatchObject({ needs_review: true });
      expect(kept.size, 'the next pass has what the first one left out').toBe(5);
    } finally {
      await Promise.all([transaction.end(), clock.end()]);
    }
  });

  test('a pass through a list ends, and includes rows that change during the pass', async () => {
    const owner = await newTenant(service);
    const [first, second] = await filled(owner, 4);
    if (first === undefined || second === undefined) throw new Error('no row');
    const list = `/exams/${first.exam_id}/submissions`;
    const read = async (query: string) =>
      (await owner.api.get<SubmissionList>(`${list}?limit=1${query}`)).body;
    const goOn = (cursor: string | null) => `&cursor=${encodeURIComponent(cursor ?? '')}`;
    const since = '&updated_since=2026-01-01T00:00:00Z';
    const [plain, pass] = [await read(''), await read(since)];
    const clock = new pg.Client({ connectionString: service.database.superuserUrl });
    await clock.connect();
    try {
      await clock.query('set session_replication_role = replica');
      await clock.query(
        `update submissions set updated_at = now() + interval '1 hour' where exam_id = $1 and id <> $2`,
        [first.exam_id, plain.data[0]?.id],
      );
    } finally {
      await clock.end();
    }
    expect((await read(goOn(plain.next_cursor))).data).toHaveLength(1);
    expect(await read(since + goOn(pass.next_cursor))).toEqual({
      data: [],
      has_more: false,
      next_cursor: null,
    });
  });

  test('changes of candidates and exams leave the feed unchanged', async () => {
    const owner = await newTenant(service);
    await filled(owner, 2);
    const before = await wholeFeed(owner.api);
    await owner.api.post('/candidates', { candidates: [{ external_id: 'c0', name: 'Another Name' }] });
    await owner.api.patch(`/exams/${before[0]?.exam_id}`, { title: 'Another title' });
    expect((await wholeFeed(owner.api)).map(stored)).toEqual(before.map(stored));
  });
});

describe('query parameters of generated clients', () => {
  test('updated_since with an offset is the same instant as in UTC, also in the cursor', async () => {
    const inUtc = await page('limit=2&updated_since=2026-01-01T00:00:00Z');
    for (const offset of [
      '2026-01-01T00:00:00%2B00:00',
      '2026-01-01T00:00:00%2B0000',
      '2026-01-01T05:30:00%2B05:30',
    ]) {
      expect(ids((await page(`limit=2&updated_since=${offset}`)).data)).toEqual(ids(inUtc.data));
      expect((await page(`updated_since=${offset}&cursor=${inUtc.next_cursor}`)).data).not.toEqual([]);
    }
  });

  test('an empty cursor is no cursor', async () => {
    expect(ids((await page('limit=2&cursor=')).data)).toEqual(ids((await page('limit=2')).data));
  });
});

describe('refused query parameters', () => {
  test.each(['0', '201', '-1', '1.5', '1e2', '0x10', 'abc', '', '%205', '+5', '99999999999', '1&limit=2'])(
    'limit=%s answers 422 and is not clamped',
    async (limit) => {
      expect(expectInvalid(await tenant.api.get(`/submissions?limit=${limit}`))).toEqual([
        expect.stringMatching(/^limit: /),
      ]);
    },
  );

  test.each([
    'yesterday',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+05:30',
    '2026-01-01T00:00:00%2B24:00',
    '2026-01-01 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '1767225600',
    '',
  ])('updated_since=%s answers 422', async (since) => {
    expect(expectInvalid(await tenant.api.get(`/submissions?updated_since=${since}`))).toEqual([
      'updated_since: invalid_value',
    ]);
  });

  test.each(['/submissions', '/exams'])(
    'updated_since of %s may have up to 9 fractional digits; more answer 422, not 5xx',
    async (path) => {
      const since = (digits: number): string => `updated_since=2026-01-01T00:00:00.${'1'.repeat(digits)}Z`;
      for (const digits of [1, 6, 9]) {
        expect((await tenant.api.get(`${path}?${since(digits)}`)).status).toBe(200);
      }
      for (const digits of [10, 120, 300, 7000]) {
        expect(expectInvalid(await tenant.api.get(`${path}?${since(digits)}`))).toEqual([
          'updated_since: too_long',
        ]);
      }
    },
  );

  test('a cursor that was changed, or is of another list, answers 400 invalid_cursor', async () => {
    const since = 'updated_since=2000-01-01T00:00:00Z';
    const { next_cursor: cursor } = await page('limit=2');
    const { next_cursor: filtered } = await page(`limit=2&${since}`);
    const { next_cursor: foreign } = await page('limit=2', other);
    if (cursor === null || filtered === null || foreign === null) throw new Error('no cursor');
    const [payload = '', signature = ''] = cursor.split('.');
    const last = await page('limit=1');
    const forged = Buffer.from(
      JSON.stringify({ updated_at: last.data[0]?.updated_at, id: randomUUID() }),
    ).toString('base64url');
    const bad = [
      `cursor=${cursor}&${since}`,
      `cursor=${filtered}`,
      `cursor=${filtered}&updated_since=2000-01-01T00:00:01Z`,
      `cursor=${foreign}`,
      `cursor=${forged}.${signature}`,
      `cursor=${payload}`,
      `cursor=${payload}.`,
      `cursor=.${signature}`,
      `cursor=${cursor}.x`,
      `cursor=${cursor.slice(0, -1)}`,
      `cursor=${cursor}A`,
      'cursor=x',
      `cursor=${'x'.repeat(3000)}`,
      'cursor=%F0%9F%98%80',
    ];
    for (const query of bad) {
      const answer = await tenant.api.get(`/submissions?limit=2&${query}`);
      expect({ query, status: answer.status }).toEqual({ query, status: 400 });
      expectError(answer, 400, 'invalid_cursor');
    }
    expect((await page(`limit=2&cursor=${cursor}`)).data).toHaveLength(2);
  });
});
