import { expect, test } from 'vitest';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { ExamCreate, RubricsEdit } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { accept, refuse } from './accept.ts';

const failureOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainFailure) return error.failure;
    throw error;
  }
  throw new Error('accepted');
};

test('accept reports all problems of a body at once, each with its path', () => {
  const failure = failureOf(() =>
    accept(ExamCreate, {
      mode: 'typed',
      questions: [{ label: '1', type: 'long_answer', text: 't', max_marks: 0.3 }],
    }),
  );
  expect(failure.code).toBe('validation_failed');
  expect(failure.details).toMatchObject({
    errors: [
      { field: 'title', code: 'required' },
      { field: 'questions[0].max_marks', code: 'invalid_step' },
    ],
  });
});

test.each([
  ['NUL in a value', { a: { b: ['x', 'y\u0000'] } }, 'a.b[1]'],
  ['NUL in the name of an unknown field', { 'x\u0000': 1 }, ''],
  ['half a surrogate pair', { a: '\ud800' }, 'a'],
])('accept refuses %s anywhere in a body', (_name, body, field) => {
  expect(failureOf(() => accept(z.looseObject({}), body))).toMatchObject({
    code: 'validation_failed',
    details: { errors: [{ field, code: 'invalid_characters' }] },
  });
});

test('a rule with its own error code sets the code, unless there is also a problem without one', () => {
  const special = {
    field: 'a',
    code: 'rubric_marks_mismatch',
    message: '',
    failure: 'rubric_marks_mismatch',
  } as const;
  const plain = { field: 'b', code: 'required', message: '' };
  expect(failureOf(() => refuse([special])).code).toBe('rubric_marks_mismatch');
  expect(failureOf(() => refuse([special, plain]))).toMatchObject({
    code: 'validation_failed',
    details: { errors: [{ field: 'a' }, { field: 'b' }] },
  });
});

test('accept ignores unknown fields on create', () => {
  expect(accept(ExamCreate, { title: 'T', mode: 'typed', made_up: true })).toEqual({
    title: 'T',
    mode: 'typed',
  });
});

test.each([
  ['questions', { title: 'T', mode: 'typed', questions: Array.from({ length: 300_000 }, () => ({})) }],
  [
    'questions[0].options',
    { title: 'T', mode: 'typed', questions: [{ options: Array.from({ length: 300_000 }, () => ({})) }] },
  ],
  [
    'questions[0].answer',
    { title: 'T', mode: 'typed', questions: [{ answer: Array.from({ length: 300_000 }, () => ({})) }] },
  ],
])('accept refuses a list that is too long without reading its items: %s', (field, body) => {
  const before = process.cpuUsage();
  const failure = failureOf(() => accept(ExamCreate, body));
  const spent = process.cpuUsage(before);
  expect(failure.details).toMatchObject({ errors: [{ field, code: 'too_long' }] });
  expect((spent.user + spent.system) / 1000).toBeLessThan(500);
});

test('accept refuses more rubric edits than an exam can have questions', () => {
  const edits = (length: number) => ({
    questions: Object.fromEntries(Array.from({ length }, (_, index) => [`q${index}`, { colour: 'red' }])),
  });
  const many = edits(200_000);
  const before = process.cpuUsage();
  const failure = failureOf(() => accept(RubricsEdit, many));
  const spent = process.cpuUsage(before);
  expect(failure.details).toEqual({
    errors: [{ field: 'questions', code: 'too_long', message: expect.any(String) }],
  });
  expect((spent.user + spent.system) / 1000).toBeLessThan(500);
  expect(
    accept(RubricsEdit, { questions: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [n, {}])) }),
  ).toHaveProperty('questions.199');
});

test.each([
  ['deep in an object with free fields', '{"a":{"b":[1,{"c":-1e400}]}}', 'a.b[1].c'],
  ['where the schema refuses it too', '{"n":1e400}', 'n'],
])('accept reports a number that cannot be returned as sent once: %s', (_name, body, field) => {
  const schema = z.looseObject({ n: z.number().optional() });
  expect(failureOf(() => accept(schema, JSON.parse(body))).details).toEqual({
    errors: [{ field, code: 'invalid_value', message: expect.any(String) }],
  });
});

test('rules beyond the schema cannot exceed the bound of problems', () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ field: `f${index}`, code: 'x', message: '' }));
  expect(
    failureOf(() => accept(z.object({ a: z.string() }), {}, () => many)).details?.['errors'],
  ).toHaveLength(1000);
  expect(failureOf(() => refuse(many)).details?.['errors']).toHaveLength(1000);
});

test('the list of problems is bounded for a body with many mistakes', () => {
  const wrong = {
    title: 'T',
    mode: 'typed',
    candidates: Array.from({ length: 2000 }, () => ({ external_id: 1, name: 2, roll_number: 3 })),
  };
  const failure = failureOf(() => accept(ExamCreate, wrong));
  expect(failure.details?.['errors']).toHaveLength(1000);
});
