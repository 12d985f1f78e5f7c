import { describe, expect, test } from 'vitest';
import { longAnswer, mcq } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectInvalid, problemsIn } from '../../harness/tenant.ts';
import { everyType, paperCalls } from './paperCalls.ts';

const { tenant } = await restSuite();
const { draft, opened, readExam, list, add, refused, refusedAdd } = paperCalls(tenant);

describe('GET /exams/{id}/questions', () => {
  test('every field is returned as sent, with ids and defaults', async () => {
    const exam = await draft(everyType);
    const listed = await list(exam.id);
    const stored = listed.map(({ id: _id, created_at: _created, updated_at: _updated, ...question }) => ({
      ...question,
      ...(question.options === undefined
        ? {}
        : { options: question.options.map(({ label, text }) => ({ label, text })) }),
    }));
    expect(stored).toEqual(
      everyType.map((question) => ({
        parent_label: null,
        negative_marks: 0,
        word_limit: null,
        expects_diagram: null,
        assess_language: null,
        tags: null,
        external_id: null,
        ...(question.type === 'long_answer' ? { rubric: null, model_answer: null } : {}),
        ...question,
        section: question.section ?? 'Objective',
      })),
    );
    const compact = listed.map(({ id, label, section, max_marks, options }) => ({
      id,
      label,
      section,
      max_marks,
      ...(options === undefined
        ? {}
        : { options: options.map((option) => ({ label: option.label, option_id: option.option_id })) }),
    }));
    expect(compact).toEqual(exam.questions);
  });

  test.each([
    ['', []],
    ['?include=', []],
    ['?include=rubric', ['rubric']],
    ['?include=model_answer', ['model_answer']],
    ['?include=model_answer,rubric', ['model_answer', 'rubric']],
  ])('with "%s" exactly %j is returned with the long answers', async (query, fields) => {
    const exam = await draft([mcq('1'), longAnswer('2')]);
    const [choice, essay] = await list(exam.id, query);
    const asked = ['model_answer', 'rubric'];
    expect(Object.keys(choice ?? {}).filter((key) => asked.includes(key))).toEqual([]);
    expect(
      Object.keys(essay ?? {})
        .filter((key) => asked.includes(key))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(fields);
  });

  test('an unknown include is refused', async () => {
    const exam = await draft([mcq('1')]);
    expect(expectInvalid(await tenant.api.get(`/exams/${exam.id}/questions?include=rubrics`))).toEqual([
      'include: invalid_value',
    ]);
  });

  test('an exam without questions has an empty list', async () => {
    const exam = await draft([]);
    expect(await list(exam.id)).toEqual([]);
  });
});

describe('POST /exams/{id}/questions', () => {
  test('questions are added at the end in the order sent, and the exam counts them', async () => {
    const exam = await draft([mcq('z'), longAnswer('y')]);
    const added = await add(exam.id, everyType);
    expect(added.questions.map(({ label }) => label)).toEqual(everyType.map(({ label }) => label));
    expect(added.warnings.map(({ code }) => code)).toEqual(['rubric_marks_not_half_step', 'auto_rubric']);
    const after = await readExam(exam.id);
    expect(after.questions.map(({ label }) => label)).toEqual([
      'z',
      'y',
      ...everyType.map(({ label }) => label),
    ]);
    const marks = 3 + everyType.reduce((sum, { max_marks }) => sum + max_marks, 0);
    expect(after).toMatchObject({ question_count: 11, total_marks: marks, paper_max: marks });
    expect(after.updated_at > exam.updated_at).toBe(true);
    expect((await list(exam.id)).slice(2)).toEqual(added.questions);
  });

  test('rubrics of the added questions make one new version; questions without a rubric make none', async () => {
    const exam = await draft([mcq('1')]);
    expect(exam.rubric.version).toBe(0);
    await add(exam.id, [mcq('2'), longAnswer('3', { model_answer: null })]);
    expect((await readExam(exam.id)).rubric.version).toBe(0);
    await add(exam.id, [longAnswer('4'), longAnswer('5')]);
    expect((await readExam(exam.id)).rubric.version).toBe(1);
    await add(exam.id, [longAnswer('6')]);
    expect((await readExam(exam.id)).rubric.version).toBe(2);
  });

  test('one invalid question refuses all, and every problem is listed', async () => {
    const exam = await draft([mcq('1')]);
    const error = await refusedAdd(exam.id, [
      mcq('2'),
      mcq('1'),
      mcq('3', { correct_options: null }),
      mcq('2'),
    ]);
    expect(problemsIn(error)).toEqual([
      'questions[1].label: duplicate',
      'questions[2].correct_options: required',
      'questions[3].label: duplicate',
    ]);
  });

  test('a label is unique among old and new questions, ignoring case', async () => {
    const exam = await draft([mcq('1a')]);
    expect(problemsIn(await refusedAdd(exam.id, [mcq('1A')]))).toEqual(['questions[0].label: duplicate']);
  });

  test('an exam has at most 200 questions, old and new', async () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => mcq(`q${from + index}`));
    const exam = await draft(many(0, 150));
    expect(problemsIn(await refusedAdd(exam.id, many(150, 51)))).toEqual(['questions: too_long']);
    await add(exam.id, many(150, 50));
    expect((await readExam(exam.id)).question_count).toBe(200);
    expect(problemsIn(await refusedAdd(exam.id, many(200, 1)))).toEqual(['questions: too_long']);
  });

  test.each([
    ['no list', {}, 'questions: required'],
    ['an empty list', { questions: [] }, 'questions: too_short'],
    ['one question instead of a list', { questions: mcq('9') }, 'questions: invalid_type'],
    [
      '201 questions',
      { questions: Array.from({ length: 201 }, (_, i) => mcq(`q${i}`)) },
      'questions: too_long',
    ],
  ])('%s is refused', async (_name, body, problem) => {
    const exam = await draft([mcq('1')]);
    const call = () => tenant.api.post(`/exams/${exam.id}/questions`, body);
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([problem]);
  });

  test('unknown fields are ignored', async () => {
    const exam = await draft([]);
    const { questions } = await add(exam.id, [{ ...mcq('1'), colour: 'red' }]);
    expect(questions[0]).not.toHaveProperty('colour');
  });

  test('where sections were derived, a question may name a new one, which is appended', async () => {
    const exam = await draft([mcq('1', { section: 'Physics' })]);
    await add(exam.id, [mcq('2', { section: 'PHYSICS' }), mcq('3', { section: 'Biology' }), mcq('4')]);
    const after = await readExam(exam.id);
    expect(after.sections.map(({ name }) => name)).toEqual(['Physics', 'Biology']);
    expect(after.questions.map(({ section }) => section)).toEqual([
      'Physics',
      'Physics',
      'Biology',
      'Physics',
    ]);
  });

  test('an exam made without questions gets the section of the first added question, "A" by default', async () => {
    const unnamed = await draft([]);
    await add(unnamed.id, [mcq('1')]);
    expect((await readExam(unnamed.id)).sections.map(({ name }) => name)).toEqual(['A']);
    const named = await draft([]);
    await add(named.id, [mcq('1', { section: 'B' }), mcq('2')]);
    expect((await readExam(named.id)).sections.map(({ name }) => name)).toEqual(['B']);
  });

  test('with declared sections an undeclared one is refused, and a question without section gets the first', async () => {
    const sections = [
      { name: 'Second', order: 2 },
      { name: 'First', order: 1 },
    ];
    const exam = await draft([], { sections });
    expect(problemsIn(await refusedAdd(exam.id, [mcq('1', { section: 'Third' })]))).toEqual([
      'questions[0].section: unknown_section',
    ]);
    const { questions } = await add(exam.id, [mcq('1'), mcq('2', { section: 'second' })]);
    expect(questions.map(({ section }) => section)).toEqual(['First', 'Second']);
  });

  test('there are at most 20 derived sections, old and new', async () => {
    const inSections = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => mcq(`q${from + i}`, { section: `S${from + i}` }));
    const exam = await draft(inSections(0, 19));
    expect(problemsIn(await refusedAdd(exam.id, inSections(19, 2)))).toEqual([
      'questions: too_many_sections',
    ]);
    await add(exam.id, inSections(19, 1));
    const [first] = await list(exam.id);
    const path = `/exams/${exam.id}/questions/${first?.id}`;
    // A derived section without questions is removed.
    expect(await tenant.api.patch(path, { section: 'New' })).toMatchObject({
      status: 200,
      body: { section: 'New' },
    });
    await add(exam.id, [mcq('beside', { section: 'new' })]);
    expect(expectInvalid(await tenant.api.patch(path, { section: 'Newer' }))).toEqual([
      'section: too_many_sections',
    ]);
  });

  test('on a handwritten exam negative marks are set to 0 with a warning', async () => {
    const exam = await draft([], { mode: 'handwritten' });
    const { questions, warnings } = await add(exam.id, [mcq('1', { negative_marks: 1 })]);
    expect(questions[0]?.negative_marks).toBe(0);
    expect(warnings.map(({ code }) => code)).toEqual(['negative_marks_ignored']);
  });

  test('an open exam answers 409 conflict to new questions, before the body is checked', async () => {
    const exam = await opened([mcq('1')]);
    await refusedAdd(exam.id, [mcq('2')], 409, 'conflict');
    await refusedAdd(exam.id, [], 409, 'conflict');
  });
});
