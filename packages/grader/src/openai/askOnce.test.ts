import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Behaviour } from '@evaluation/test-services';
import type { Grader } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import { gradersFor } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';

type JsonObject = NonNullable<Extract<Behaviour, { kind: 'status' }>['error']>;

let grader: Grader;
const server = closedAfterTests(await startModelServer());
const newGrader = gradersFor(server);
// One server for each test, because a requested pause holds back all calls of a grader.
beforeEach(async () => {
  server.reset();
  grader = await newGrader();
});

const request = { exam, question: longQuestion(), answer: typedAnswer('A private answer: glucose.') };
const once = (behaviour: Behaviour) => server.behave([{ times: 1, behaviour }]);
const always = (behaviour: Behaviour) => server.behave([{ behaviour }]);

describe('permanent failures are not retried', () => {
  test.each<[number, string, JsonObject]>([
    [400, ' for its length', { type: 'exceed_context_size_error' }],
    [400, ' for its content', { code: 'content_filter' }],
    [413, '', {}],
    [403, ' of a filter', { metadata: { reasons: ['violence'], flagged_input: 'private' } }],
  ])('%i%s fails at once', async (status, _, error) => {
    always({ kind: 'status', status, error });
    await expect(grader.judgeAnswer(request, within(10_000))).rejects.toMatchObject({
      name: 'GraderFailure',
      kind: 'permanent',
      message: expect.stringContaining(`the model endpoint answered ${status}`),
    });
    expect(server.calls).toHaveLength(1);
  });

  test('output malformed three times fails: first request, repair, new request', async () => {
    always({ kind: 'violating' });
    await expect(grader.judgeAnswer(request, within(20_000))).rejects.toMatchObject({ kind: 'malformed' });
    const sizes = server.calls.map(({ body }) =>
      Array.isArray(body['messages']) ? body['messages'].length : 0,
    );
    expect(sizes).toEqual([2, 4, 2]);
  });

  test('each of the three is a different request, also at temperature 0, and with a different seed if one is set', async () => {
    const cold = await newGrader({ temperature: 0, seed: 40 });
    for (const behaviour of [{ kind: 'violating' }, { kind: 'out_of_length' }] as const) {
      server.reset();
      always(behaviour);
      await expect(cold.judgeAnswer(request, within(20_000))).rejects.toMatchObject({ kind: 'malformed' });
      expect(new Set(server.calls.map(({ body }) => JSON.stringify(body['messages']))).size).toBe(3);
      expect(server.calls.map(({ body }) => body['seed'])).toEqual([40, 41, 42]);
    }
    server.reset();
    once({ kind: 'violating' });
    const { evidence } = await cold.judgeAnswer(request, within(20_000));
    expect(evidence[0]?.settings).toMatchObject({ seed: 41, temperature: 0 });
  });

  test('a reply that was cut off is requested anew without a repair', async () => {
    once({ kind: 'out_of_length' });
    await grader.judgeAnswer(request, within(20_000));
    expect(JSON.stringify(server.calls[1]?.body)).not.toContain('FAULT');
  });

  test('later requests add no text with the word "answer", which a weak model repeats to the student', async () => {
    const first: string[] = [];
    for (const behaviour of [
      { kind: 'violating' },
      { kind: 'content', content: '' },
      { kind: 'content', content: 'Sure.' },
      { kind: 'out_of_length' },
    ] as const) {
      server.reset();
      always(behaviour);
      await grader.judgeAnswer(request, within(20_000)).catch(() => {});
      const [asked, ...again] = server.calls.map(({ body }) => JSON.stringify(body['messages']));
      first.push(asked ?? '');
      for (const each of again) {
        const added = each.slice(each.indexOf('<<<END ANSWER'));
        expect(added.replace(/<<<END ANSWER/, '')).not.toMatch(/\banswer|cut off|brief/i);
      }
    }
    expect(first).toHaveLength(4);
  });

  test('transient failures in between do not use up the tries of malformed output', async () => {
    const script: Behaviour[] = [
      { kind: 'violating' },
      { kind: 'status', status: 500 },
      { kind: 'violating' },
      { kind: 'answer' },
    ];
    server.behave(() => script.shift());
    const { usage } = await grader.judgeAnswer(request, within(20_000));
    expect(usage.calls).toBe(4);
  });
});

describe('a failure reports its usage', () => {
  test.each<[string, Behaviour]>([
    ['malformed thrice', { kind: 'violating' }],
    ['cut off three times', { kind: 'out_of_length' }],
  ])('%s', async (_, behaviour) => {
    always(behaviour);
    const failure: unknown = await grader
      .judgeAnswer(request, within(20_000))
      .catch((error: unknown) => error);
    if (!(failure instanceof GraderFailure)) throw new Error('it did not fail');
    expect(failure).toMatchObject({ kind: 'malformed', spent: [{ call: 'judge_answer' }] });
    const [spent] = failure.spent;
    expect(spent?.promptVersion).toMatch(/^judge_answer\/\d+$/);
    expect(spent?.usage.calls).toBe(3);
    expect(spent?.usage.inputTokens).toBeGreaterThan(0);
    expect(spent?.usage.outputTokens).toBeGreaterThan(0);
  });

  test('of a second look that failed', async () => {
    const twice = await newGrader({
      secondLook: { when: 'always', maxCharacters: 1000 },
    });
    const { usage: single } = await grader.judgeAnswer(request, within(20_000));
    server.reset();
    server.behave(() => (server.calls.length === 1 ? undefined : { kind: 'violating' }));
    const { usage, evidence } = await twice.judgeAnswer(request, within(20_000));
    expect(evidence).toHaveLength(1);
    expect(usage.calls).toBe(4);
    expect(usage.inputTokens).toBeGreaterThan(single.inputTokens * 3);
  });
});

test('failures hold neither key nor prompt nor answer, though the endpoint repeats them', async () => {
  for (const behaviour of [
    { kind: 'status', status: 400 },
    { kind: 'content', content: request.answer.text },
  ] as const) {
    always(behaviour);
    const failure: unknown = await grader
      .judgeAnswer(request, within(20_000))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(GraderFailure);
    const all =
      failure instanceof GraderFailure
        ? `${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`
        : '';
    expect(all).not.toContain('private');
    expect(all).not.toContain('secret');
    expect(all).not.toContain('photosynthesis');
  }
});
