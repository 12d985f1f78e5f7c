import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { longAnswer, mcq, numeric, oneWord } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, problemsIn } from '../../harness/tenant.ts';
import { everyType, paperCalls } from './paperCalls.ts';

const { tenant } = await restSuite();
const { draft, opened, readExam, list, edit, idOf, examState, refused, refusedAdd, refusedEdit } =
  paperCalls(tenant);

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
