import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOf } from './jsonStructure.ts';

const excess = (json: string) => excessOf(Buffer.from(json));

test.each([
  ['8.1 metadata of 2 KB that is nothing but depth', `${'['.repeat(1000)}${']'.repeat(1000)}`],
  ['signs of structure in a text, and quotes in it', JSON.stringify({ text: '[{,"\\'.repeat(2_000_000) })],
  [
    '8.1 2000 candidates with as many values as metadata of 2 KB can have',
    `[${`{"external_id":"a","metadata":[${'[],'.repeat(680)}0]},`.repeat(2000)}0]`,
  ],
])('%s may be parsed', (_, json) => {
  expect(excess(json)).toBeNull();
});

test.each([
  ['arrays without end', '['.repeat(1200), 'too_deep'],
  ['objects without end', '{"a":'.repeat(1200), 'too_deep'],
  ['more values than any request', `[${'[],'.repeat(1_600_000)}`, 'too_many_values'],
  ['more numbers than any request', `[${'0,'.repeat(3_100_000)}`, 'too_many_values'],
])('%s are not', (_, json, expected) => {
  expect(excess(json)).toBe(expected);
});

test('what is small is never refused, whatever its strings hold', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => excess(JSON.stringify(value)) === null));
});

test('a text that breaks off is left to the parser', () => {
  for (const json of ['"', '"\\', '{"a":"b', ']]]]', '']) expect(excess(json)).toBeNull();
});
