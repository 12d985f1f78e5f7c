import { expect, test } from 'vitest';
import { readWorkerSettings } from './worker.ts';

const read = (more: Record<string, string>) =>
  readWorkerSettings({
    CORE_URL: 'http://127.0.0.1:8081',
    CORE_GRADING_TOKEN: '0123456789abcdef',
    OPENAI_API_KEY: 'sk-x',
    NATS_URL: 'nats://127.0.0.1:4222',
    ...more,
  });

test('typed answers go in batches only if set, and then the default concurrency is higher', () => {
  expect(read({})).toMatchObject({ batches: null, concurrency: { typed: 8 } });
  const on = { TYPED_MODEL_BATCHES: 'on', TYPED_DEADLINE_SECONDS: '7200' };
  expect(read(on)).toMatchObject({
    batches: { collectMs: 60_000, mostCalls: 400, pollMs: 30_000 },
    concurrency: { typed: 200 },
  });
  expect(read({ ...on, TYPED_CONCURRENCY: '50' }).concurrency.typed).toBe(50);
});

test.each<[string, Record<string, string>]>([
  ['TYPED_DEADLINE_SECONDS', {}],
  ['TYPED_DEADLINE_SECONDS', { TYPED_DEADLINE_SECONDS: '7199' }],
  ['TYPED_MODEL_BATCHES', { TYPED_DEADLINE_SECONDS: '7200', GRADER: 'baseline' }],
  ['MODEL_BATCH_CALLS', { TYPED_DEADLINE_SECONDS: '7200', MODEL_BATCH_CALLS: '449' }],
  ['MODEL_BATCH_SECONDS', { TYPED_DEADLINE_SECONDS: '7200', MODEL_BATCH_SECONDS: '0' }],
])('settings with which batches cannot work are refused by name: %s', (name, more) => {
  expect(() => read({ TYPED_MODEL_BATCHES: 'on', ...more })).toThrow(new RegExp(`  ${name}: `));
});
