import { describe, expect, test } from 'vitest';
import type {
  Deleted,
  Exam,
  ExamList,
  ExamListItem,
  ExamsFound,
  Submission,
} from '@evaluation/rest-contract/schemas';
import { createExam, submit, type ErrorBody } from '../../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, expectOk, newTenant, type Tenant } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();

const created = async (body: object, owner: Tenant = tenant): Promise<Exam> =>
  expectOk(await owner.api.post<Exam>('/exams', body), 201);
const draft = (change: object = {}): object => ({ title: 'Unit test', mode: 'typed', ...change });
const read = async (id: string, owner: Tenant = tenant): Promise<Exam> =>
  (await owner.api.get<Exam>(`/exams/${id}`)).body;
const asItem = ({ questions: _questions, ...item }: Exam): ExamListItem => item;

const listed = async (owner: Tenant, query = 'limit=200'): Promise<ExamListItem[]> => {
  const found: ExamListItem[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await owner.api.get<ExamList>(`/exams?${query}${cursor}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    found.push(...body.data);
    expect(body.has_more).toBe(body.next_cursor !== null);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
};

describe('GET /exams', () => {
  test('an institute without exams has an empty list', async () => {
    const { body } = await (await newTenant(service)).api.get<ExamList>('/exams');
    expect(body).toEqual({ data: [], next_cursor: null, has_more: false });
  });

  test('an item is the exam without its questions, warnings, quote and sections', async () => {
    const own = await newTenant(service);
    const rubric = {
      criteria: [
        { name: 'a', marks: 0.7 },
        { name: 'b', marks: 1.3 },
      ],
    };
    const exams = [
      await created(draft(), own),
      await created(
        typedExam(
          [
            longAnswer('1', { rubric, section: 'b' }),
            longAnswer('2', { model_answer: ' \u00a0\n' }),
            longAnswer('3'),
            mcq('4'),
          ],
          {
            sections: [
              { name: 'B', order: 7 },
              { name: 'A', order: -3 },
            ],
            open: true,
          },
        ),
        own,
      ),
      await created(handwrittenExam({ blind: true, external_ref: 'item', conducted_on: '2026-01-31' }), own),
    ];
    expect(await listed(own)).toEqual(exams.map(asItem));
    expect(exams[1]?.warnings.map(({ code }) => code)).toEqual(['rubric_marks_not_half_step', 'auto_rubric']);
    expect(exams[1]?.rubric).toEqual({
      version: 1,
      locked: false,
      questions_with_rubric: 1,
      questions_without_rubric: 2,
    });
  });

  test('pages follow in the order of (updated_at, id), each exam once, for any limit', async () => {
    const own = await newTenant(service);
    const ids = [];
    for (let index = 0; index < 7; index += 1) ids.push((await created(draft(), own)).id);
    for (const limit of [1, 2, 3, 7, 200]) {
      expect((await listed(own, `limit=${limit}`)).map(({ id }) => id)).toEqual(ids);
    }
  });

  test('a changed exam moves to the end of the list, with its new updated_at', async () => {
    const own = await newTenant(service);
    const [first, second] = [await created(draft(), own), await created(draft(), own)];
    const edited = await own.api.patch<Exam>(`/exams/${first.id}`, { title: 'Changed' });
    expect((await listed(own)).map(({ id }) => id)).toEqual([second.id, first.id]);
    const since = await listed(own, `updated_since=${edited.body.updated_at}`);
    expect(since).toEqual([asItem(edited.body)]);
  });

  test('deleted exams and those of other institutes are not listed', async () => {
    const [own, other] = [await newTenant(service), await newTenant(service)];
    const [kept, gone] = [await created(draft(), own), await created(draft(), own)];
    await created(draft(), other);
    expect((await own.api.delete(`/exams/${gone.id}`)).status).toBe(200);
    expect((await listed(own)).map(({ id }) => id)).toEqual([kept.id]);
  });

  test.each(['limit=0', 'limit=201', 'limit=x', 'limit=1e2', 'updated_since=yesterday'])(
    '?%s answers validation_failed',
    async (query) => {
      expect(expectInvalid(await tenant.api.get(`/exams?${query}`))).toHaveLength(1);
    },
  );

  test('a cursor of another list, of other filters or invented answers invalid_cursor', async () => {
    const own = await newTenant(service);
    await created(draft(), own);
    await created(draft(), own);
    const { body } = await own.api.get<ExamList>('/exams?limit=1');
    const cursor = encodeURIComponent(body.next_cursor ?? '');
    const since = 'updated_since=2020-01-01T00:00:00Z';
    expectError(await own.api.get(`/exams?${since}&cursor=${cursor}`), 400, 'invalid_cursor');
    expectError(await own.api.get(`/submissions?cursor=${cursor}`), 400, 'invalid_cursor');
    expectError(await tenant.api.get(`/exams?cursor=${cursor}`), 400, 'invalid_cursor');
    expectError(await own.api.get('/exams?cursor=made-up'), 400, 'invalid_cursor');
    // The limit is not part of the filters.
    expect((await own.api.get<ExamList>(`/exams?limit=5&cursor=${cursor}`)).body.data).toHaveLength(1);
  });
});

describe('POST /exams/search', () => {
  const search = (external_ref: unknown, owner: Tenant = tenant) =>
    owner.api.post<ExamsFound>('/exams/search', { external_ref });

  test('finds the exam by its exact external_ref, in the institute of the key', async () => {
    const exam = await created(draft({ external_ref: 'Find me' }));
    expect(await search('Find me')).toMatchObject({ status: 200, body: { data: [asItem(exam)] } });
    expect((await search('find me')).body).toEqual({ data: [] });
    expect((await search('Find me', await newTenant(service))).body).toEqual({ data: [] });
  });

  test('finds no deleted exam, although it keeps its reference, and the new exam once it is used again', async () => {
    const gone = await created(draft({ external_ref: 'again' }));
    await tenant.api.delete(`/exams/${gone.id}`);
    expect((await search('again')).body).toEqual({ data: [] });
    expect((await read(gone.id)).external_ref).toBe('again');
    const next = await created(draft({ external_ref: 'again' }));
    expect((await search('again')).body.data.map(({ id }) => id)).toEqual([next.id]);
  });

  test.each([
    ['nothing', {}, 'external_ref: required'],
    ['null', { external_ref: null }, 'external_ref: invalid_type'],
    ['a number', { external_ref: 7 }, 'external_ref: invalid_type'],
    ['an empty one', { external_ref: '' }, 'external_ref: required'],
    ['one of 129 characters', { external_ref: 'x'.repeat(129) }, 'external_ref: too_long'],
    ['NUL', { external_ref: 'a\u0000' }, 'external_ref: invalid_characters'],
  ])('a search for %s answers validation_failed', async (_name, body, problem) => {
    expect(expectInvalid(await tenant.api.post('/exams/search', body))).toEqual([problem]);
  });
});

describe('DELETE /exams/{id}', () => {
  test('a draft is deleted: it answers {id, deleted: true}, and stays readable as deleted', async () => {
    const exam = await created(typedExam([mcq('1')], { candidates: [{ external_id: 'deleted-with' }] }));
    const answer = await tenant.api.delete<Deleted>(`/exams/${exam.id}`);
    expect(answer).toMatchObject({ status: 200, body: { id: exam.id, deleted: true } });
    const gone = await read(exam.id);
    expect(gone).toEqual({ ...exam, status: 'deleted', updated_at: gone.updated_at });
    expect(Date.parse(gone.updated_at)).toBeGreaterThan(Date.parse(exam.updated_at));
  });

  test('an open exam with a live submission answers conflict and stays', async () => {
    const exam = await createExam(tenant.api, typedExam([longAnswer('1')]));
    await submit(tenant.api, exam.id, {
      candidate: { external_id: 'sitting' },
      answers: [{ question_label: '1', text: 'x' }],
    });
    const before = await read(exam.id);
    expectError(await tenant.api.delete(`/exams/${exam.id}`), 409, 'conflict');
    expect(await read(exam.id)).toEqual(before);
  });

  test('of a simultaneous delete and submission, either the exam is deleted or the copy is accepted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const exam = await createExam(tenant.api, typedExam([longAnswer('1')]));
      const [gone, copy] = await Promise.all([
        tenant.api.delete<Deleted & ErrorBody>(`/exams/${exam.id}`),
        tenant.api.post<Submission & ErrorBody>(`/exams/${exam.id}/submissions`, {
          candidate: { external_id: `race-${round}` },
          answers: [{ question_label: '1', text: 'x' }],
        }),
      ]);
      const outcome = [gone.status, copy.status].join(' ');
      expect(['200 404', '409 202']).toContain(outcome);
    }
  });
});
