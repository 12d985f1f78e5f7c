import { describe, expect, test } from 'vitest';
import type {
  Deleted,
  Exam,
  ExamList,
  ExamListItem,
  ExamsFound,
  Submission,
} from '@evaluation/rest-contract/schemas';
import { answerOf, createExam, submit, type ErrorBody } from '../../harness/api.ts';
import { registered } from '../../harness/candidates.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import {
  expectError,
  expectInvalid,
  expectOk,
  newTenant,
  problemsIn,
  type Tenant,
} from '../../harness/tenant.ts';

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

describe('PATCH /exams/{id}', () => {
  const edit = (id: string, body: unknown) => tenant.api.patch<Exam & ErrorBody>(`/exams/${id}`, body);
  const edited = async (id: string, body: object): Promise<Exam> => {
    const answer = await edit(id, body);
    expect(answer).toMatchObject({ status: 200 });
    expect(await read(id)).toEqual({
      ...answer.body,
      warnings: answer.body.warnings.filter(({ code }) => code !== 'negative_marks_ignored'),
    });
    return answer.body;
  };
  const refused = async (id: string, body: unknown, status: number, code: string) => {
    const before = await read(id);
    const error = expectError(await edit(id, body), status, code);
    expect(await read(id)).toEqual(before);
    return error;
  };

  test('every field of a draft can be changed, and no other field changes with it', async () => {
    const exam = await created(draft({ subject: 'Before', instructions: 'Before' }));
    const change = {
      title: 'Class X Science',
      mode: 'handwritten',
      external_ref: 'edited',
      conducted_on: '2028-02-29',
      subject: 'Science',
      level: 'upsc',
      board: 'CBSE',
      class: '10',
      answer_language: 'en',
      feedback_language: 'en',
      blind: true,
      sections: [{ name: 'A', order: 4 }],
    };
    const after = await edited(exam.id, change);
    expect(after).toEqual({
      ...exam,
      ...change,
      quote: { ...exam.quote, unit: 'page' },
      updated_at: after.updated_at,
    });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(exam.updated_at));
  });

  test('null clears each field that may be empty', async () => {
    const optional = {
      external_ref: 'cleared',
      subject: 's',
      board: 'b',
      class: 'c',
      instructions: 'i',
    };
    const exam = await created(draft(optional));
    const nothing = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
    expect(await edited(exam.id, nothing)).toMatchObject(nothing);
    await created(draft({ external_ref: 'cleared' }));
  });

  test('an unknown field answers validation_failed with unknown_field, at every depth', async () => {
    const exam = await created(draft());
    const error = await refused(
      exam.id,
      { title: 'New', colour: 'red', status: 'open', sections: [{ name: 'A', order: 1, id: 1 }] },
      422,
      'validation_failed',
    );
    expect(problemsIn(error).toSorted()).toEqual([
      'colour: unknown_field',
      'sections[0].id: unknown_field',
      'status: unknown_field',
    ]);
  });

  test('an empty object answers the exam and changes nothing, not even updated_at', async () => {
    const exam = await created(typedExam([mcq('1')], { open: true }));
    expect(await edit(exam.id, {})).toMatchObject({ status: 200, body: exam });
  });

  test('an edit to the current values does not change updated_at, in any status', async () => {
    const body = {
      title: 'Unit test',
      mode: 'typed',
      external_ref: 'same',
      conducted_on: '2026-05-05',
      subject: null,
      level: 'ug',
      blind: true,
      sections: [
        { name: 'Second', order: 2 },
        { name: 'First', order: 1 },
      ],
    };
    const exam = await created({ ...body, questions: [mcq('1', { section: 'first' })] });
    expect(await edited(exam.id, body)).toEqual(exam);
    const opened = (await tenant.api.post<Exam>(`/exams/${exam.id}/open`)).body;
    expect(await edited(exam.id, body)).toEqual(opened);
    const { updated_at: _time, ...rest } = await edited(exam.id, { ...body, title: 'Now it is new' });
    expect(rest).toMatchObject({ title: 'Now it is new' });
  });

  test.each([
    ['an empty title', { title: ' ' }, 'title: required'],
    ['no title', { title: null }, 'title: invalid_type'],
    ['markup in the title', { title: '<b>' }, 'title: invalid_characters'],
    ['a title of 256 characters', { title: 'x'.repeat(256) }, 'title: too_long'],
    ['a mode that is none', { mode: 'oral' }, 'mode: invalid_value'],
    ['a date that does not exist', { conducted_on: '2026-02-30' }, 'conducted_on: invalid_value'],
    ['a level that is none', { level: 'phd' }, 'level: invalid_value'],
    ['a word for blind', { blind: 'yes' }, 'blind: invalid_type'],
    ['a language that is none', { answer_language: 'fr' }, 'answer_language: invalid_value'],
    [
      'two sections of one name',
      {
        sections: [
          { name: 'A', order: 1 },
          { name: 'a', order: 2 },
        ],
      },
      'sections[1].name: duplicate',
    ],
    [
      'more than 20 sections',
      { sections: Array.from({ length: 21 }, (_, order) => ({ name: `S${order}`, order })) },
      'sections: too_long',
    ],
    ['NUL', { subject: 'a\u0000b' }, 'subject: invalid_characters'],
  ])('%s is refused by an edit as by a create', async (_name, body, problem) => {
    const exam = await created(draft());
    expect(problemsIn(await refused(exam.id, body, 422, 'validation_failed'))).toEqual([problem]);
  });

  test('hi answers language_not_supported, and a body that is not an object validation_failed', async () => {
    const exam = await created(draft());
    await refused(exam.id, { feedback_language: 'hi' }, 422, 'language_not_supported');
    await refused(exam.id, ['title'], 422, 'validation_failed');
    await refused(exam.id, 'title', 422, 'validation_failed');
  });

  test('an external_ref of another exam answers exam_exists with that exam’s id', async () => {
    const other = await created(draft({ external_ref: 'of another' }));
    const exam = await created(draft());
    const error = await refused(exam.id, { external_ref: 'of another', title: 'x' }, 409, 'exam_exists');
    expect(error.details).toEqual({ exam_id: other.id });
    expect((await edit(other.id, { external_ref: 'of another' })).status).toBe(200);
  });

  test('on an open exam mode, blind and sections answer conflict, and other fields change', async () => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')]));
    for (const body of [
      { mode: 'handwritten' },
      { blind: true, title: 'New' },
      { sections: [{ name: 'A', order: 9 }] },
      { sections: [] },
    ]) {
      await refused(exam.id, body, 409, 'conflict');
    }
    const change = { title: 'Retitled', subject: 'Optics', instructions: 'Mark kindly.', class: '9' };
    expect(await edited(exam.id, change)).toMatchObject(change);
  });

  test('the status is checked before the fields', async () => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')]));
    await refused(exam.id, { mode: 'oral', title: '' }, 409, 'conflict');
  });

  test('a typed exam that becomes handwritten loses its negative marks, with a warning for each question', async () => {
    const exam = await created(
      typedExam([mcq('1', { negative_marks: 0.5 }), mcq('2'), mcq('3', { negative_marks: 0.25 })]),
    );
    const after = await edited(exam.id, { mode: 'handwritten' });
    expect(after.warnings.map(({ code, message }) => [code, message.slice(0, 10)])).toEqual([
      ['negative_marks_ignored', 'Question 1'],
      ['negative_marks_ignored', 'Question 3'],
    ]);
    expect(after.quote?.unit).toBe('page');
    expect((await edited(exam.id, { mode: 'typed' })).warnings).toEqual([]);
    expect((await edited(exam.id, { mode: 'handwritten' })).warnings).toEqual([]);
  });

  describe('sections', () => {
    const sections = [
      { name: 'Physics', order: 10 },
      { name: 'Biology', order: 20 },
    ];
    const withSections = () =>
      created(typedExam([mcq('1', { section: 'physics' }), mcq('2', { section: 'BIOLOGY' })], { sections }));

    test('sections are renamed in case, reordered, added and removed; questions keep their place', async () => {
      const exam = await withSections();
      const after = await edited(exam.id, {
        sections: [
          { name: 'PHYSICS', order: 3 },
          { name: 'Biology', order: 1 },
          { name: 'Chemistry', order: 2 },
        ],
      });
      expect(after.sections).toEqual([
        { name: 'Biology', order: 1 },
        { name: 'Chemistry', order: 2 },
        { name: 'PHYSICS', order: 3 },
      ]);
      expect(after.questions.map(({ label, section }) => [label, section])).toEqual([
        ['1', 'PHYSICS'],
        ['2', 'Biology'],
      ]);
      expect((await edited(exam.id, { sections })).sections).toEqual(sections);
    });

    test('a section that a question names cannot be removed', async () => {
      const exam = await withSections();
      const error = await refused(
        exam.id,
        { sections: [{ name: 'Physics', order: 1 }] },
        422,
        'validation_failed',
      );
      expect(problemsIn(error)).toEqual(['sections: unknown_section']);
      await refused(exam.id, { sections: [] }, 422, 'validation_failed');
    });

    test('without questions all sections can be removed', async () => {
      const exam = await created(draft({ sections }));
      expect((await edited(exam.id, { sections: [] })).sections).toEqual([]);
    });
  });
});

