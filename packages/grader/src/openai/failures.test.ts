import { expect, test } from 'vitest';
import { retryAfterMs } from './failures.ts';

test.each<[string, Record<string, string>, number | undefined]>([
  ['nothing', {}, undefined],
  ['seconds', { 'retry-after': '2' }, 2000],
  [
    'a limit used up',
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
    360_000,
  ],
  ['in parts', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m1.5s250ms' }, 61_750],
  [
    'a limit not used up',
    { 'x-ratelimit-remaining-tokens': '9', 'x-ratelimit-reset-tokens': '1s' },
    undefined,
  ],
  ['in words', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'soon' }, undefined],
  [
    'the later of two',
    {
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '120ms',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1s',
    },
    1000,
  ],
  [
    'what it says itself goes first',
    { 'retry-after': '1', 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '9s' },
    1000,
  ],
])('3.10 how long an endpoint wants to be left alone: %s', (_, headers, expected) => {
  expect(retryAfterMs(new Headers(headers))).toBe(expected);
});
