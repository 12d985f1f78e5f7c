import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Behaviour, ModelCallRecord } from '@evaluation/test-services';
import type { JudgeRequest } from '../grader.ts';
import { resettleJudgement } from '../resettle.ts';
import { gradersFor, type OpenaiOptions } from '../../test/graders.ts';
import {
  exam,
  judgedReply,
  longQuestion,
  optionQuestion,
  typedAnswer,
  within,
  writtenAnswer,
} from '../../test/requests.ts';

const server = closedAfterTests(await startModelServer());
const newGrader = gradersFor(server);
beforeEach(() => server.reset());

type Certainty = 'certain' | 'likely' | 'unsure';

const text = 'Plants make glucose with light.';
const request: JudgeRequest = { exam, question: longQuestion(), answer: typedAnswer(text) };

const judge = async (asked: JudgeRequest, options: Partial<OpenaiOptions> = {}, deadlineMs = 10_000) =>
  (await newGrader(options)).judgeAnswer(asked, within(deadlineMs));
const doubtful = { when: 'doubtful', maxCharacters: 1000 } as const;
const always = { when: 'always', maxCharacters: 1000 } as const;
const lookingAgain = (asked: JudgeRequest = request) => judge(asked, { secondLook: doubtful });

const look = (awards: number[], certainty: Certainty = 'likely'): Behaviour => ({
  kind: 'content',
  content: judgedReply(awards.map((awarded) => ({ awarded, certainty }))),
});
const looks = (...script: Behaviour[]) => server.behave(() => script.shift());

