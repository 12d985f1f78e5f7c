import { describe, expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { answerOf, createExam, type ErrorBody } from '../../harness/api.ts';
import { registered } from '../../harness/candidates.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, expectOk, problemsIn, type Tenant } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

const created = async (body: object, owner: Tenant = tenant): Promise<Exam> =>
  expectOk(await owner.api.post<Exam>('/exams', body), 201);
const draft = (change: object = {}): object => ({ title: 'Unit test', mode: 'typed', ...change });
const read = async (id: string, owner: Tenant = tenant): Promise<Exam> =>
  (await owner.api.get<Exam>(`/exams/${id}`)).body;

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
