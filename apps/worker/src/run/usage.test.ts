import { expect, test } from 'vitest';
import { GraderFailure, type Answered, type CallEvidence, type Usage } from '@evaluation/grader';
import { costOf, countUsage } from './usage.ts';

const prices = {
  currency: 'USD',
  perMillionTokens: {
    m: { input: 2, cached_input: 0.5, output: 8 },
    'no cache': { input: 0.1, output: 0.4 },
  },
};
const used = (inputTokens: number, cachedInputTokens: number, outputTokens: number): Usage => ({
  calls: 1,
  inputTokens,
  cachedInputTokens,
  outputTokens,
  durationMs: 10,
});

test.each([
  ['cached tokens cost their own price', 'm', used(1_000_000, 400_000, 500_000), '5.4'],
  ['a single token is not lost', 'm', used(1, 0, 0), '0.000002'],
  ['a sum that floats cannot represent is exact', 'no cache', used(3, 0, 0), '0.0000003'],
  [
    'cached tokens without a price of their own cost the normal price',
    'no cache',
    used(1000, 1000, 0),
    '0.0001',
  ],
  ['more cached tokens than input tokens do not give a negative cost', 'm', used(10, 99, 0), '0.000005'],
  ['no tokens cost 0', 'm', used(0, 0, 0), '0'],
])('%s', (_, model, usage, amount) => {
  expect(costOf(usage, model, prices)).toEqual({ amount, currency: 'USD' });
});

test.each(['another', 'toString', '__proto__'])('a model without a price has no cost: %s', (model) => {
  expect(costOf(used(1, 1, 1), model, prices)).toBeNull();
});

const evidence = (call: CallEvidence['call'], promptVersion: string): CallEvidence => ({
  call,
  promptVersion,
  provider: 'openai',
  model: 'm',
  settings: {},
  promptSha256: '',
  images: [],
  reply: '',
  refused: [],
});
const answered = (usage: Usage, ...calls: CallEvidence[]): Promise<Answered<number>> =>
  Promise.resolve({ value: 1, usage, evidence: calls });
const model = { provider: 'openai', model: 'm' } as const;

test('calls are added up by kind, and each prompt version is named once', async () => {
  const usage = countUsage(model, prices, null, 'typed');
  await usage.counted(answered(used(100, 10, 5), evidence('read_pages', 'read_pages/2')));
  const judged = evidence('judge_answer', 'judge_answer/2');
  await usage.counted(answered({ ...used(300, 60, 50), calls: 2 }, judged, judged));
  await usage.counted(answered(used(100, 30, 45), judged));
  await usage.counted(answered({ ...used(0, 0, 0), calls: 0, durationMs: 0 }));
  usage.reused([evidence('judge_answer', 'judge_answer/1')]);
  const sofar = usage.sofar();
  expect(sofar.grader).toEqual({
    provider: 'openai',
    model: 'm',
    prompt_versions: ['judge_answer/1', 'judge_answer/2', 'read_pages/2'],
  });
  expect(sofar.usage).toEqual({
    calls: 4,
    input_tokens: 500,
    cached_input_tokens: 100,
    output_tokens: 100,
    duration_ms: 30,
    cost: { amount: '0.00165', currency: 'USD' },
    by_call: {
      read_pages: { calls: 1, duration_ms: 10 },
      judge_answer: { calls: 3, duration_ms: 20 },
    },
  });
});

test('usage and prompt of a failed call count', async () => {
  const usage = countUsage(model, prices, null, 'typed');
  const spent = [{ call: 'judge_answer', promptVersion: 'judge_answer/2', usage: used(100, 0, 10) }] as const;
  const failure = new GraderFailure('malformed', 'It was malformed.', undefined, spent);
  await expect(usage.counted(Promise.reject(failure))).rejects.toBe(failure);
  expect(usage.sofar()).toMatchObject({
    grader: { prompt_versions: ['judge_answer/2'] },
    usage: { calls: 1, input_tokens: 100, output_tokens: 10, by_call: { judge_answer: { calls: 1 } } },
  });
});

test('a delivery adds to the usage of the one before', async () => {
  const first = countUsage(model, prices, null, 'typed');
  await first.counted(answered(used(1000, 0, 100), evidence('read_pages', 'read_pages/1')));
  const second = countUsage(model, prices, first.sofar(), 'typed');
  await second.counted(answered(used(1000, 0, 100), evidence('judge_answer', 'judge_answer/2')));
  expect(second.sofar()).toMatchObject({
    grader: { prompt_versions: ['judge_answer/2', 'read_pages/1'] },
    usage: {
      calls: 2,
      input_tokens: 2000,
      output_tokens: 200,
      duration_ms: 20,
      cost: { amount: '0.0056', currency: 'USD' },
      by_call: { read_pages: { calls: 1 }, judge_answer: { calls: 1 } },
    },
  });
  expect(first.sofar().usage.calls).toBe(1);
  const unpriced = countUsage({ ...model, model: 'x' }, prices, first.sofar(), 'typed');
  expect(unpriced.sofar().usage.cost).toBeNull();
});
