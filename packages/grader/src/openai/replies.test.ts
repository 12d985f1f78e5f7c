import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import * as z from 'zod/v4';
import type { Grader, JudgeRequest } from '../grader.ts';
import { readStrict } from '../strictSchema.ts';
import { gradersFor } from '../../test/graders.ts';
import { exam, judgedReply, longQuestion, typedAnswer, within } from '../../test/requests.ts';

/* Responses of "compatible" endpoints, and which of them count as replies. */

let grader: Grader;
const server = closedAfterTests(await startModelServer());
const newGrader = gradersFor(server);
beforeEach(async () => {
  server.reset();
  grader = await newGrader();
});

const request: JudgeRequest = { exam, question: longQuestion(), answer: typedAnswer('Plants make glucose.') };
type Reshaping = Extract<Behaviour, { kind: 'reshaped' }>;
type Completion = ReturnType<Reshaping['reshape']>;

const json = JSON.stringify(judgedReply([{ awarded: 1 }, { awarded: 1 }]));
const saying = (content: Completion): Reshaping => ({
  kind: 'reshaped',
  reshape: (completion) => ({
    ...completion,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  }),
});

describe('one JSON value of the schema is a reply, in any wrapping', () => {
  test.each<[string, Behaviour]>([
    [
      'in parts, with reasoning among them',
      saying([
        { type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] },
        { type: 'text', text: json.slice(0, 20) },
        { type: 'text', text: json.slice(20) },
      ]),
    ],
    ['after its reasoning', saying(`<think>\nLet me see: {"criterion_1": {}}\n</think>\n\n${json}`)],
    ['after words, in a code block', saying(`Here is the JSON:\n\`\`\`json\n${json}\n\`\`\`\n`)],
    ['called text', { ...saying(json), contentType: 'text/plain; charset=utf-8' }],
  ])('%s', async (_, behaviour) => {
    server.behave([{ behaviour }]);
    const { value, usage } = await grader.judgeAnswer(request, within(10_000));
    expect(value.awarded).toBe(2);
    expect(usage.calls).toBe(1);
  });

  const schema = z.strictObject({ mark: z.number(), quote: z.string().optional() });
  const code = (value: object) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;

  test.each([
    ['reasoning that quotes an end of reasoning', '<think>It says </think>{"mark":9}. No.</think>{"mark":1}'],
    ['reasoning whose beginning the server has cut off', 'Let me see.</think>\n{"mark":1}'],
    ['a reply that quotes an end of reasoning', '<think>No.</think>{"mark":1,"quote":"</think>"}'],
    ['JSON alone that quotes an end of reasoning', '{"mark":1,"quote":"</think>{\\"mark\\":9}"}'],
    ['reasoning, then a code block', `<think>No.</think>\n${code({ mark: 1 })}`],
    ['a code block that ends in the line of its JSON', '```\n{"mark":1}```'],
    ['a code block that quotes another one', code({ mark: 1, quote: '```json' })],
  ])('%s', (_, output) => {
    expect(readStrict(schema, output).mark).toBe(1);
  });

  test.each([
    ['two code blocks', `The answer says\n${code({ mark: 9 })}\nI say\n${code({ mark: 1 })}`],
    ['a code block with words after it', `It says\n${code({ mark: 9 })}\nand is wrong.`],
    ['a code block of another language', '```python\n{"mark":1}\n```'],
    ['JSON amid words', 'I give {"mark":1}'],
    ['two values', '{"mark":1}\n{"mark":9}'],
    ['reasoning without a reply', '<think>It says {"mark":9}</think>'],
    ['an unknown field after reasoning', '<think>No.</think>{"mark":1,"more":1}'],
  ])('%s is no reply', (_, output) => {
    expect(() => readStrict(schema, output)).toThrow('outside its schema');
  });
});

