import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type {
  Exam,
  QuestionInput,
  QuestionList,
  Rubric,
  RubricList,
  RubricsEdited,
} from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver, type Answer, type ErrorBody } from '../../harness/api.ts';
import { behind, finalizeExam } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectOk, problemsIn } from '../../harness/tenant.ts';
import { startService } from '../../harness/service.ts';

const { service, tenant } = await restSuite();

const rubricOf = (name: string, marks = 2): Rubric => ({ criteria: [{ name, marks }] });
const newExam = (questions: QuestionInput[], open = true): Promise<Exam> =>
  createExam(tenant.api, { ...typedExam(questions), open });
const readExam = async (id: string): Promise<Exam> => (await tenant.api.get<Exam>(`/exams/${id}`)).body;
const read = async (examId: string): Promise<RubricList> =>
  expectOk(await tenant.api.get<RubricList>(`/exams/${examId}/rubrics`));
const idOf = (exam: Exam, label: string): string =>
  exam.questions.find((question) => question.label === label)?.id ?? '';
const patch = <T = ErrorBody>(examId: string, questions: unknown, ifMatch?: string): Promise<Answer<T>> =>
  tenant.api.patch<T>(
    `/exams/${examId}/rubrics`,
    { questions },
    ifMatch === undefined ? {} : { 'if-match': ifMatch },
  );
const edit = async (examId: string, questions: object, ifMatch?: string): Promise<RubricsEdited> =>
  expectOk(await patch<RubricsEdited>(examId, questions, ifMatch));
const refused = async (
  examId: string,
  call: () => Promise<Answer<ErrorBody>>,
  status: number,
  code: string,
): Promise<ErrorBody['error']> => {
  const before = [await read(examId), await readExam(examId)];
  const error = expectError(await call(), status, code);
  expect([await read(examId), await readExam(examId)]).toEqual(before);
  return error;
};

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

describe('If-Match', () => {
  test.each(['1', '"1"', '*'])('%s matches version 1', async (ifMatch) => {
    const exam = await newExam([longAnswer('1')]);
    expect((await edit(exam.id, { [idOf(exam, '1')]: { model_answer: 'New' } }, ifMatch)).version).toBe(2);
  });

  test.each(['0', '2', '"0"', 'W/"1"', '1.0', '01', '+1', '"1', 'one', '1, 2', "'1'"])(
    '%s differs from version 1: 412, before the body is checked',
    async (ifMatch) => {
      const exam = await newExam([longAnswer('1')]);
      const id = idOf(exam, '1');
      const good = () => patch(exam.id, { [id]: { model_answer: 'New' } }, ifMatch);
      await refused(exam.id, good, 412, 'rubric_version_mismatch');
      const bad = () => patch(exam.id, { [id]: { colour: 'red' } }, ifMatch);
      await refused(exam.id, bad, 412, 'rubric_version_mismatch');
    },
  );

  test('an older version answers 412 after any edit of a rubric, also by PATCH of a question', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    await edit(exam.id, { [id]: { model_answer: 'Second' } }, '1');
    await refused(
      exam.id,
      () => patch(exam.id, { [id]: { model_answer: 'x' } }, '1'),
      412,
      'rubric_version_mismatch',
    );
    await tenant.api.patch(`/exams/${exam.id}/questions/${id}`, { model_answer: 'Third' });
    await refused(
      exam.id,
      () => patch(exam.id, { [id]: { model_answer: 'x' } }, '2'),
      412,
      'rubric_version_mismatch',
    );
    expect((await edit(exam.id, { [id]: { model_answer: 'Fourth' } }, '3')).version).toBe(4);
  });

  test('of ten simultaneous edits with If-Match of one version exactly one succeeds, the others answer 412', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const tried = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch<RubricsEdited & ErrorBody>(exam.id, { [id]: { model_answer: `Mine ${index}` } }, '1'),
      ),
    );
    const won = tried.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    for (const answer of tried.filter(({ status }) => status !== 200)) {
      expectError(answer, 412, 'rubric_version_mismatch');
    }
    expect(await read(exam.id)).toMatchObject({
      version: 2,
      questions: [{ model_answer: `Mine ${won[0]}` }],
    });
  });

  test('ten simultaneous edits without If-Match all succeed, each with its own version', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) => edit(exam.id, { [id]: { model_answer: `Mine ${index}` } })),
    );
    const versions = made.map(({ version }) => version).toSorted((a, b) => a - b);
    expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const last = made.findIndex(({ version }) => version === 11);
    expect((await read(exam.id)).questions[0]?.model_answer).toBe(`Mine ${last}`);
  });
});

describe('the version that a run used', () => {
  test('a run reports the version it was marked by, and that version’s content is kept', async () => {
    const grading = await startService({ COPY_CONCURRENCY: '0' });
    try {
      const rubric: Rubric = { criteria: [{ name: 'First', marks: 2, keywords: ['mitochondria'] }] };
      const exam = await createExam(grading.api, typedExam([longAnswer('1', { rubric })]));
      const sit = async (external_id: string) => {
        const { id } = await submit(grading.api, exam.id, {
          candidate: { external_id },
          answers: [{ question_label: '1', text: 'The mitochondria release energy from food.' }],
        });
        return untilOver(grading.api, id);
      };
      const before = await sit('one');
      await grading.api.patch(`/exams/${exam.id}/rubrics`, {
        questions: { [idOf(exam, '1')]: { rubric: { criteria: [{ name: 'Second', marks: 2 }] } } },
      });
      const after = await sit('two');
      expect([before, after].map(({ status, rubric_version }) => ({ status, rubric_version }))).toEqual([
        { status: 'graded', rubric_version: 1 },
        { status: 'graded', rubric_version: 2 },
      ]);
      for (const [submission, name] of [
        [before, 'First'],
        [after, 'Second'],
      ] as const) {
        const result = await resultOf(grading.api, submission.id);
        expect(result.questions[0]?.criteria.map((criterion) => criterion.name)).toEqual([name]);
        const pinned = await behind<{ rubric: Rubric }>(
          grading.database,
          `select paper -> 'questions' -> 0 -> 'rubric' as rubric from runs where submission_id = $1`,
          [submission.id],
        );
        expect(pinned.map((run) => run.rubric.criteria.map((criterion) => criterion.name))).toEqual([[name]]);
      }
    } finally {
      await grading.close();
    }
  });
});
