import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { QuestionList, Rubric, RubricsEdited } from '@evaluation/rest-contract/schemas';
import { behind, finalizeExam } from '../../harness/behind.ts';
import { longAnswer, mcq } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { problemsIn } from '../../harness/tenant.ts';
import { rubricOf, rubricCalls } from './rubricCalls.ts';

const { service, tenant } = await restSuite();
const { newExam, readExam, read, idOf, patch, edit, refused } = rubricCalls(tenant);

describe('GET of rubrics', () => {
  test('returns the long answers in paper order, with rubrics and model answers as sent, and the version', async () => {
    const rubric: Rubric = {
      partial_marking: false,
      criteria: [
        { name: ' Idea ', marks: 1.25, keywords: ['a > b'], guidance: 'At least 2 examples.' },
        { name: 'Proof', marks: 0.75, keywords: null, guidance: null },
      ],
    };
    const exam = await newExam([
      longAnswer('c', { rubric, model_answer: null }),
      mcq('b'),
      longAnswer('a'),
      longAnswer('0', { model_answer: null }),
    ]);
    expect(await read(exam.id)).toEqual({
      version: 1,
      questions: [
        { question_id: idOf(exam, 'c'), label: 'c', rubric, model_answer: null },
        {
          question_id: idOf(exam, 'a'),
          label: 'a',
          rubric: null,
          model_answer: longAnswer('a').model_answer,
        },
        { question_id: idOf(exam, '0'), label: '0', rubric: null, model_answer: null },
      ],
    });
  });

  test('an exam without long answers has none, at version 0', async () => {
    const exam = await newExam([mcq('1')]);
    expect(await read(exam.id)).toEqual({ version: 0, questions: [] });
  });

  /** Stores a generated rubric for the question's text, as the first copy does when the client has set none. */
  const generate = (questionId: string, rubric: Rubric) =>
    behind(
      service.database,
      `insert into rubric_versions (institute_id, exam_id, question_id, version, source, rubric, text_sha256)
       select institute_id, exam_id, id, 0, 'generated', $2, encode(sha256(convert_to(text, 'UTF8')), 'hex')
       from questions where id = $1`,
      [questionId, JSON.stringify(rubric)],
    );

  test('a generated rubric is marked as such, cannot be sent on create, and is replaced by the client’s', async () => {
    const exam = await newExam([longAnswer('1', { model_answer: null }), longAnswer('2')]);
    const id = idOf(exam, '1');
    const generated = rubricOf('Made by the service');
    await generate(id, generated);
    const shown = async () => (await read(exam.id)).questions.find(({ question_id }) => question_id === id);
    expect(await shown()).toEqual({
      question_id: id,
      label: '1',
      rubric: generated,
      model_answer: null,
      source: 'generated',
    });
    const list = `/exams/${exam.id}/questions?include=rubric`;
    expect((await tenant.api.get<QuestionList>(list)).body.questions[0]?.rubric).toBeNull();

    // A new version of another question leaves the generated rubric in force.
    expect((await edit(exam.id, { [idOf(exam, '2')]: { model_answer: 'New' } })).version).toBe(2);
    expect((await shown())?.source).toBe('generated');
    // After the client clears its rubric, the next copy generates one.
    expect((await edit(exam.id, { [id]: { rubric: null } })).version).toBe(3);
    expect(await shown()).toEqual({ question_id: id, label: '1', rubric: null, model_answer: null });
    expect((await edit(exam.id, { [id]: { rubric: rubricOf('Mine') } })).version).toBe(4);
    expect(await shown()).toMatchObject({ rubric: rubricOf('Mine') });
    expect(await shown()).not.toHaveProperty('source');
  });

  test('a rubric generated from a text is dropped when the text changes', async () => {
    const exam = await newExam([longAnswer('1', { model_answer: null })]);
    const id = idOf(exam, '1');
    await generate(id, rubricOf('Of the old text'));
    const path = `/exams/${exam.id}/questions/${id}`;
    await tenant.api.patch(path, { word_limit: 5 });
    expect((await read(exam.id)).questions[0]?.source).toBe('generated');
    await tenant.api.patch(path, { text: 'Another question?' });
    expect(await read(exam.id), 'and the version is the same').toEqual({
      version: 0,
      questions: [{ question_id: id, label: '1', rubric: null, model_answer: null }],
    });
  });
});