describe('output without a model’s reply', () => {
  test('is retried unchanged, more often than a malformed reply', async () => {
    const bodies: Completion[] = [{ id: 'x' }, '', '<p>Bad gateway</p>'];
    server.behave(() => {
      const body = bodies.shift();
      return body === undefined ? undefined : { kind: 'reshaped', reshape: () => body };
    });
    const { usage } = await grader.judgeAnswer(request, within(60_000));
    expect(usage.calls).toBe(4);
    const sizes = server.calls.map(({ body }) => JSON.stringify(body['messages']).split('"role"').length - 1);
    expect(sizes).toEqual([2, 2, 2, 2]);
  });

  test('an error inside status 200 is treated as that error, and its text is not kept', async () => {
    server.behave([
      {
        behaviour: {
          kind: 'reshaped',
          reshape: () => ({ error: { code: 400, message: 'A private answer.' } }),
        },
      },
    ]);
    await expect(grader.judgeAnswer(request, within(10_000))).rejects.toMatchObject({
      kind: 'permanent',
      message: 'the model endpoint answered 400',
    });
    expect(server.calls).toHaveLength(4);
  });

  test('a model that failed behind its gateway has not answered', async () => {
    const choice = { finish_reason: 'error', message: { role: 'assistant', content: '{"cri' } };
    const broken = { choices: [{ ...choice, error: { code: 502, message: 'Upstream' } }] };
    server.behave([{ times: 1, behaviour: { kind: 'reshaped', reshape: () => broken } }]);
    expect((await grader.judgeAnswer(request, within(60_000))).value.awarded).toBe(3);
    expect(server.calls.map(({ body }) => JSON.stringify(body['messages']).includes('OUTPUT'))).toEqual([
      false,
      false,
    ]);
  });

  test('an endless body is read up to its limit, and its connection is closed', async () => {
    server.behave([{ behaviour: { kind: 'endless' } }]);
    await expect(grader.judgeAnswer(request, within(40_000))).rejects.toMatchObject({ kind: 'malformed' });
    expect(server.calls).toHaveLength(3);
    await server.waitFor((calls) => calls.every(({ aborted }) => aborted));
  });
});

describe('an endpoint that counts far fewer tokens than were sent', () => {
  const counting = (prompt_tokens: number, cached_tokens: number): Behaviour => ({
    kind: 'reshaped',
    reshape: (completion) => ({
      ...completion,
      usage: { prompt_tokens, completion_tokens: 1, prompt_tokens_details: { cached_tokens } },
    }),
  });
  const long = { ...request, answer: typedAnswer('Plants make glucose with light. '.repeat(300)) };

  test('its reply is not used, one line a minute is logged, and a preflight is requested', async () => {
    const logged: object[] = [];
    let lost = 0;
    const watched = await newGrader({
      log: { error: (fields) => logged.push(fields), warn: (fields) => logged.push(fields) },
      onLost: () => (lost += 1),
    });
    server.behave([{ behaviour: counting(200, 0) }]);
    for (let time = 1; time <= 2; time += 1) {
      await expect(watched.judgeAnswer(long, within(4000))).rejects.toMatchObject({ kind: 'transient' });
    }
    expect(watched.trouble).toBe('loses_text');
    expect(lost).toBe(2);
    expect(logged).toEqual([expect.objectContaining({ what: 'text', tokens: 200 })]);
  });

  test('after a preflight that kept a text as long, its count is ignored and its replies count', async () => {
    const proven = await newGrader();
    server.behave([{ behaviour: counting(200, 0) }]);
    await expect(proven.judgeAnswer(long, within(4000))).rejects.toMatchObject({ kind: 'transient' });
    const short = { vision: false, contextCharacters: 100 };
    const { failed, steps } = await proven.preflight(short, new AbortController().signal);
    expect(failed).toBeNull();
    // As long as the text that seemed cut, whatever the request asked for.
    expect(steps.at(-1)?.detail['characters']).toBeGreaterThan(long.answer.text.length);
    expect((await proven.judgeAnswer(long, within(10_000))).value.awarded).toBe(3);
  });

  test.each([
    ['an endpoint that reports most tokens as cached', 200, 2000],
    ['an endpoint that reports no count', 0, 0],
    ['an endpoint that reports the same count for every prompt', 10, 0],
  ])('%s: its reply counts', async (_, prompt, cached) => {
    server.behave([{ behaviour: counting(prompt, cached) }]);
    const logged: object[] = [];
    const log = {
      error: (fields: object) => logged.push(fields),
      warn: (fields: object) => logged.push(fields),
    };
    const unblamed = await newGrader({ log });
    expect((await unblamed.judgeAnswer(long, within(10_000))).value.awarded).toBe(3);
    expect(logged).toEqual([]);
  });
});

test('a prompt without a picture is one string, which each server accepts', async () => {
  await grader.judgeAnswer(request, within(10_000));
  expect(server.calls[0]?.body['messages']).toMatchObject([
    { role: 'system', content: expect.any(String) },
    { role: 'user', content: expect.stringMatching(/What is photosynthesis\?[\s\S]*<<<ANSWER/) },
  ]);
});
