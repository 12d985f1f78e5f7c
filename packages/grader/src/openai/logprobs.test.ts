import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Behaviour } from '@evaluation/test-services';
import type { Grader, JudgeRequest } from '../grader.ts';
import { resettleJudgement } from '../resettle.ts';
import { gradersFor } from '../../test/graders.ts';
import {
  exam,
  longQuestion,
  optionQuestion,
  typedAnswer,
  within,
  writtenAnswer,
} from '../../test/requests.ts';

let grader: Grader;
const warnings: string[] = [];
const server = closedAfterTests(await startModelServer());
const newGrader = gradersFor(server);
beforeEach(() => {
  server.reset();
  warnings.length = 0;
});

const open = async (more: object = {}) => {
  grader = await newGrader({
    logprobs: 'auto',
    log: { error: (_, message) => warnings.push(message), warn: (_, message) => warnings.push(message) },
    ...more,
  });
};
const request: JudgeRequest = {
  exam,
  question: longQuestion(),
  answer: typedAnswer('Plants make glucose with light.'),
};
const judge = (asked = request) => grader.judgeAnswer(asked, within(10_000));
const asksForThem = () => server.calls.map(({ body }) => body['logprobs'] === true);

/** Adds log-probabilities to the reply, with this probability for each digit and two alternatives. */
const givesThem = (probability: number): Behaviour => ({
  kind: 'reshaped',
  reshape: (completion) => {
    const { choices } = JSON.parse(JSON.stringify(completion));
    const content = encode(choices[0].message.content)
      .map((id) => decode([id]))
      .map((token) => {
        const isDigit = /^\d$/.test(token);
        const own = { token, logprob: isDigit ? Math.log(probability) : 0, bytes: [...Buffer.from(token)] };
        const other = { token: token === '0' ? '1' : '0', logprob: Math.log(1 - probability), bytes: null };
        return { ...own, top_logprobs: isDigit ? [own, other] : [own] };
      });
    choices[0].logprobs = { content };
    return { ...completion, choices };
  },
});

describe('log-probabilities of marks', () => {
  test('are not requested by default', async () => {
    await open({ logprobs: 'off' });
    await judge();
    expect(server.calls[0]?.body).not.toHaveProperty('logprobs');
    expect(server.calls[0]?.body).not.toHaveProperty('top_logprobs');
  });

  test.each([
    // 0.95 is the maximum.
    [0.999, 0.85],
    // 0.95 × (0.4 + 0.6 × 0.7 / 0.9) = 0.823; the table shows 0.76.
    [0.7, 0.76],
    // Less probable than all alternatives together.
    [0.4, 0.55],
  ])('with a probability of %f give a confidence of %f, in a replay too', async (probability, confidence) => {
    await open();
    server.behave([{ behaviour: givesThem(probability) }]);
    const { value, evidence } = await judge();
    expect(value.confidence).toBe(confidence);
    expect(evidence[0]?.settings['mark_probabilities']).toBe(`${probability},${probability}`);
    expect(resettleJudgement(request, evidence)).toEqual(value);
    expect(server.calls[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 5 });
  });

  test('cause a second look although the model reported certainty', async () => {
    const secondLook = { when: 'doubtful', maxCharacters: 1000 } as const;
    await open({ secondLook });
    server.know({ judgements: { 3: { awards: [1, 0.5] } } });
    server.behave([{ behaviour: givesThem(0.8) }]);
    expect((await judge()).evidence).toHaveLength(2);
    // The second look does not use them.
    expect(asksForThem()).toEqual([true, false]);
  });

  test('are not requested for an objective answer', async () => {
    await open();
    await judge({ exam, question: optionQuestion, answer: writtenAnswer('(b)') });
    expect(asksForThem()).toEqual([false]);
  });

  test('that are missing or inconsistent change nothing', async () => {
    await open();
    const { value, evidence } = await judge();
    expect(value.confidence).toBe(0.85);
    expect(evidence[0]?.settings).not.toHaveProperty('mark_probabilities');
    for (const logprobs of [
      null,
      'none',
      {},
      { content: null },
      { content: [{ token: 'x', logprob: 'y' }] },
    ]) {
      server.behave([
        {
          behaviour: {
            kind: 'reshaped',
            reshape: (completion) => {
              const { choices } = JSON.parse(JSON.stringify(completion));
              return { ...completion, choices: [{ ...choices[0], logprobs }] };
            },
          },
        },
      ]);
      expect((await judge()).value).toEqual(value);
    }
  });

  test.each([400, 403, 422, 500])(
    'that are refused with %d are not requested again, and fail neither lane nor question',
    async (status) => {
      await open({ maxConcurrentCalls: 16 });
      server.behave(({ body }) => (body['logprobs'] === true ? { kind: 'status', status } : undefined));
      const judged = await Promise.all(Array.from({ length: 12 }, () => judge()));
      expect(judged.map(({ value }) => value.awarded)).toEqual(Array.from({ length: 12 }, () => 3));
      const { usage } = await judge();
      expect(usage.calls).toBe(1);
      expect(grader.trouble).toBeNull();
      expect(warnings).toEqual([
        'the model endpoint refuses log-probabilities: confidence does without them',
      ]);
    },
  );

  test('a refusal of them is found by the preflight, before an answer is judged', async () => {
    await open();
    server.behave(({ body }) => (body['logprobs'] === true ? { kind: 'status', status: 400 } : undefined));
    const report = await grader.preflight(
      { vision: false, contextCharacters: 1000 },
      new AbortController().signal,
    );
    expect(report.steps.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
    server.behave([]);
    await judge();
    expect(asksForThem().filter(Boolean)).toHaveLength(1);
  });

  test('a reply that is cut off at its limit is requested again with them', async () => {
    await open();
    server.behave([{ times: 1, behaviour: { kind: 'out_of_length' } }]);
    await judge();
    expect(asksForThem()).toEqual([true, true]);
  });

  test('are left out if they make the body too long', async () => {
    await open();
    server.behave(({ body }) => (body['logprobs'] === true ? { kind: 'endless' } : undefined));
    expect((await judge()).value.awarded).toBe(3);
    expect(asksForThem()).toEqual([true, false]);
  });

  test('a wrong key is reported as such', async () => {
    await open({ whenRefused: 'fail' });
    server.behave([{ behaviour: { kind: 'status', status: 403 } }]);
    await expect(judge()).rejects.toMatchObject({ kind: 'permanent' });
    expect(asksForThem()).toEqual([true, false]);
    expect(warnings).toHaveLength(1);
  });

  test('are requested only if the reply is short enough to be read with them', async () => {
    await open();
    const criteria = Array.from({ length: 16 }, (_, index) => ({
      name: `Part ${index}`,
      marks: 1,
      keywords: [],
      guidance: null,
    }));
    await judge({ ...request, question: longQuestion({ criteria, maxMarks: 16 }) });
    expect(asksForThem()).toEqual([false]);
  });
});
