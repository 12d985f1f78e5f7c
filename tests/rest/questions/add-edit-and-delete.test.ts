import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type {
  Exam,
  Question,
  QuestionEdited,
  QuestionInput,
  QuestionList,
  QuestionsAdded,
  RubricList,
} from '@evaluation/rest-contract/schemas';
import { createExam, type Answer, type ErrorBody } from '../../harness/api.ts';
import { longAnswer, mcq, numeric, oneWord, trueFalse, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, expectOk, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

const draft = (questions: QuestionInput[], change: object = {}): Promise<Exam> =>
  createExam(tenant.api, { ...typedExam(questions), open: false, ...change });
const opened = (questions: QuestionInput[], change: object = {}): Promise<Exam> =>
  createExam(tenant.api, { ...typedExam(questions), ...change });
const readExam = async (id: string): Promise<Exam> => (await tenant.api.get<Exam>(`/exams/${id}`)).body;
const list = async (examId: string, query = '?include=rubric,model_answer'): Promise<Question[]> =>
  expectOk(await tenant.api.get<QuestionList>(`/exams/${examId}/questions${query}`)).questions;
const add = async (examId: string, questions: object[]): Promise<QuestionsAdded> =>
  expectOk(await tenant.api.post<QuestionsAdded>(`/exams/${examId}/questions`, { questions }), 201);
const edit = async (examId: string, questionId: string, change: object): Promise<QuestionEdited> => {
  const path = `/exams/${examId}/questions/${questionId}`;
  return expectOk(await tenant.api.patch<QuestionEdited>(path, change));
};
const remove = async (examId: string, questionId: string): Promise<object> =>
  expectOk(await tenant.api.delete<object>(`/exams/${examId}/questions/${questionId}`));
const idOf = (exam: Exam, label: string): string =>
  exam.questions.find((question) => question.label === label)?.id ?? '';

const examState = async (examId: string): Promise<object> => ({
  exam: await readExam(examId),
  questions: await list(examId),
  rubrics: (await tenant.api.get<RubricList>(`/exams/${examId}/rubrics`)).body,
});
const refused = async (
  examId: string,
  call: () => Promise<Answer<ErrorBody>>,
  status: number,
  code: string,
): Promise<ErrorBody['error']> => {
  const before = await examState(examId);
  const error = expectError(await call(), status, code);
  expect(await examState(examId)).toEqual(before);
  return error;
};
const refusedAdd = (examId: string, questions: object[], status = 422, code = 'validation_failed') =>
  refused(examId, () => tenant.api.post(`/exams/${examId}/questions`, { questions }), status, code);
const refusedEdit = (
  examId: string,
  questionId: string,
  change: unknown,
  status = 422,
  code = 'validation_failed',
) =>
  refused(examId, () => tenant.api.patch(`/exams/${examId}/questions/${questionId}`, change), status, code);

const everyType: QuestionInput[] = [
  mcq('1', { negative_marks: 0.25, section: 'Objective' }),
  mcq('2', { type: 'mcq_multi', correct_options: ['C', 'A'] }),
  trueFalse('3'),
  numeric('4', { answer: 24.5 }),
  numeric('5', { answer: ' 24.50 ' }),
  numeric('6', { answer: [24, '24.0', -3] }),
  oneWord('7', { answer: 'Insulin' }),
  longAnswer('8', {
    section: 'Essays',
    parent_label: '7',
    word_limit: 250,
    expects_diagram: true,
    assess_language: false,
    tags: { topic: ['cells', { depth: 2 }], weight: 1.5, none: null },
    external_id: 'Q 8',
    rubric: {
      partial_marking: true,
      criteria: [
        { name: 'Idea', marks: 1.25, keywords: ['cell', 'wall'], guidance: 'if x < y' },
        { name: 'Proof', marks: 0.75 },
      ],
    },
  }),
  longAnswer('9', { model_answer: null, text: 'Explain <b> & "why" …' }),
];

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

describe('PATCH of a question of a draft', () => {
  test('changes every field but the type', async () => {
    const exam = await draft([
      mcq('1'),
      numeric('2'),
      oneWord('3'),
      longAnswer('4', { rubric: { criteria: [{ name: 'All', marks: 2 }] } }),
    ]);
    const common = {
      parent_label: 'p',
      section: 'New',
      text: 'Another text?',
      max_marks: 3.5,
      negative_marks: 0.75,
      word_limit: 9,
      expects_diagram: false,
      assess_language: true,
      tags: { a: [1] },
      external_id: 'e',
    };
    const changes: [string, object][] = [
      [
        '1',
        {
          ...common,
          label: 'I',
          options: [
            { label: 'x', text: 'X' },
            { label: 'y', text: 'Y' },
          ],
          correct_options: ['y'],
        },
      ],
      ['2', { ...common, label: 'II', answer: ['7', 8] }],
      ['3', { ...common, label: 'III', answer: 'Other' }],
      [
        '4',
        {
          ...common,
          label: 'IV',
          model_answer: 'New',
          rubric: { partial_marking: false, criteria: [{ name: 'New', marks: 3.5 }] },
        },
      ],
    ];
    for (const [label, change] of changes) {
      const id = idOf(exam, label);
      const { warnings, ...edited } = await edit(exam.id, id, change);
      expect(warnings).toEqual([]);
      expect(edited).toMatchObject({ ...change, id });
      expect((await list(exam.id)).find((question) => question.id === id)).toEqual(edited);
    }
    const after = await readExam(exam.id);
    expect(after.questions.map(({ label }) => label)).toEqual(['I', 'II', 'III', 'IV']);
    expect(after).toMatchObject({ total_marks: 14, paper_max: 14, question_count: 4 });
    // The derived section has no questions any more, so it is removed.
    expect(after.sections.map(({ name }) => name)).toEqual(['New']);
  });

  test('omitted fields stay, and null clears fields that may be empty', async () => {
    const [, , , , , , , essay] = everyType;
    const exam = await draft(everyType);
    const id = idOf(exam, '8');
    const before = (await list(exam.id)).find((question) => question.id === id);
    expect(await edit(exam.id, id, { word_limit: 300 })).toEqual({
      ...before,
      word_limit: 300,
      updated_at: expect.any(String),
      warnings: expect.any(Array),
    });
    const cleared = {
      parent_label: null,
      word_limit: null,
      expects_diagram: null,
      assess_language: null,
      tags: null,
      external_id: null,
      model_answer: null,
      rubric: null,
    };
    expect(await edit(exam.id, id, { ...cleared, section: null })).toMatchObject({
      ...cleared,
      section: 'Objective',
      text: essay?.text,
      max_marks: essay?.max_marks,
    });
    const choice = idOf(exam, '1');
    expect(await edit(exam.id, choice, { negative_marks: null })).toMatchObject({ negative_marks: 0 });
  });

  test('{} and the current values change nothing: no version, no updated_at', async () => {
    const exam = await draft(everyType);
    const before = await examState(exam.id);
    const listed = await list(exam.id);
    for (const [index, question] of everyType.entries()) {
      const { type: _type, ...same } = question;
      const { id } = listed[index] ?? { id: '' };
      expect((await edit(exam.id, id, {})).updated_at).toBe(listed[index]?.updated_at);
      expect((await edit(exam.id, id, same)).updated_at).toBe(listed[index]?.updated_at);
    }
    expect(await examState(exam.id)).toEqual(before);
  });

  test('a new rubric or model answer makes one version, other fields make none', async () => {
    const exam = await draft([longAnswer('1')]);
    const id = idOf(exam, '1');
    const version = async () => (await readExam(exam.id)).rubric.version;
    expect(await version()).toBe(1);
    await edit(exam.id, id, { text: 'New text', max_marks: 3, tags: {} });
    expect(await version()).toBe(1);
    await edit(exam.id, id, { rubric: { criteria: [{ name: 'a', marks: 3 }] }, model_answer: 'm' });
    expect(await version()).toBe(2);
    await edit(exam.id, id, { model_answer: null });
    expect(await version()).toBe(3);
    expect((await list(exam.id))[0]).toMatchObject({
      model_answer: null,
      rubric: { criteria: [{ name: 'a', marks: 3 }] },
    });
  });

  test('an option that keeps its label keeps its id, wherever it is moved', async () => {
    const exam = await draft([mcq('1')]);
    const id = idOf(exam, '1');
    const ids = Object.fromEntries(
      (exam.questions[0]?.options ?? []).map(({ label, option_id }) => [label, option_id]),
    );
    const { options } = await edit(exam.id, id, {
      options: [
        { label: 'C', text: 'Changed' },
        { label: 'new', text: '' },
        { label: 'A', text: 'One' },
      ],
      correct_options: ['A'],
    });
    expect(options?.map(({ label }) => label)).toEqual(['C', 'new', 'A']);
    expect(options?.[0]?.option_id).toBe(ids['C']);
    expect(options?.[2]?.option_id).toBe(ids['A']);
    expect(Object.values(ids)).not.toContain(options?.[1]?.option_id);
    expect((await readExam(exam.id)).questions[0]?.options).toEqual(
      options?.map(({ label, option_id }) => ({ label, option_id })),
    );
  });

  test('options are accepted as they were read, also on an open exam; an id of another option is refused', async () => {
    const other = randomUUID();
    for (const exam of [await draft([mcq('1')]), await opened([mcq('1')])]) {
      const id = idOf(exam, '1');
      const [read] = await list(exam.id);
      const options = read?.options ?? [];
      expect((await edit(exam.id, id, { options })).updated_at).toBe(read?.updated_at);
      const wrong = options.map((option, index) => (index === 1 ? { ...option, option_id: other } : option));
      expect(problemsIn(await refusedEdit(exam.id, id, { options: wrong }))).toEqual([
        'options[1].option_id: invalid_value',
      ]);
    }
  });

  test('null as a body is refused, and a missing body counts as an empty one', async () => {
    const exam = await draft([mcq('1')]);
    expect(problemsIn(await refusedEdit(exam.id, idOf(exam, '1'), null))).toEqual([': invalid_type']);
    const path = `/exams/${exam.id}/open`;
    expect(
      problemsIn(await refused(exam.id, () => tenant.api.post(path, null), 422, 'validation_failed')),
    ).toEqual([': invalid_type']);
    expect((await tenant.api.post(path)).status).toBe(200);
  });

  test('a question keeps its place when its label changes in case only', async () => {
    const exam = await draft([mcq('a'), mcq('b')]);
    await edit(exam.id, idOf(exam, 'a'), { label: 'A' });
    expect((await readExam(exam.id)).questions.map(({ label }) => label)).toEqual(['A', 'b']);
  });

  const broken: [string, object, string, string][] = [
    ['a field that is unknown', { colour: 'red' }, 'validation_failed', 'colour: unknown_field'],
    ['its type', { type: 'mcq_multi' }, 'validation_failed', 'type: unknown_field'],
    ['its id', { id: randomUUID() }, 'validation_failed', 'id: unknown_field'],
    [
      'an unknown field of an option',
      {
        options: [
          { label: 'A', text: '', x: 1 },
          { label: 'B', text: '' },
        ],
      },
      'validation_failed',
      'options[0].x: unknown_field',
    ],
    ['no label', { label: null }, 'validation_failed', 'label: invalid_type'],
    ['no marks', { max_marks: null }, 'validation_failed', 'max_marks: invalid_type'],
    ['an empty text', { text: ' ' }, 'validation_failed', 'text: required'],
    ['an empty section', { section: '' }, 'validation_failed', 'section: required'],
    ['marks off the half steps', { max_marks: 0.3 }, 'validation_failed', 'max_marks: invalid_step'],
    ['a label that is taken', { label: 'SECOND' }, 'validation_failed', 'label: duplicate'],
    ['no options', { options: null }, 'validation_failed', 'options: required'],
    ['no key', { correct_options: null }, 'validation_failed', 'correct_options: required'],
    [
      'two keys of a single choice',
      { correct_options: ['A', 'B'] },
      'validation_failed',
      'correct_options: invalid_value',
    ],
    ['an answer', { answer: 'A' }, 'validation_failed', 'answer: not_allowed'],
    ['a model answer', { model_answer: 'A' }, 'validation_failed', 'model_answer: not_allowed'],
    ['NUL', { text: 'a\u0000' }, 'validation_failed', 'text: invalid_characters'],
    [
      'a key that is no option',
      { correct_options: ['Z'] },
      'unknown_option_label',
      'correct_options[0]: unknown_option_label',
    ],
    [
      'options without the correct one',
      {
        options: [
          { label: 'A', text: '' },
          { label: 'C', text: '' },
        ],
      },
      'unknown_option_label',
      'correct_options[0]: unknown_option_label',
    ],
  ];
  test.each(broken)('%s is refused at its field', async (_name, change, code, problem) => {
    const exam = await draft([mcq('first'), mcq('second')]);
    expect(problemsIn(await refusedEdit(exam.id, idOf(exam, 'first'), change, 422, code))).toEqual([problem]);
  });

  test('every problem is listed at once, also those between fields', async () => {
    const exam = await draft([mcq('first'), mcq('second')]);
    const change = { label: 'SECOND', text: '', correct_options: ['Z'], type: 'numeric', colour: 'red' };
    expect(problemsIn(await refusedEdit(exam.id, idOf(exam, 'first'), change))).toEqual([
      'text: required',
      'type: unknown_field',
      'colour: unknown_field',
      'label: duplicate',
      'correct_options[0]: unknown_option_label',
    ]);
    const added = [mcq('2', { text: '' }), mcq('FIRST', { correct_options: ['Z'] })];
    expect(problemsIn(await refusedAdd(exam.id, added))).toEqual([
      'questions[0].text: required',
      'questions[1].label: duplicate',
      'questions[1].correct_options[0]: unknown_option_label',
    ]);
  });

  test('a rubric that does not add up to the marks is refused, whichever of the two is edited', async () => {
    const rubric = { criteria: [{ name: 'a', marks: 2 }] };
    const exam = await draft([longAnswer('1', { rubric })]);
    const id = idOf(exam, '1');
    const mismatch = ['rubric.criteria: rubric_marks_mismatch'];
    expect(
      problemsIn(await refusedEdit(exam.id, id, { max_marks: 3 }, 422, 'rubric_marks_mismatch')),
    ).toEqual(mismatch);
    const three = { rubric: { criteria: [{ name: 'a', marks: 3 }] } };
    expect(problemsIn(await refusedEdit(exam.id, id, three, 422, 'rubric_marks_mismatch'))).toEqual(mismatch);
    await edit(exam.id, id, { ...three, max_marks: 3 });
  });

  test('an unknown field of a criterion is refused', async () => {
    const exam = await draft([longAnswer('1')]);
    const rubric = { criteria: [{ name: 'a', marks: 2, colour: 'red' }], notes: '' };
    expect(problemsIn(await refusedEdit(exam.id, idOf(exam, '1'), { rubric }))).toEqual([
      'rubric.criteria[0].colour: unknown_field',
      'rubric.notes: unknown_field',
    ]);
  });

  test.each([
    ['a list', []],
    ['text', '{}'],
  ])('%s is refused', async (_name, body) => {
    const exam = await draft([mcq('1')]);
    const answer = await tenant.api.patch(`/exams/${exam.id}/questions/${idOf(exam, '1')}`, body);
    expectError(answer, 422, 'validation_failed');
  });

  test('the warnings are those of the edited question', async () => {
    const exam = await draft([longAnswer('1')]);
    const { warnings } = await edit(exam.id, idOf(exam, '1'), { model_answer: null });
    expect(warnings.map(({ code }) => code)).toEqual(['auto_rubric']);
    const paper = await draft([mcq('1')], { mode: 'handwritten' });
    const negative = await edit(paper.id, idOf(paper, '1'), { negative_marks: 2 });
    expect(negative).toMatchObject({ negative_marks: 0, warnings: [{ code: 'negative_marks_ignored' }] });
  });

  test('an unknown question, one of another exam and a malformed id answer not_found', async () => {
    const exam = await draft([mcq('1')]);
    const other = await draft([mcq('1')]);
    for (const id of [randomUUID(), idOf(other, '1'), 'none']) {
      await refusedEdit(exam.id, id, { max_marks: -1 }, 404, 'not_found');
      await refused(exam.id, () => tenant.api.delete(`/exams/${exam.id}/questions/${id}`), 404, 'not_found');
    }
  });
});

describe('PATCH of a question of an open exam', () => {
  test('changes text, rubric, model answer and stored-only fields', async () => {
    const exam = await opened([longAnswer('1'), mcq('2')]);
    const change = {
      text: 'New text',
      parent_label: 'p',
      word_limit: 9,
      expects_diagram: true,
      assess_language: true,
      tags: { a: 1 },
      external_id: 'e',
    };
    const material = { rubric: { criteria: [{ name: 'a', marks: 2 }] }, model_answer: 'New' };
    expect(await edit(exam.id, idOf(exam, '1'), { ...change, ...material })).toMatchObject({
      ...change,
      ...material,
    });
    expect(await edit(exam.id, idOf(exam, '2'), change)).toMatchObject(change);
    expect((await readExam(exam.id)).rubric.version).toBe(2);
  });

  const frozen: [string, string, object][] = [
    ['label', '1', { label: '1x' }],
    ['section', '1', { section: 'B' }],
    ['marks', '1', { max_marks: 2 }],
    ['negative marks', '1', { negative_marks: 1 }],
    [
      'options',
      '1',
      {
        options: [
          { label: 'A', text: 'One' },
          { label: 'B', text: 'Two' },
        ],
      },
    ],
    ['key', '1', { correct_options: ['A'] }],
    ['answer', '2', { answer: 25 }],
    ['marks of a long answer', '3', { max_marks: 3, rubric: { criteria: [{ name: 'a', marks: 3 }] } }],
    ['marks, though the rest of the body is wrong', '1', { max_marks: -1, colour: 'red' }],
  ];
  test.each(frozen)('changing the %s answers 409 conflict', async (_name, label, change) => {
    const exam = await opened([mcq('1'), numeric('2'), longAnswer('3')]);
    await refusedEdit(exam.id, idOf(exam, label), { text: 'New text', ...change }, 409, 'conflict');
  });

  test('a frozen field with its current value is not a change', async () => {
    const exam = await opened(everyType);
    const listed = await list(exam.id);
    for (const [index, question] of everyType.entries()) {
      const { type: _type, ...same } = question;
      const edited = await edit(exam.id, listed[index]?.id ?? '', { ...same, text: `New ${index}` });
      expect(edited.text).toBe(`New ${index}`);
    }
  });

  test('deleting a question answers 409 conflict', async () => {
    const exam = await opened([mcq('1')]);
    const path = `/exams/${exam.id}/questions/${idOf(exam, '1')}`;
    await refused(exam.id, () => tenant.api.delete(path), 409, 'conflict');
  });
});

describe('DELETE of a question', () => {
  test('answers {id, deleted: true}, and removes the question from the exam and its list', async () => {
    const exam = await draft([mcq('1', { section: 'X' }), longAnswer('2', { section: 'Y' }), mcq('3')]);
    const id = idOf(exam, '2');
    expect(await remove(exam.id, id)).toEqual({ id, deleted: true });
    const after = await readExam(exam.id);
    expect(after.questions.map(({ label }) => label)).toEqual(['1', '3']);
    expect(after).toMatchObject({ question_count: 2, total_marks: 2, paper_max: 2 });
    expect(after.sections.map(({ name }) => name)).toEqual(['X']);
    expect(after.rubric.questions_with_rubric + after.rubric.questions_without_rubric).toBe(0);
    const path = `/exams/${exam.id}/questions/${id}`;
    await refused(exam.id, () => tenant.api.delete(path), 404, 'not_found');
  });

  test('a type is changed by deleting and adding the question, which gets the same label at the end', async () => {
    const exam = await draft([mcq('1'), mcq('2')]);
    await remove(exam.id, idOf(exam, '1'));
    await add(exam.id, [longAnswer('1')]);
    expect((await list(exam.id)).map(({ label, type }) => `${label} ${type}`)).toEqual([
      '2 mcq_single',
      '1 long_answer',
    ]);
  });

  test('declared sections stay without questions', async () => {
    const exam = await draft([mcq('1')], { sections: [{ name: 'Only', order: 1 }] });
    await remove(exam.id, idOf(exam, '1'));
    expect(await readExam(exam.id)).toMatchObject({
      question_count: 0,
      total_marks: 0,
      sections: [{ name: 'Only' }],
    });
  });
});
