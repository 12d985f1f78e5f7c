import { expect, test } from 'vitest';
import { readFacadeSettings } from './facade.ts';

const read = (more: Record<string, string>) =>
  readFacadeSettings({
    CORE_URL: 'http://127.0.0.1:1',
    CORE_PUBLIC_TOKEN: 'x'.repeat(16),
    ACTOR_SIGNING_KEY: 'x'.repeat(16),
    NATS_URL: 'nats://127.0.0.1:1',
    ...more,
  }).rateLimits;

test('the three limits of the documentation are the only defaults', () => {
  expect(read({})).toEqual({
    standard: [
      { of: 'key', kind: 'reads', seconds: 60, limit: 600 },
      { of: 'institute', kind: 'reads', seconds: 1, limit: 40 },
      { of: 'key', kind: 'writes', seconds: 60, limit: 120 },
    ],
    high: [],
  });
});

test('every limit of each tier can be set or left out', () => {
  const cells = ['key', 'institute'].flatMap((tier) =>
    ['reads', 'writes', 'upload_files'].flatMap((kind) =>
      ['second', 'minute'].map((window) => `${tier}:${kind}:${window}=500`),
    ),
  );
  const { standard, high } = read({
    RATE_LIMITS_STANDARD: 'none',
    RATE_LIMITS_HIGH: cells.join(', '),
  });
  expect(standard).toEqual([]);
  expect(high).toHaveLength(12);
  expect(new Set(high.map(({ of, kind, seconds }) => `${of} ${kind} ${seconds}`)).size).toBe(12);
});

test.each([
  'key:reads:minute',
  'key:reads:hour=5',
  'key:reads:minute=0',
  'key:upload_files:minute=99',
  'key:reads:minute=5,key:reads:minute=6',
  'none,key:reads:minute=5',
])('invalid limits (%s) are refused, naming the variable', (value) => {
  expect(() => read({ RATE_LIMITS_HIGH: value })).toThrow(/RATE_LIMITS_HIGH/);
});