describe('PATCH of rubrics', () => {
  test('one call makes one version; null clears, omitted fields stay', async () => {
    const exam = await newExam([
      longAnswer('1'),
      longAnswer('2', { rubric: rubricOf('a') }),
      longAnswer('3'),
    ]);
    const [one, two, three] = ['1', '2', '3'].map((label) => idOf(exam, label));
    const answer = await edit(exam.id, {
      [one ?? '']: { rubric: rubricOf('new') },
      [two ?? '']: { rubric: null, model_answer: 'New' },
    });
    expect(answer).toEqual({ version: 2, questions: [{ question_id: one }, { question_id: two }] });
    const standard = longAnswer('1').model_answer;
    expect(await read(exam.id)).toEqual({
      version: 2,
      questions: [
        { question_id: one, label: '1', rubric: rubricOf('new'), model_answer: standard },
        { question_id: two, label: '2', rubric: null, model_answer: 'New' },
        { question_id: three, label: '3', rubric: null, model_answer: standard },
      ],
    });
    const after = await readExam(exam.id);
    expect(after.rubric).toMatchObject({ version: 2, questions_with_rubric: 1, questions_without_rubric: 2 });
    expect(after.updated_at > exam.updated_at).toBe(true);
  });

  test('an open exam and a draft accept changes, a finalized one answers exam_finalized', async () => {
    const draft = await newExam([longAnswer('1')], false);
    await edit(draft.id, { [idOf(draft, '1')]: { rubric: rubricOf('a') } });
    const exam = await newExam([longAnswer('1')]);
    await finalizeExam(service.database, exam.id);
    const call = () => patch(exam.id, { [idOf(exam, '1')]: { rubric: rubricOf('a') } }, '7');
    await refused(exam.id, call, 409, 'exam_finalized');
  });

  test.each([
    ['{}', {}],
    ['no questions', { questions: {} }],
  ])('%s answers 200 without a new version', async (_name, body) => {
    const exam = await newExam([longAnswer('1')]);
    const answer = await tenant.api.patch<RubricsEdited>(`/exams/${exam.id}/rubrics`, body);
    expect(answer).toMatchObject({ status: 200, body: { version: 1, questions: [] } });
    expect(await readExam(exam.id)).toEqual({ ...exam, warnings: [] });
  });

  test('the current values make no version', async () => {
    const exam = await newExam([longAnswer('1', { rubric: rubricOf('a') })]);
    const id = idOf(exam, '1');
    const same = { rubric: rubricOf('a'), model_answer: longAnswer('1').model_answer };
    expect(await edit(exam.id, { [id]: same })).toEqual({ version: 1, questions: [{ question_id: id }] });
    expect(await edit(exam.id, { [id]: {} })).toEqual({ version: 1, questions: [{ question_id: id }] });
    expect(await readExam(exam.id)).toEqual({ ...exam, warnings: [] });
  });

  test('criterion marks that are not a multiple of 0.5 are accepted with a warning', async () => {
    const exam = await newExam([longAnswer('1')]);
    const rubric = {
      criteria: [
        { name: 'a', marks: 1.7 },
        { name: 'b', marks: 0.3 },
      ],
    };
    const { warnings } = await edit(exam.id, { [idOf(exam, '1')]: { rubric } });
    expect(warnings?.map(({ code }) => code)).toEqual(['rubric_marks_not_half_step']);
  });

  test('all or nothing: every problem is listed with its path', async () => {
    const exam = await newExam([longAnswer('1'), longAnswer('2'), mcq('3')]);
    const [one, two, three] = ['1', '2', '3'].map((label) => idOf(exam, label));
    const stranger = randomUUID();
    const call = () =>
      patch(exam.id, {
        [one ?? '']: { rubric: rubricOf('fine') },
        [two ?? '']: {
          rubric: {
            criteria: [
              { name: 'a', marks: 1, guidance: 'fine' },
              { name: 'A', marks: 2, guidance: 'Give 2 marks.' },
            ],
          },
        },
        [three ?? '']: { model_answer: 'x' },
        [stranger]: { model_answer: 'x' },
        none: {},
      });
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([
      `questions.${two}.rubric.criteria: rubric_marks_mismatch`,
      `questions.${two}.rubric.criteria[1].name: rubric_duplicate_criterion`,
      `questions.${two}.rubric.criteria[1].guidance: rubric_guidance_has_marks`,
      `questions.${three}: not_allowed`,
      `questions.${stranger}: unknown_question`,
      'questions.none: unknown_question',
    ]);
  });

  test('malformed fields and broken rules are listed together', async () => {
    const exam = await newExam([longAnswer('1'), longAnswer('2'), mcq('3')]);
    const [one, two, three] = ['1', '2', '3'].map((label) => idOf(exam, label));
    const call = () =>
      patch(exam.id, {
        [one ?? '']: { rubric: { criteria: [{ name: '', marks: 5 }] } },
        [two ?? '']: { model_answer: 7, rubric: rubricOf('a', 1) },
        [three ?? '']: {},
      });
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([
      `questions.${one}.rubric.criteria[0].name: required`,
      `questions.${two}.model_answer: invalid_type`,
      `questions.${one}.rubric.criteria: rubric_marks_mismatch`,
      `questions.${two}.rubric.criteria: rubric_marks_mismatch`,
      `questions.${three}: not_allowed`,
    ]);
  });

  const rules: [string, object, string, string][] = [
    ['marks that do not add up', rubricOf('a', 1), 'rubric_marks_mismatch', 'criteria'],
    [
      'two criteria of one name',
      {
        criteria: [
          { name: 'a', marks: 1 },
          { name: 'A ', marks: 1 },
        ],
      },
      'rubric_duplicate_criterion',
      'criteria[1].name',
    ],
    [
      'guidance with mark figures',
      { criteria: [{ name: 'a', marks: 2, guidance: 'max 2' }] },
      'rubric_guidance_has_marks',
      'criteria[0].guidance',
    ],
  ];
  test.each(rules)('%s are refused with the rule’s own code', async (_name, rubric, code, field) => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const error = await refused(exam.id, () => patch(exam.id, { [id]: { rubric } }), 422, code);
    expect(problemsIn(error)).toEqual([`questions.${id}.rubric.${field}: ${code}`]);
  });

  test('unknown fields are refused at every depth', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const call = () =>
      tenant.api.patch(`/exams/${exam.id}/rubrics`, {
        version: 1,
        questions: {
          [id]: { rubric: { criteria: [{ name: 'a', marks: 2, x: 1 }], y: 1 }, max_marks: 2 },
        },
      });
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([
      `questions.${id}.rubric.criteria[0].x: unknown_field`,
      `questions.${id}.rubric.y: unknown_field`,
      `questions.${id}.max_marks: unknown_field`,
      'version: unknown_field',
    ]);
  });

  test('a name that is not an id is refused, also __proto__', async () => {
    const exam = await newExam([longAnswer('1')]);
    const names = ['__proto__', 'toString', ''];
    for (const value of [{ model_answer: 'x' }, { colour: 'red' }, null]) {
      for (const name of names) {
        // In JSON, __proto__ is an ordinary field.
        const questions: unknown = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
        const error = await refused(exam.id, () => patch(exam.id, questions), 422, 'validation_failed');
        expect(problemsIn(error)).toContain(`questions.${name}: unknown_question`);
      }
    }
  });

  test('more than 200 entries are refused by their number', async () => {
    const exam = await newExam([longAnswer('1')]);
    const many = Object.fromEntries(Array.from({ length: 201 }, () => [randomUUID(), {}]));
    const error = await refused(exam.id, () => patch(exam.id, many), 422, 'validation_failed');
    expect(problemsIn(error)).toEqual(['questions: too_long']);
  });

  test('a question named twice, by its id in two cases, is refused', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const upper = id.toUpperCase();
    const call = () => patch(exam.id, { [id]: { model_answer: 'a' }, [upper]: { model_answer: 'b' } });
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([
      `questions.${upper}: duplicate`,
    ]);
    expect((await edit(exam.id, { [upper]: { model_answer: 'b' } })).questions).toEqual([
      { question_id: id },
    ]);
  });

  test('a model answer is at most 20,000 characters', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const call = () => patch(exam.id, { [id]: { model_answer: 'x'.repeat(20_001) } });
    expect(problemsIn(await refused(exam.id, call, 422, 'validation_failed'))).toEqual([
      `questions.${id}.model_answer: too_long`,
    ]);
    await edit(exam.id, { [id]: { model_answer: 'x'.repeat(20_000) } });
  });
});