describe('blind', () => {
  test('a draft made blind hides the names of its candidates, and updates their rows', async () => {
    const exam = await created(draft({ candidates: [{ external_id: 'blinded', name: 'Asha' }] }));
    const before = await registered(tenant.api, exam.id, 'blinded');
    expect(before.name).toBe('Asha');
    expect((await tenant.api.patch<Exam>(`/exams/${exam.id}`, { blind: true })).body.blind).toBe(true);
    const after = await registered(tenant.api, exam.id, 'blinded');
    expect(after.name).toBeNull();
    expect(after.updated_at > before.updated_at).toBe(true);
  });
});

describe('POST /exams/{id}/open', () => {
  test('the body is empty or an object; any other JSON is refused, and other content answers 415', async () => {
    const exam = await created(typedExam([mcq('1')]));
    const path = `/exams/${exam.id}/open`;
    for (const body of [[], 'now', 1, true]) {
      expectError(await tenant.api.post(path, body), 422, 'validation_failed');
    }
    expect(expectInvalid(await tenant.api.post(path, { note: 'a\u0000' }))).toEqual([
      'note: invalid_characters',
    ]);
    const text = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'open' };
    expectError(await answerOf(await tenant.api.send(path, text)), 415, 'unsupported_media_type');
    expect(await read(exam.id)).toEqual(exam);
    expect((await tenant.api.post(path, { unknown: 'is ignored' })).status).toBe(200);
  });
});
