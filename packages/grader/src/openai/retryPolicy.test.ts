import { APIError } from 'openai';
import { expect, test } from 'vitest';
import { LostMaterial, NoModelOutput, TimedOut } from './failures.ts';
import { createRetryPolicy } from './retryPolicy.ts';

const answered = (status: number, headers: Record<string, string> = {}) =>
  APIError.generate(status, {}, undefined, new Headers(headers));
/** Fails every ten seconds. @returns the reason to give up after each failure */
const reasons = (errors: readonly unknown[], answeredAt: number | null = null) => {
  const retryPolicy = createRetryPolicy();
  return errors.map((error, index) => retryPolicy.reasonToGiveUp(error, { now: 10_000 * index, answeredAt }));
};
const times = (count: number, error: unknown): unknown[] => Array.from({ length: count }, () => error);
const nothing = (count: number): null[] => Array.from({ length: count }, () => null);

test('the third time-out ends a request, whatever came between', () => {
  const errors = [new TimedOut(), answered(500), new TimedOut(), answered(429), new TimedOut()];
  expect(reasons(errors)).toEqual([...nothing(4), 'the model did not end in time, 3 times']);
});

test('the same 5xx five times ends a request if another call was answered meanwhile', () => {
  expect(reasons(times(5, answered(500)), 15_000)).toEqual([
    ...nothing(4),
    'the model endpoint answered 500 to the same request 5 times',
  ]);
});

test('without an answered call a request ends after two minutes: an outage may be shorter', () => {
  expect(reasons(times(13, answered(502)), -1)).toEqual([
    ...nothing(12),
    'the model endpoint answered 502 to the same request 13 times',
  ]);
});

test('a status 200 without a model’s output counts as a status', () => {
  expect(reasons(times(5, new NoModelOutput()), 1).at(-1)).toMatch(/without a model to the same request 5/);
});

test.each([
  ['a 429', [429, 429, 429, 429, 429, 429]],
  ['a refusal of our key', [401, 401, 401, 401, 401, 401]],
  ['a changing status', [500, 502, 500, 502, 500, 502]],
])('%s does not end a request', (_, statuses) => {
  expect(
    reasons(
      statuses.map((status) => answered(status)),
      1,
    ),
  ).toEqual(nothing(6));
});

test('lost material never ends a request: the lane is checked meanwhile, and the deadline ends the run', () => {
  expect(reasons(times(20, new LostMaterial('pictures', 80)), 1)).toEqual(nothing(20));
});

test('a 503 with a requested pause never ends a request', () => {
  expect(reasons(times(20, answered(503, { 'retry-after': '9' })), 1)).toEqual(nothing(20));
});