const messagesOf = (call: ModelCallRecord | undefined): string => JSON.stringify(call?.body['messages']);
const orderIn = (call: ModelCallRecord | undefined): number[] =>
  [...messagesOf(call).matchAll(/\{\\"criterion\\":(\d+),/g)].map(([, number]) => Number(number));

describe('a second look', () => {
  test('lists the criteria in reverse order under the same numbers, and keeps the first look’s marks', async () => {
    looks(look([1, 1]), look([1.5, 1]));
    const { value, usage, evidence } = await lookingAgain();
    expect(server.calls.map(orderIn)).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(value.awarded).toBe(2);
    // 0.75 × (1 − 0.5 of 3 marks) = 0.625; the table shows 0.62.
    expect(value).toMatchObject({ confidence: 0.62, reviewReasons: [] });
    expect(usage.calls).toBe(2);
    expect(evidence).toHaveLength(2);
  });

  test('with equal awards changes nothing', async () => {
    looks(look([1, 1]), look([1, 1]));
    const { value } = await lookingAgain();
    expect(value).toMatchObject({ awarded: 2, confidence: 0.71, reviewReasons: [] });
  });

  test('that differs by a quarter of the marks asks for a teacher, though the sum is equal', async () => {
    looks(look([2, 0]), look([1, 1]));
    const { value } = await lookingAgain();
    expect(value).toMatchObject({
      awarded: 2,
      // 0.75 × (1 − 2 of 3 marks)
      confidence: 0.25,
      reviewReasons: ['low_confidence', 'second_look_disagrees'],
    });
  });

  test.each<[string, Behaviour, JudgeRequest]>([
    ['if the model is certain of every criterion', look([1, 1], 'certain'), request],
    ['if a teacher must look in any case', look([1, 1], 'unsure'), request],
    ['if marks were corrected', look([99, 1]), request],
    [
      'for an answer that is too long',
      look([1, 1]),
      { ...request, answer: typedAnswer(`${text} ${'x'.repeat(1000)}`) },
    ],
    [
      'if the request cannot be ordered in another way',
      look([1]),
      { ...request, question: longQuestion({ criteria: [], modelAnswer: null }) },
    ],
  ])('is not taken %s', async (_, first, asked) => {
    looks(first);
    const { usage } = await lookingAgain(asked);
    expect(usage.calls).toBe(1);
  });

  test('is not taken for an objective question', async () => {
    server.know({ judgements: { 1: { certainty: 'likely' } } });
    const asked = { exam, question: optionQuestion, answer: writtenAnswer('(b)') };
    expect((await judge(asked, { secondLook: always })).usage.calls).toBe(1);
  });

  test('is taken in the middle of the range if a part is less than certain, and for each answer if so set', async () => {
    const mixed = look([1, 0.5], 'certain');
    if (mixed.kind !== 'content') throw new Error('a look is content');
    const content = JSON.parse(
      JSON.stringify(mixed.content).replace('"certain"},"addresses', '"likely"},"addresses'),
    );
    looks({ kind: 'content', content });
    expect((await lookingAgain()).usage.calls).toBe(2);
    expect((await judge(request, { secondLook: always })).usage.calls).toBe(2);
    expect((await judge(request, { secondLook: { ...always, when: 'never' } })).usage.calls).toBe(1);
  });

  test('that fails leaves the first judgement', async () => {
    server.behave(() => (server.calls.length === 1 ? look([1, 1]) : { kind: 'status', status: 400 }));
    const { value, evidence } = await lookingAgain();
    expect(value).toMatchObject({ awarded: 2, confidence: 0.71, reviewReasons: [] });
    expect(evidence).toHaveLength(1);
  });

  test('that hangs is ended after half of the remaining time', async () => {
    looks(look([1, 1]), { kind: 'hang' });
    const started = performance.now();
    const { value } = await judge(request, { secondLook: doubtful }, 3000);
    expect(value.awarded).toBe(2);
    expect(performance.now() - started).toBeLessThan(2900);
  });

  test('that is aborted ends with the reason of the abort', async () => {
    looks(look([1, 1]), { kind: 'hang' });
    const grader = await newGrader({ secondLook: doubtful });
    const abort = new AbortController();
    const judging = grader.judgeAnswer(request, within(60_000, abort.signal));
    await server.waitFor((calls) => calls.length === 2);
    abort.abort(new Error('cancelled'));
    await expect(judging).rejects.toThrow('cancelled');
  });

  test('is replayed with the first, to the same judgement', async () => {
    looks(look([2, 0]), look([1.5, 0]));
    const { value, evidence } = await judge(request, {
      secondLook: doubtful,
      confidenceTable: '0:0.1,1:0.93',
    });
    expect(evidence).toHaveLength(2);
    expect(resettleJudgement(request, evidence)).toEqual(value);
    expect(resettleJudgement(request, evidence.slice(0, 1)).confidence).toBeGreaterThan(value.confidence);
    expect(() => resettleJudgement(request, [])).toThrow('no evidence');
  });
});

describe('shown confidence', () => {
  test('is read off the table in the settings, which the evidence names', async () => {
    const { value, evidence } = await judge(request, { confidenceTable: '0:0.2,1:0.7' });
    // 0.2 + 0.95 × 0.5
    expect(value.confidence).toBe(0.68);
    expect(evidence[0]?.settings).toEqual({
      endpoint: server.baseUrl,
      output: 'json_schema',
      confidence_table: '0:0.2,1:0.7',
    });
    expect(resettleJudgement(request, evidence)).toEqual(value);
  });

  test('another table keeps the judgement key, so that cached judgements stay valid', async () => {
    const keys = await Promise.all(
      [{}, { confidenceTable: '0:0.2,1:0.7' }, { secondLook: doubtful }, { temperature: 0 }].map(
        async (options) => (await newGrader(options)).judgementKey(request),
      ),
    );
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('an invalid table is refused at the start', async () => {
    await expect(newGrader({ confidenceTable: '0:0.9,1:0.1' })).rejects.toThrow('rising');
  });
});

describe('requests of one question begin alike', () => {
  test.each([
    ['long', longQuestion()],
    ['objective', optionQuestion],
  ])('up to the answer, of a %s question, for any candidate and legibility', async (_, question) => {
    await judge({ exam, question, answer: writtenAnswer('(b) glucose', 0.31) });
    const { usage } = await judge({ exam, question, answer: typedAnswer('(a) light') });
    const [first, second] = server.calls.map(messagesOf);
    const [prefix, answer] = second?.split('The answer was typed.') ?? [];
    expect(answer).toMatch(/^\\n<<<ANSWER \w+>>>\\n\(a\) light\\n<<<END/);
    expect(prefix?.length).toBeGreaterThan(1000);
    expect(first?.startsWith(prefix ?? 'x')).toBe(true);
    // `usage` has the number of cached tokens that the endpoint reports.
    expect(usage.cachedInputTokens).toBeGreaterThan((prefix?.length ?? 0) / 4 - 17);
    expect(usage.cachedInputTokens).toBeLessThan(usage.inputTokens);
  });
});

describe('an endpoint without strict schemas', () => {
  test.each([
    ['json_object', { type: 'json_object' }],
    ['text', undefined],
  ] as const)('is asked for %s, with the schema in the system message', async (output, format) => {
    const { value, evidence } = await judge(request, { output });
    expect(value.awarded).toBe(3);
    const [call] = server.calls;
    expect(call?.body['response_format']).toEqual(format);
    expect(call?.schemaName).toBe('judge_answer');
    expect(messagesOf(call)).toContain('"role":"system"');
    expect(JSON.stringify(call?.body['messages'])).toContain('JSON');
    expect(evidence[0]?.settings).toMatchObject({ output });
    expect(resettleJudgement(request, evidence)).toEqual(value);
  });

  test.each(['json_object', 'text', 'json_schema'] as const)(
    'may wrap its reply in a code block, with output %s',
    async (output) => {
      const first = look([1, 1], 'certain');
      if (first.kind !== 'content') throw new Error('a look is content');
      const wrapped = `\`\`\`json\n${JSON.stringify(first.content, null, 2)}\n\`\`\`\n`;
      looks({ kind: 'content', content: wrapped });
      const { value, usage, evidence } = await judge(request, { output });
      expect(value.awarded).toBe(2);
      expect(usage.calls).toBe(1);
      expect(evidence[0]?.reply).toBe(wrapped);
      expect(resettleJudgement(request, evidence)).toEqual(value);
    },
  );

  test('that adds text around its JSON is asked for a repair, under the same rule', async () => {
    looks({ kind: 'content', content: 'Sure! Here is {"criterion_1": {}}' });
    const { usage } = await judge(request, { output: 'text' });
    expect(usage.calls).toBe(2);
    expect(server.calls.map(({ schemaName }) => schemaName)).toEqual(['judge_answer', 'judge_answer']);
  });
});
