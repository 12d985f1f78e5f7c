import { APIError } from 'openai';
import { expect, test } from 'vitest';
import { idsIn, lineIdOf, linesIn, metadataOf, MOST_LINES, readResult } from './batchLines.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
const read = async (most: { lines: number; characters: number }, ...texts: string[]): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of linesIn(chunks(...texts), most)) lines.push(line);
  return lines;
};

test('the ids of the largest batch fit into OpenAI’s metadata and are read back in order', () => {
  const ids = Array.from({ length: MOST_LINES }, (_, index) => lineIdOf(['run', index]));
  const metadata = metadataOf('here', ids);
  expect(Object.keys(metadata).length).toBeLessThanOrEqual(16);
  expect(Math.max(...Object.values(metadata).map(({ length }) => length))).toBeLessThanOrEqual(512);
  expect(idsIn(metadata, 'here')).toEqual(ids);
  expect(new Set(ids).size).toBe(MOST_LINES);
});

test.each([[metadataOf('there', ['x'.repeat(16)])], [{ service: 'other' }], [null], [{ lines_0: 7 }]])(
  'metadata of other services has no lines: %j',
  (metadata) => {
    expect(idsIn(metadata, 'here')).toEqual([]);
  },
);

test('lines are read as they arrive, wherever the file is cut', async () => {
  const most = { lines: 10, characters: 100 };
  expect(await read(most, '{"a":', ' 1}\n{"b"', ': 2}\n', '{"c": 3}')).toEqual([
    '{"a": 1}',
    '{"b": 2}',
    '{"c": 3}',
  ]);
});

test('a file with too many or too long lines is not read further', async () => {
  await expect(read({ lines: 2, characters: 100 }, 'a\nb\nc\n')).rejects.toThrow('cut off');
  await expect(read({ lines: 2, characters: 3 }, 'aa', 'aa', 'aa')).rejects.toThrow('cut off');
});

test('a result is a reply, an error with its status, or null', () => {
  const line = (response: object | null) => JSON.stringify({ custom_id: 'x', response, error: null });
  expect(readResult(line({ status_code: 200, body: { choices: [] } }))).toEqual({
    id: 'x',
    outcome: { reply: { choices: [] } },
  });
  const failed = readResult(line({ status_code: 429, body: { error: { code: 'c' } } }))?.outcome;
  expect(failed).toMatchObject({ error: expect.any(APIError) });
  expect(failed).toMatchObject({ error: { status: 429, code: 'c' } });
  expect(readResult(line(null))).toEqual({ id: 'x', outcome: null });
  expect(readResult(line({ status_code: 0, body: null }))).toEqual({ id: 'x', outcome: null });
  for (const none of ['', '{', '[]', '{"custom_id": 1}']) expect(readResult(none)).toBeNull();
});
