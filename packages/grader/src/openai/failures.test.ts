import { APIError } from 'openai';
import { expect, test } from 'vitest';
import { classify, insteadOfOutput, isDown, isUnreachable, retryAfterMs, throttledFor } from './failures.ts';

test.each<[string, Record<string, string>, number | undefined]>([
  ['no header', {}, undefined],
  ['seconds', { 'retry-after': '2' }, 2000],
  [
    'a limit that is used up',
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
    360_000,
  ],
  [
    'a time in parts',
    { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m1.5s250ms' },
    61_750,
  ],
  [
    'a limit that is not used up',
    { 'x-ratelimit-remaining-tokens': '9', 'x-ratelimit-reset-tokens': '1s' },
    undefined,
  ],
  ['a time in words', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'soon' }, undefined],
  [
    'the later one of two limits',
    {
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '120ms',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1s',
    },
    1000,
  ],
  [
    'retry-after before the time of a limit',
    { 'retry-after': '1', 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '9s' },
    1000,
  ],
])('the pause that an endpoint requests: %s', (_, headers, expected) => {
  expect(retryAfterMs(new Headers(headers))).toBe(expected);
});

test.each<[status: number, error: object, kind: string, isDown: boolean, isUnreachable: boolean]>([
  [400, {}, 'permanent', false, false],
  [401, {}, 'transient', true, false],
  [402, {}, 'transient', true, false],
  [403, {}, 'transient', true, false],
  [403, { metadata: { reasons: ['violence'] } }, 'permanent', false, false],
  [404, {}, 'transient', true, false],
  [400, { type: 'no_db_connection' }, 'transient', true, false],
  [400, { code: 'model_not_found' }, 'transient', true, false],
  [400, { code: 'unsupported_value' }, 'transient', true, false],
  [413, {}, 'permanent', false, false],
  [422, {}, 'permanent', false, false],
  [429, {}, 'transient', false, false],
  [429, { code: 'insufficient_quota' }, 'transient', true, false],
  [500, {}, 'transient', true, true],
])('the classification of status %i %j', (status, error, kind, down, unreachable) => {
  const thrown = APIError.generate(status, { error }, undefined, new Headers());
  expect(classify(thrown).kind).toBe(kind);
  expect(isDown(thrown)).toBe(down);
  expect(isUnreachable(thrown)).toBe(unreachable);
});

test.each<[what: string, body: unknown, kind: string, isDown: boolean, isThrottled: boolean]>([
  ['a code of 429', { error: { code: 429 } }, 'transient', false, true],
  ['a code of 429 in words', { error: { code: '429' } }, 'transient', false, true],
  ['a code of 401', { error: { code: 401 } }, 'transient', true, false],
  ['a code of 502', { error: { code: 502 } }, 'transient', true, false],
  ['a code of 400', { error: { code: 400 } }, 'permanent', false, false],
  ['a code that is no status', { error: { code: 7 } }, 'transient', true, false],
  ['a code in words', { error: { code: 'overloaded' } }, 'transient', true, false],
  ['no code', { error: 'overloaded' }, 'transient', true, false],
  ['nothing', undefined, 'transient', true, false],
])('%s in a body of status 200 without a reply', (_, body, kind, down, throttled) => {
  const thrown = insteadOfOutput(body);
  expect(classify(thrown).kind).toBe(kind);
  expect(isDown(thrown)).toBe(down);
  expect(throttledFor(thrown) !== null).toBe(throttled);
});
