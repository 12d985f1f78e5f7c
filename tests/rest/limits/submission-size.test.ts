import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { longAnswer, mcq, numeric, oneWord, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectPostRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();
const exam = await createExam(
  tenant.api,
  typedExam([
    mcq('1'),
    numeric('2', { answer: `1${'0'.repeat(254)}` }),
    oneWord('3', { answer: `in${'s'.repeat(252)}n` }),
    longAnswer('4'),
  ]),
);

const path = (): string => `/exams/${exam.id}/submissions`;
const someone = () => ({ candidate: { external_id: randomUUID() } });
const taken = (body: object): Promise<Submission> =>
  submit(tenant.api, exam.id, { ...someone(), answers: [], ...body });
const refused = async (body: object): Promise<string[]> =>
  problemsIn(
    await expectPostRefused(tenant, 422, 'validation_failed', path(), { ...someone(), answers: [], ...body }),
  );

describe('lengths are counted in characters as a person counts them', () => {
  test.each([
    ['ASCII', 'x'],
    ['characters of two bytes', 'é'],
    ['emoji, which are two units of UTF-16', '😀'],
    ['spaces after an x', ' '],
  ])('a long answer of 20,000 %s is accepted and one more is not', async (_name, char) => {
    const text = `x${char.repeat(19_999)}`;
    expect((await taken({ answers: [{ question_label: '4', text }] })).quote.credits).toBe(1);
    expect(await refused({ answers: [{ question_label: '4', text: text + char }] })).toEqual([
      'answers[0].text: too_long',
    ]);
  });

  test('a word and a number may have 255 characters, and are marked', async () => {
    const answers = [
      { question_label: '2', text: `1${'0'.repeat(254)}` },
      { question_label: '3', text: `IN${'S'.repeat(252)}N` },
    ];
    const { questions } = await resultOf(tenant.api, (await taken({ answers })).id);
    expect(questions.map(({ awarded }) => awarded)).toEqual([0, 1, 1, 0]);
    expect(
      await refused({ answers: answers.map((answer) => ({ ...answer, text: `${answer.text}0` })) }),
    ).toEqual(['answers[0].text: too_long', 'answers[1].text: too_long']);
    const emoji = await taken({ answers: [{ question_label: '3', text: '😀'.repeat(255) }] });
    expect((await resultOf(tenant.api, emoji.id)).questions[2]?.extracted_answer).toBe('😀'.repeat(255));
  });

  test('an absurd number is a wrong answer, and cheap to mark', async () => {
    for (const text of ['1e999999999', '-1e-999999999', `1e${'9'.repeat(253)}`, `${'9'.repeat(254)}x`]) {
      const { id } = await taken({ answers: [{ question_label: '2', text }] });
      expect((await resultOf(tenant.api, id)).questions[1]).toMatchObject({ status: 'graded', awarded: 0 });
    }
  });
});

describe('metadata is a JSON object of up to 2 KB', () => {
  const shell = '{"k":""}'.length;
  test.each([
    ['ASCII', { k: 'x'.repeat(2048 - shell) }, { k: 'x'.repeat(2049 - shell) }],
    [
      'characters of two bytes',
      { k: 'é'.repeat((2048 - shell) / 2) },
      { k: `${'é'.repeat((2048 - shell) / 2)}x` },
    ],
    [
      'what JSON escapes',
      { k: '\n'.repeat((2048 - shell) / 2) },
      { k: `${'\n'.repeat((2048 - shell) / 2)}x` },
    ],
    ['many fields', fields(255), { ...fields(255), x: 1 }],
  ])('2048 bytes of %s are accepted and returned, and more are not', async (_name, most, more) => {
    expect(Buffer.byteLength(JSON.stringify(most))).toBe(2048);
    expect((await taken({ metadata: most })).metadata).toEqual(most);
    expect(await refused({ metadata: more })).toEqual(['metadata: too_long']);
  });

  test('an empty object is valid metadata', async () => {
    expect((await taken({ metadata: {} })).metadata).toEqual({});
  });
});

/** Returns `count` fields of 8 bytes each; the value of the first field fills the object up to 2048 bytes. */
const fields = (count: number): Record<string, number> => {
  const names = Array.from({ length: count }, (_, index) => `f${index.toString(36).padStart(2, '0')}`);
  const made = Object.fromEntries(names.map((name) => [name, 1]));
  return { ...made, f00: 10 ** (2048 - Buffer.byteLength(JSON.stringify(made))) };
};
