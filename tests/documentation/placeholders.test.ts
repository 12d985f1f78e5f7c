import { expect, test } from 'vitest';
import { stepsOf } from './page.ts';
import { expected, filled, type Names } from './placeholders.ts';

const compare = (example: unknown, actual: unknown, names: Names = new Map()) => {
  expect(actual).toEqual(expected(example, actual, names));
};

test('a name takes its value once, and must have it from then on', () => {
  const names: Names = new Map();
  compare({ id: '<exam_id>' }, { id: 'a' }, names);
  compare({ exam: '<exam_id>' }, { exam: 'a' }, names);
  expect(() => compare({ exam: '<exam_id>' }, { exam: 'b' }, names)).toThrow(/deeply equal/);
  expect(filled('/v1/exams/<exam_id>', names)).toBe('/v1/exams/a');
  expect(() => filled('<other>', names)).toThrow(/<other> has no value/);
});

test('any time matches a time, and any other value does not', () => {
  const example = { at: '2026-02-14T06:00:00.000Z' };
  compare(example, { at: '2031-01-01T00:00:00.123Z' });
  expect(() => compare(example, { at: null })).toThrow(/deeply equal/);
});

test('fields and items may be left out only where the page says so', () => {
  compare({ a: 1, '…': '…' }, { a: 1, b: 2 });
  compare([{ a: 1 }, '…'], [{ a: 1 }, { a: 2 }]);
  expect(() => compare({ a: 1 }, { a: 1, b: 2 })).toThrow(/deeply equal/);
  expect(() => compare([{ a: 1 }], [{ a: 1 }, { a: 2 }])).toThrow(/deeply equal/);
  expect(() => compare({ a: 1, '…': '…' }, { b: 2 })).toThrow(/deeply equal/);
});

test('a request without its answer is refused', () => {
  expect(() => stepsOf('```http request\nGET /v1/me\n```\n\n```sh\ntrue\n```')).toThrow(/line 5/);
});
