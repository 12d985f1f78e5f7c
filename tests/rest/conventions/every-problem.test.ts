import { expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { longAnswer, mcq, numeric, oneWord, trueFalse, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid } from '../../harness/tenant.ts';

/* All problems of a body are reported in one error (docs/api/conventions.md#errors). */

const { tenant } = await restSuite();

const criteria = (...marks: number[]) => ({
  criteria: marks.map((mark, index) => ({ name: `c${index}`, marks: mark })),
});

test('problems of the schema and of combined fields are listed together, without consequences of other problems', async () => {
  const body = {
    title: 7,
    mode: 'typed',
    sections: [
      { name: 'A', order: 1 },
      { name: 'a', order: 2 },
      { name: '<', order: 3 },
    ],
    questions: [
      // Options with errors: the right one cannot be determined, but a duplicate can.
      mcq('1', {
        options: [
          { label: 'A', text: '' },
          { label: 'A', text: '' },
          { label: '<', text: '' },
        ],
        correct_options: ['C', 'C'],
      }),
      // An unknown type, so no key is required.
      { label: '1', type: 'essay', text: 'x', max_marks: 1, section: 'unread' },
      // Marks with errors: the sum of the criteria cannot be checked; their names and guidance can.
      {
        ...longAnswer('2', { max_marks: 0.3 }),
        rubric: {
          criteria: [
            { name: 'Same', marks: 1, guidance: 'Give 2 marks.' },
            { name: 'same', marks: 'two' },
          ],
        },
      },
      longAnswer('3', { rubric: criteria(1, 2), answer: 'none' }),
      'no question at all',
      numeric('4', { answer: 'four' }),
      { ...oneWord('5'), answer: { word: 'x' } },
      trueFalse('6', { correct_options: null }),
    ],
    candidates: [{ external_id: 'twice' }, { external_id: '' }, { external_id: 'twice', name: '<b>' }],
  };
  const answer = await tenant.api.post('/exams', body);
  expect(expectInvalid(answer).toSorted()).toEqual([
    'candidates[1].external_id: required',
    'candidates[2].external_id: duplicate',
    'candidates[2].name: invalid_characters',
    'questions[0].correct_options: invalid_value',
    'questions[0].correct_options[1]: duplicate',
    'questions[0].options[1].label: duplicate',
    'questions[0].options[2].label: invalid_characters',
    'questions[1].label: duplicate',
    'questions[1].type: invalid_value',
    'questions[2].max_marks: invalid_step',
    'questions[2].rubric.criteria[0].guidance: rubric_guidance_has_marks',
    'questions[2].rubric.criteria[1].marks: invalid_type',
    'questions[2].rubric.criteria[1].name: rubric_duplicate_criterion',
    'questions[3].answer: not_allowed',
    'questions[3].rubric.criteria: rubric_marks_mismatch',
    'questions[4]: invalid_type',
    'questions[5].answer: invalid_value',
    'questions[6].answer: invalid_value',
    'questions[7].correct_options: required',
    'sections[1].name: duplicate',
    'sections[2].name: invalid_characters',
    'title: invalid_type',
  ]);
  const { error } = answer.body;
  for (const problem of error.details?.errors ?? []) expect(problem).toHaveProperty('message');
});

test('NUL is listed beside every other problem', async () => {
  const body = typedExam([mcq('1', { text: 'a\u0000' }), mcq('1')]);
  expect(expectInvalid(await tenant.api.post('/exams', body))).toEqual([
    'questions[0].text: invalid_characters',
    'questions[1].label: duplicate',
  ]);
});

const mismatch = longAnswer('m', { rubric: criteria(1) });
const twice = longAnswer('d', {
  rubric: {
    criteria: [
      { name: 'x', marks: 1 },
      { name: 'X', marks: 1 },
    ],
  },
});
const figures = longAnswer('f', {
  rubric: { criteria: [{ name: 'x', marks: 2, guidance: 'Worth 2 marks.' }] },
});
const option = mcq('o', { correct_options: ['Z'] });

test.each<[string, object, string, number]>([
  ['criteria that do not add up', typedExam([mismatch]), 'rubric_marks_mismatch', 1],
  ['a criterion named twice', typedExam([twice]), 'rubric_duplicate_criterion', 1],
  ['guidance with mark figures', typedExam([figures]), 'rubric_guidance_has_marks', 1],
  ['a key that is no option', typedExam([option]), 'unknown_option_label', 1],
  [
    'several of them: the first one names the error',
    typedExam([figures, option, mismatch]),
    'rubric_guidance_has_marks',
    3,
  ],
  [
    'several of them, the other way round',
    typedExam([mismatch, option, figures]),
    'rubric_marks_mismatch',
    3,
  ],
  ['hi', typedExam([mcq('1')], { answer_language: 'hi' }), 'language_not_supported', 1],
  [
    'hi twice',
    typedExam([], { answer_language: 'hi', feedback_language: 'hi' }),
    'language_not_supported',
    2,
  ],
  ['choice groups', typedExam([mcq('1')], { choice_groups: [{}] }), 'feature_not_available', 1],
  [
    'hi, and criteria that do not add up',
    typedExam([mismatch], { answer_language: 'hi' }),
    'language_not_supported',
    2,
  ],
  [
    'hi, and a plain problem',
    typedExam([mcq('1')], { answer_language: 'hi', title: '' }),
    'validation_failed',
    2,
  ],
  [
    'choice groups, and a plain problem of the paper',
    typedExam([mcq('1'), mcq('1')], { choice_groups: [{}] }),
    'validation_failed',
    2,
  ],
  [
    'criteria that do not add up, and a label used twice',
    typedExam([mismatch, mcq('m')]),
    'validation_failed',
    2,
  ],
  [
    'open without questions, and a plain problem',
    typedExam([], { open: true, title: '' }),
    'validation_failed',
    1,
  ],
  ['open without questions', typedExam([], { open: true }), 'exam_not_ready', 1],
])('%s answers %3$s', async (_name, body, code, problems) => {
  const error = expectError(await tenant.api.post('/exams', body), 422, code);
  expect(error.details?.errors).toHaveLength(problems);
});

test('null counts as omitted in every optional field of a question, a rubric and a candidate', async () => {
  const question = longAnswer('1', {
    parent_label: null,
    section: null,
    negative_marks: null,
    options: null,
    correct_options: null,
    answer: null,
    word_limit: null,
    expects_diagram: null,
    assess_language: null,
    tags: null,
    external_id: null,
    rubric: {
      partial_marking: null,
      criteria: [{ name: 'x', marks: 2, keywords: null, guidance: null }],
    },
  });
  const candidate = {
    external_id: 'nulls',
    name: null,
    roll_number: null,
    section_or_class: null,
    metadata: null,
  };
  const { status, body } = await tenant.api.post<Exam>(
    '/exams',
    typedExam([question], { candidates: [candidate] }),
  );
  expect({ status, body }).toMatchObject({ status: 201, body: { sections: [{ name: 'A', order: 1 }] } });
});

test('sections keep the order sent, also negative and non-consecutive ones', async () => {
  const sections = [
    { name: 'Last', order: 9_007_199_254_740_991 },
    { name: 'First', order: -5 },
    { name: 'Tied 1', order: 3 },
    { name: 'Tied 2', order: 3 },
  ];
  const { body } = await tenant.api.post<Exam>(
    '/exams',
    typedExam([mcq('1', { section: 'last' }), mcq('2')], { sections }),
  );
  expect(body.sections).toEqual([sections[1], sections[2], sections[3], sections[0]]);
  // The paper keeps its own order; a question without a section belongs to the first one.
  expect(body.questions.map(({ label, section }) => [label, section])).toEqual([
    ['1', 'Last'],
    ['2', 'First'],
  ]);
});
