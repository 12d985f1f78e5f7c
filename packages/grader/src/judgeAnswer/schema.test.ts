import { expect, test } from 'vitest';
import { readStrict, strictJsonSchema } from '../strictSchema.ts';
import { criteriaSchemaFor } from './schema.ts';

const marksIn = (marks: number[], isPartial = true): unknown[] => {
  const json = JSON.stringify(
    strictJsonSchema(
      criteriaSchemaFor(
        marks.map((each) => ({ marks: each })),
        isPartial,
      ),
    ),
  );
  return [...json.matchAll(/"awarded":(\{[^}]*\})/g)].map(
    ([, awarded = '']) => JSON.parse(awarded).enum ?? null,
  );
};

test('each criterion has a key of its own and lists its marks, in half steps', () => {
  const schema = strictJsonSchema(criteriaSchemaFor([{ marks: 1.5 }, { marks: 0.5 }], true));
  expect(schema).toMatchObject({
    type: 'object',
    required: ['criterion_1', 'criterion_2', 'addresses_grader', 'feedback'],
    additionalProperties: false,
  });
  expect(marksIn([1.5, 0.5])).toEqual([
    [0, 0.5, 1, 1.5],
    [0, 0.5],
  ]);
});

test('without partial marking only all marks or 0 are listed', () => {
  expect(marksIn([3, 0.5], false)).toEqual([
    [0, 3],
    [0, 0.5],
  ]);
});

test.each([
  ['of 1000 marks', [1000]],
  ['of two hundred criteria', Array.from({ length: 200 }, () => 1)],
  ['of marks that are no half steps', [0.75]],
])('marks %s are not listed, because servers accept a limited number of values in a schema', (_, marks) => {
  expect(new Set(marksIn(marks))).toEqual(new Set([null]));
});

const award = (awarded: number) => ({ evidence: null, reason: 'So.', awarded, certainty: 'certain' });
const schema = criteriaSchemaFor([{ marks: 2 }], true);
const read = (reply: object) => readStrict(schema, JSON.stringify(reply));

test.each([
  ['a missing report whether the answer addresses its grader', { criterion_1: award(1), feedback: 'x' }],
  [
    'an unknown criterion with other content',
    { criterion_1: award(1), criterion_2: 1, addresses_grader: false, feedback: 'x' },
  ],
])('%s is malformed', (_, reply) => {
  expect(() => read(reply)).toThrow('outside its schema');
});
