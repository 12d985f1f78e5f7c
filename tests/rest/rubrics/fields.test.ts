import { expect, test } from 'vitest';
import type { Exam, Rubric, RubricList } from '@evaluation/rest-contract/schemas';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectOk, expectRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

const paper = (criteria: Rubric['criteria'], maxMarks = 2) =>
  typedExam([longAnswer('1', { max_marks: maxMarks, rubric: { partial_marking: true, criteria } })]);
const created = async (body: object): Promise<Exam> =>
  expectOk(await tenant.api.post<Exam>('/exams', body), 201);
const refused = (body: object, code: string) =>
  expectRefused(tenant, () => tenant.api.post('/exams', body), 422, code);

const at = 'questions[0].rubric.criteria';

test.each([
  ['too few', [{ name: 'a', marks: 1 }]],
  [
    'too many',
    [
      { name: 'a', marks: 1 },
      { name: 'b', marks: 1.5 },
    ],
  ],
  [
    'a hair too many',
    [
      { name: 'a', marks: 1 },
      { name: 'b', marks: 1.000001 },
    ],
  ],
])('criterion marks that are %s answer rubric_marks_mismatch', async (_name, criteria) => {
  expect(problemsIn(await refused(paper(criteria), 'rubric_marks_mismatch'))).toEqual([
    `${at}: rubric_marks_mismatch`,
  ]);
});

test('decimals are added exactly: ten tenths are one', async () => {
  const tenths = Array.from({ length: 10 }, (_, index) => ({ name: `c${index}`, marks: 0.1 }));
  await created(paper(tenths, 1));
  await created(
    paper(
      [
        { name: 'a', marks: 0.1 },
        { name: 'b', marks: 0.2 },
        { name: 'c', marks: 0.7 },
      ],
      1,
    ),
  );
});

test.each(['Idea', 'IDEA', ' idea '])(
  'a second criterion named "%s" answers rubric_duplicate_criterion',
  async (name) => {
    const error = await refused(
      paper([
        { name: 'Idea', marks: 1 },
        { name, marks: 1 },
      ]),
      'rubric_duplicate_criterion',
    );
    expect(problemsIn(error)).toEqual([`${at}[1].name: rubric_duplicate_criterion`]);
  },
);

test('criterion names, keywords and guidance are stored as sent, up to their maximum lengths', async () => {
  const criteria = Array.from({ length: 50 }, (_, index) => ({
    name: ` Criterion ${index} `.padEnd(index === 0 ? 255 : 20, '·'),
    marks: 0.04,
    keywords: Array.from({ length: index % 3 }, (_keyword, word) => `keyword ${word} <b>`),
    guidance: 'x'.repeat(index === 0 ? 2000 : 300),
  }));
  const exam = await created(paper(criteria));
  const { body } = await tenant.api.get<RubricList>(`/exams/${exam.id}/rubrics`);
  expect(body.questions[0]?.rubric).toEqual({ partial_marking: true, criteria });
});

test.each([
  ['51 criteria', Array.from({ length: 51 }, (_, index) => ({ name: `c${index}`, marks: 0.1 })), 5.1, ''],
  ['51 keywords', [{ name: 'a', marks: 2, keywords: Array<string>(51).fill('k') }], 2, '[0].keywords'],
  ['2,001 characters of guidance', [{ name: 'a', marks: 2, guidance: 'x'.repeat(2001) }], 2, '[0].guidance'],
  [
    'more than 20,000 characters altogether',
    Array.from({ length: 10 }, (_, index) => ({ name: `c${index}`, marks: 0.2, guidance: 'x'.repeat(1999) })),
    2,
    '',
  ],
])('a rubric of %s is refused', async (_name, criteria, maxMarks, field) => {
  const error = await refused(paper(criteria, Math.ceil(maxMarks)), 'validation_failed');
  expect(problemsIn(error)).toContain(`${at}${field}: too_long`);
});

test('marks of more than six decimal places are refused, since they cannot be stored exactly', async () => {
  const error = await refused(paper([{ name: 'a', marks: 2.0000001 }]), 'validation_failed');
  expect(problemsIn(error)).toEqual([`${at}[0].marks: invalid_step`]);
});

test('criteria of two questions may have the same name', async () => {
  const rubric: Rubric = { criteria: [{ name: 'Idea', marks: 2 }] };
  await created(typedExam([longAnswer('1', { rubric }), longAnswer('2', { rubric })]));
});

test('guidance with mark figures answers rubric_guidance_has_marks, and other numbers are allowed', async () => {
  const guided = (guidance: string) => paper([{ name: 'Idea', marks: 2, guidance }]);
  const error = await refused(guided('Give 1 mark for the formula.'), 'rubric_guidance_has_marks');
  expect(problemsIn(error)).toEqual([`${at}[0].guidance: rubric_guidance_has_marks`]);
  await created(guided('At least 2 of the 3 laws; v = 60 cm; the year 1919.'));
});

test('criterion marks that are not a multiple of 0.5 are accepted with a warning', async () => {
  const exam = await created(
    paper([
      { name: 'a', marks: 1.25 },
      { name: 'b', marks: 0.75 },
    ]),
  );
  expect(exam.warnings.map(({ code }) => code)).toEqual(['rubric_marks_not_half_step']);
});

test('criterion names cannot contain < or >; guidance and keywords may', async () => {
  const error = await refused(paper([{ name: 'a<b', marks: 2 }]), 'validation_failed');
  expect(problemsIn(error)).toEqual([`${at}[0].name: invalid_characters`]);
  await created(paper([{ name: 'a', marks: 2, guidance: 'if x < y', keywords: ['a > b'] }]));
});

test.each([
  ['no criteria', { criteria: [] }, 'rubric.criteria: too_short'],
  ['criteria left out', {}, 'rubric.criteria: required'],
  ['a criterion without a name', { criteria: [{ marks: 2 }] }, 'rubric.criteria[0].name: required'],
  ['a criterion without marks', { criteria: [{ name: 'a' }] }, 'rubric.criteria[0].marks: required'],
  [
    'a criterion of no marks',
    { criteria: [{ name: 'a', marks: 0 }] },
    'rubric.criteria[0].marks: out_of_range',
  ],
  [
    'keywords that are no list',
    { criteria: [{ name: 'a', marks: 2, keywords: 'x' }] },
    'rubric.criteria[0].keywords: invalid_type',
  ],
])('%s is refused', async (_name, rubric, problem) => {
  const body = { title: 'x', mode: 'typed', questions: [{ ...longAnswer('1'), rubric }] };
  expect(problemsIn(await refused(body, 'validation_failed'))).toEqual([`questions[0].${problem}`]);
});

test('several broken rubric rules are all listed, under the code of the first', async () => {
  const error = await refused(
    paper([
      { name: 'a', marks: 1, guidance: 'worth 3' },
      { name: 'A', marks: 3 },
    ]),
    'rubric_marks_mismatch',
  );
  expect(problemsIn(error)).toEqual([
    `${at}: rubric_marks_mismatch`,
    `${at}[0].guidance: rubric_guidance_has_marks`,
    `${at}[1].name: rubric_duplicate_criterion`,
  ]);
});

test('the rubric has a version, and the exam counts the questions with and without one', async () => {
  const rubric: Rubric = { criteria: [{ name: 'Idea', marks: 2 }] };
  const exam = await created(
    typedExam([longAnswer('1', { rubric }), longAnswer('2'), longAnswer('3', { model_answer: null })]),
  );
  expect(exam.rubric).toEqual({
    version: 1,
    locked: false,
    questions_with_rubric: 1,
    questions_without_rubric: 2,
  });
});
