import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { readCursor, writeCursor, type CursorScope } from './cursor.ts';
import { openPage } from './page.ts';

const KEY = 'k'.repeat(32);
const scope: CursorScope = {
  instituteId: 'a',
  list: 'submissions',
  filters: { updated_since: '2026-01-01T00:00:00Z' },
};
const position = { updated_at: '2026-11-20T10:00:00.123Z', id: '2f0c1b52-7f52-4c53-9d38-2d9f7c6a1b11' };
const codeOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof DomainFailure) return error.failure.code;
    throw error;
  }
  return 'accepted';
};

test('readCursor returns the position that writeCursor was given', () => {
  expect(readCursor(writeCursor(position, scope, KEY), scope, [KEY])).toEqual(position);
});

test('a cursor carries the start of its pass', () => {
  const started = { ...position, pass_started_at: '2026-11-20T09:59:00.000Z' };
  expect(readCursor(writeCursor(started, scope, KEY), scope, [KEY])).toEqual(started);
  const options = { instituteId: 'a', list: 'submissions', defaultLimit: 50, signingKeys: [KEY] };
  const { updated_since } = scope.filters;
  const request = { updated_since: String(updated_since) };
  const page = (cursor: string) => openPage({ ...request, cursor }, { ...options, isFeed: true });
  expect(page(writeCursor(started, scope, KEY)).pass).toEqual({ startedAt: started.pass_started_at });
});

test('a cursor signed by the replaced key is accepted', () => {
  const next = 'n'.repeat(32);
  expect(readCursor(writeCursor(position, scope, KEY), scope, [next, KEY])).toEqual(position);
  expect(codeOf(() => readCursor(writeCursor(position, scope, KEY), scope, [next]))).toBe('invalid_cursor');
});

test.each<[string, Partial<CursorScope>]>([
  ['another institute', { instituteId: 'b' }],
  ['another list', { list: 'exams' }],
  ['another filter', { filters: { updated_since: '2026-01-02T00:00:00Z' } }],
  ['fewer filters', { filters: {} }],
  ['more filters', { filters: { ...scope.filters, finalized: true } }],
])('a cursor is refused for %s', (_name, other) => {
  expect(codeOf(() => readCursor(writeCursor(position, scope, KEY), { ...scope, ...other }, [KEY]))).toBe(
    'invalid_cursor',
  );
});

test('the order of filters does not matter', () => {
  const one = { ...scope, filters: { a: 1, b: 2 } };
  expect(
    readCursor(writeCursor(position, one, KEY), { ...scope, filters: { b: 2, a: 1, c: undefined } }, [KEY]),
  ).toEqual(position);
});

test('readCursor answers invalid_cursor for any other text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `${Buffer.from(text).toString('base64url')}.x`),
      ),
      (text) => {
        expect(codeOf(() => readCursor(text, scope, [KEY]))).toBe('invalid_cursor');
      },
    ),
  );
});
