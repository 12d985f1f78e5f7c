import { describe, expect, test } from 'vitest';
import type { Exam, ExamCreate } from '@evaluation/rest-contract/schemas';
import { apiClient, type ErrorBody } from '../../harness/api.ts';
import { examsOf } from '../../harness/exams.ts';
import { handwrittenExam, longAnswer, mcq, numeric, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectRefused, newTenant, problemsIn } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();
const { created, refused } = examsOf(tenant);

const draft = (change: object = {}): object => ({ title: 'Unit test', mode: 'typed', ...change });

describe('POST /exams', () => {
  test('creates a draft with the documented defaults, which reads back the same', async () => {
    const before = new Date().toISOString().slice(0, 10);
    const exam = await created({ title: 'Unit test', mode: 'typed' });
    const after = new Date().toISOString().slice(0, 10);
    expect(exam).toMatchObject({
      status: 'draft',
      title: 'Unit test',
      mode: 'typed',
      external_ref: null,
      subject: null,
      level: 'school',
      board: null,
      class: null,
      instructions: null,
      answer_language: 'en',
      feedback_language: 'en',
      blind: false,
      total_marks: 0,
      paper_max: 0,
      question_count: 0,
      questions: [],
      choice_groups: [],
      warnings: [],
      rubric: { version: 0, locked: false, questions_with_rubric: 0, questions_without_rubric: 0 },
    });
    expect([before, after]).toContain(exam.conducted_on);
    expect(exam.dashboard_url).toContain(exam.id);
    expect((await tenant.api.get<Exam>(`/exams/${exam.id}`)).body).toEqual(exam);
  });

  test('returns every field sent', async () => {
    const body = {
      title: 'Class X Science',
      mode: 'handwritten',
      external_ref: 'every-field',
      conducted_on: '2028-02-29',
      subject: 'Science',
      level: 'upsc',
      board: 'CBSE',
      class: '10',
      instructions: 'Mark the method.',
      answer_language: 'en',
      feedback_language: 'en',
      blind: true,
    };
    expect(await created(body)).toMatchObject(body);
  });

  test('treats null as omitted', async () => {
    const optional = ['external_ref', 'conducted_on', 'subject', 'level', 'board', 'class', 'instructions'];
    const more = [
      'answer_language',
      'feedback_language',
      'blind',
      'open',
      'sections',
      'questions',
      'candidates',
    ];
    const body = Object.fromEntries([...optional, ...more, 'choice_groups'].map((field) => [field, null]));
    expect(await created({ title: 'Unit test', mode: 'typed', ...body })).toMatchObject({
      status: 'draft',
      level: 'school',
      blind: false,
    });
  });

  test('total_marks is the exact sum, questions are compact, and only choices have options', async () => {
    const exam = await created(
      typedExam([
        mcq('1', { max_marks: 0.5 }),
        numeric('2', { max_marks: 2.5 }),
        longAnswer('3', { max_marks: 1000, section: 'Long' }),
      ]),
    );
    expect(exam).toMatchObject({ total_marks: 1003, paper_max: 1003, question_count: 3 });
    const [first, second, third] = exam.questions;
    expect(first).toMatchObject({ label: '1', section: 'A', max_marks: 0.5 });
    expect(first?.options?.map(({ label }) => label)).toEqual(['A', 'B', 'C']);
    expect(Object.keys(second ?? {})).not.toContain('options');
    expect(third).toMatchObject({ label: '3', section: 'Long', max_marks: 1000 });
    expect(JSON.stringify(exam)).not.toMatch(/correct_options|model_answer|Because of this/);
  });

  test('the quote names the unit and the rate: a page, an answer, a contract', async () => {
    expect((await created(handwrittenExam())).quote).toEqual({
      unit: 'page',
      credits_per_page: 1,
      rate_source: 'standard',
    });
    expect((await created(draft())).quote).toEqual({
      unit: 'answer',
      credits_per_page: 1,
      rate_source: 'standard',
    });
    const provision = service.control.as({}).control;
    const { institute_id } = await provision.createInstitute.mutate({
      name: 'On a contract',
      credits: 10,
      credits_per_page: 0.35,
    });
    const { api_key } = await provision.createKey.mutate({ institute_id });
    const exam = await apiClient(service.baseUrl, api_key).post<Exam>('/exams', handwrittenExam());
    expect(exam.body.quote).toEqual({ unit: 'page', credits_per_page: 0.35, rate_source: 'contract' });
  });

  test('creates the exam with warnings for corrections and for rubrics to be made', async () => {
    const codes = async (body: object) => (await created(body)).warnings.map(({ code }) => code);
    const bare: ExamCreate['questions'] = [longAnswer('1', { model_answer: null })];
    expect(await codes(typedExam(bare))).toEqual(['auto_rubric']);
    expect(await codes(handwrittenExam({ questions: [mcq('1', { negative_marks: 0.25 })] }))).toEqual([
      'negative_marks_ignored',
    ]);
    expect(await codes(typedExam([mcq('1', { negative_marks: 0.25 })]))).toEqual([]);
    const thirds = [0.7, 0.7, 0.6].map((marks, index) => ({ name: `c${index}`, marks }));
    expect(await codes(typedExam([longAnswer('1', { rubric: { criteria: thirds } })]))).toEqual([
      'rubric_marks_not_half_step',
    ]);
  });
});

