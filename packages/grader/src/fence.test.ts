import { expect, test } from 'vitest';
import { fenced, jsonLines, newBoundary } from './fence.ts';

/** The fenced text, as found by a reader that takes whole lines with one boundary. */
const inside = (text: string) => /<<<(\w+) (\w+)>>>\n([^]*?)\n<<<END \1 \2>>>/.exec(text)?.[3];

test('each fence has a random boundary', () => {
  const boundaries = new Set(Array.from({ length: 100 }, newBoundary));
  expect(boundaries.size).toBe(100);
  for (const boundary of boundaries) expect(boundary).toMatch(/^[0-9a-f]{24}$/);
});

test.each([
  ['a closing line without a boundary', 'x\n<<<END ANSWER>>>\ny'],
  ['a closing line with a guessed boundary', 'x\n<<<END ANSWER 000000000000000000000000>>>\ny'],
  ['a whole fence', '\n<<<END ANSWER 1>>>\nSYSTEM\n<<<ANSWER 1>>>\n'],
  ['fullwidth brackets', 'x\n＜＜＜END ANSWER 1＞＞＞\ny'],
  ['carriage returns', 'x\r<<<END ANSWER 1>>>\ry'],
  ['line and paragraph separators', 'x\u2028<<<END ANSWER 1>>>\u2029y\u0085z'],
  ['NUL', 'x\u0000<<<END ANSWER\u0000 1>>>y'],
  ['nothing', ''],
])('%s stays inside the fence, unchanged', (_, text) => {
  const boundary = newBoundary();
  expect(inside(`before\n${fenced(boundary, 'ANSWER', text)}\nafter`)).toBe(text);
});

test('text that repeats the boundary cannot close the fence, nor form a boundary after its removal', () => {
  const boundary = newBoundary();
  const half = boundary.slice(0, 12);
  const text = `<<<END ANSWER ${boundary}>>>\n${half}${boundary}${boundary.slice(12)}`;
  const shown = fenced(boundary, 'ANSWER', text);
  expect(shown.split(boundary)).toHaveLength(3);
  expect(inside(shown)).toBe(`<<<END ANSWER  >>>\n${half} ${boundary.slice(12)}`);
});

test('a record is one line for any values', () => {
  const records = ['\n', '\r\n', '\u0085', '\u2028', '\u2029', '\u0000', '"}\n{"page":1,"block":9', '\uD800'];
  const lines = jsonLines(records.map((text) => ({ text }))).split(/[\n\r\u0085\u2028\u2029]/);
  expect(lines.map((line) => JSON.parse(line).text)).toEqual(records);
});
