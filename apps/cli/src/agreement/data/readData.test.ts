import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readData } from './readData.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agreement-data-'));
});
afterAll(() => rm(folder, { recursive: true }));

const first = { question_id: 'q', question: 'Why?', max_marks: 4, answer: 'SECRET', human_marks: 2 };
const later = { question_id: 'q', answer: 'SECRET', human_marks: 3, human_marks_2: 2.5, group: 'a' };

const file = async (...lines: readonly (object | string)[]): Promise<string> => {
  const path = join(folder, `${crypto.randomUUID()}.jsonl`);
  await writeFile(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return path;
};

const complaint = async (...lines: readonly (object | string)[]): Promise<string> =>
  readData(await file(...lines)).then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('a data set', () => {
  test('describes a question once; later lines may leave that out or repeat it', async () => {
    const data = await readData(await file(first, later, '', { ...first, answer: ' \u200b' }));
    expect(data.answers).toMatchObject([
      { line: 1, questionId: 'q', maxMarks: 4, human: 2, second: null, group: null, blank: false },
      { line: 2, maxMarks: 4, human: 3, second: 2.5, group: 'a' },
      { line: 4, blank: true },
    ]);
    expect(data.questions.all()).toHaveLength(1);
    const texts = [];
    for await (const { text } of data.texts()) texts.push(text);
    expect(texts).toEqual(['SECRET', 'SECRET', ' \u200b']);
  });

  test.each<[what: string, lines: (object | string)[], says: string]>([
    ['no JSON', [first, '{"question_id": "q'], 'line 2: the line is not JSON'],
    ['a missing field', [{ ...first, human_marks: undefined }], 'line 1: human_marks is wrong'],
    ['a mistyped field', [{ ...first, human_mark_2: 1 }], 'line 1: human_mark_2 is not a known field'],
    [
      'marks above the maximum',
      [first, { ...later, human_marks: 4.5 }],
      'line 2: human_marks is 4.5, above max_marks 4',
    ],
    ['a second mark above it', [first, { ...later, human_marks_2: 9 }], 'line 2: human_marks_2 is 9'],
    ['negative marks', [first, { ...later, human_marks: -1 }], 'line 2: human_marks is wrong'],
    ['a question without a description', [later], 'line 1: question is needed on the first line'],
    [
      'two schemes of one question',
      [first, { ...first, max_marks: 5 }],
      'line 2: max_marks differs from line 1',
    ],
    [
      'a rubric that does not add up (docs/api/rubrics.md#rules)',
      [{ ...first, rubric: { criteria: [{ name: 'A', marks: 3 }] } }, later],
      'line 1: rubric.criteria The marks of the criteria add up to 3, not to 4.',
    ],
    [
      'a rubric field that does not exist',
      [{ ...first, rubric: { criteria: [{ name: 'A', marks: 4, hint: 'x' }] } }],
      'line 1: rubric.criteria.0.hint is not a known field',
    ],
    ['nothing', [''], 'has no lines'],
  ])('with %s is refused with line and field, without quoting an answer', async (_what, lines, says) => {
    const message = await complaint(...lines);
    expect(message).toContain(says);
    expect(message).not.toContain('SECRET');
    expect(message.split('\n').length).toBeLessThanOrEqual(3);
  });

  test('that changes during grading is an error', async () => {
    const path = await file(first, later);
    const data = await readData(path);
    await writeFile(path, `${JSON.stringify(first)}\n${JSON.stringify({ ...later, human_marks: 1 })}`);
    const read = async () => {
      for await (const { text } of data.texts()) expect(text).toBe('SECRET');
    };
    await expect(read()).rejects.toThrow('changed while it was being read');
  });

  test('in samples/ has at least 120 answers of four subjects and two groups, all marked twice', async () => {
    const data = await readData(fileURLToPath(new URL('../../../samples/answers.jsonl', import.meta.url)));
    expect(data.answers.length).toBeGreaterThanOrEqual(120);
    expect(data.answers.every(({ second }) => second !== null)).toBe(true);
    expect(new Set(data.answers.map(({ group }) => group)).size).toBe(2);
    expect(new Set(data.questions.all().map(({ request }) => request.exam.subject)).size).toBe(4);
  });
});