describe('sections', () => {
  const sectionsOf = ({ sections, questions }: Exam): [string[], string[]] => [
    sections.map(({ name }) => name),
    questions.map(({ section }) => section),
  ];

  test('undeclared sections come from the questions in order of first appearance, ignoring case', async () => {
    const exam = await created(
      typedExam([
        mcq('1', { section: 'Zeta' }),
        mcq('2', { section: 'Alpha' }),
        mcq('3', { section: 'ZETA' }),
        mcq('4'),
      ]),
    );
    expect(sectionsOf(exam)).toEqual([
      ['Zeta', 'Alpha'],
      ['Zeta', 'Alpha', 'Zeta', 'Zeta'],
    ]);
  });

  test('without any section there is one, A', async () => {
    expect(sectionsOf(await created(typedExam([mcq('1'), mcq('2')])))).toEqual([['A'], ['A', 'A']]);
  });

  test('a question that names an undeclared section is refused', async () => {
    const body = typedExam([mcq('1', { section: 'C' })], { sections: [{ name: 'A', order: 1 }] });
    expect(problemsIn(await refused(body, 422, 'validation_failed'))).toEqual([
      'questions[0].section: unknown_section',
    ]);
  });

  test('more than 20 sections named by questions are refused', async () => {
    const body = typedExam(
      Array.from({ length: 21 }, (_, index) => mcq(String(index), { section: `S${index}` })),
    );
    await refused(body, 422, 'validation_failed');
  });
});

describe('open', () => {
  test('open: true creates the exam open', async () => {
    expect((await created(typedExam([mcq('1')], { open: true }))).status).toBe('open');
  });

  test('open: true with a failing check answers exam_not_ready and creates nothing', async () => {
    await refused(draft({ open: true, candidates: [{ external_id: 'not-ready' }] }), 422, 'exam_not_ready');
  });

  test('a draft is opened; one without questions answers exam_not_ready and stays a draft', async () => {
    const exam = await created(typedExam([mcq('1')]));
    const opened = await tenant.api.post<Exam>(`/exams/${exam.id}/open`, { unknown: 'is ignored' });
    expect(opened).toMatchObject({ status: 200, body: { id: exam.id, status: 'open' } });
    expect(Date.parse(opened.body.updated_at)).toBeGreaterThan(Date.parse(exam.updated_at));

    const empty = await created(draft());
    await expectRefused(tenant, () => tenant.api.post(`/exams/${empty.id}/open`), 422, 'exam_not_ready');
    expect((await tenant.api.get<Exam>(`/exams/${empty.id}`)).body).toEqual(empty);
  });

  test('opening an open exam again changes nothing', async () => {
    const exam = await created(typedExam([mcq('1')], { open: true }));
    const again = await tenant.api.post<Exam>(`/exams/${exam.id}/open`);
    expect(again).toMatchObject({ status: 200, body: { status: 'open', updated_at: exam.updated_at } });
  });
});

describe('external_ref', () => {
  test('a used external_ref answers exam_exists with the id of the exam', async () => {
    const exam = await created(draft({ external_ref: 'taken' }));
    const error = await refused(draft({ external_ref: 'taken' }), 409, 'exam_exists');
    expect(error.details).toEqual({ exam_id: exam.id });
    expect((await tenant.api.get<Exam>(`/exams/${exam.id}`)).body).toEqual(exam);
  });

  test('an external_ref is unique per institute, and by case and spaces', async () => {
    await created(draft({ external_ref: 'ours' }));
    await created(draft({ external_ref: 'Ours' }));
    await created(draft({ external_ref: 'ours ' }));
    const other = await newTenant(service);
    expect((await other.api.post('/exams', draft({ external_ref: 'ours' }))).status).toBe(201);
  });

  test('of two simultaneous creates with one external_ref, one is created and one answers exam_exists', async () => {
    const answers = await Promise.all(
      [1, 2].map(() =>
        tenant.api.post<Exam & ErrorBody>('/exams', typedExam([mcq('1')], { external_ref: 'race' })),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const winner = answers.find(({ status }) => status === 201);
    const loser = answers.find(({ status }) => status === 409);
    if (loser === undefined) throw new Error('both creates succeeded');
    expect(expectError(loser, 409, 'exam_exists').details).toEqual({ exam_id: winner?.body.id });
  });
});
