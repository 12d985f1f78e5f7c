import { beforeEach, expect, test } from 'vitest';
import { closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import { gradersFor } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';

const server = closedAfterTests(await startModelServer());
const newGrader = gradersFor(server);
beforeEach(() => server.reset());

const request = { exam, question: longQuestion(), answer: typedAnswer('A private answer.') };

type Line = [level: 'error' | 'warn', fields: object, message: string];
const linesOf = async (behaviour: Behaviour | null, ms = 1500): Promise<Line[]> => {
  const lines: Line[] = [];
  if (behaviour !== null) server.behave([{ behaviour }]);
  const gone = behaviour === null ? await startModelServer() : null;
  await gone?.close();
  const grader = await newGrader({
    baseUrl: (gone ?? server).baseUrl,
    lane: 'typed',
    callTimeoutSeconds: behaviour?.kind === 'hang' ? 0.3 : 20,
    log: {
      error: (fields, message) => lines.push(['error', fields, message]),
      warn: (fields, message) => lines.push(['warn', fields, message]),
    },
  });
  await grader.judgeAnswer(request, within(ms)).catch(() => {});
  expect(JSON.stringify(lines)).not.toMatch(/secret|private|photosynthesis|\/v1/);
  return lines;
};

test.each<[string, Behaviour | null, Line[0], object, string]>([
  [
    'a refused key',
    { kind: 'status', status: 401, error: { code: 'invalid_api_key' } },
    'error',
    { status: 401, reason: 'invalid_api_key' },
    'the model endpoint refuses this service: check its key, account, model and address',
  ],
  [
    'a gateway that answers 400 for an unknown key',
    { kind: 'status', status: 400, error: { type: 'no_db_connection', code: '400' } },
    'error',
    { status: 400, reason: 'no_db_connection' },
    'the model endpoint refuses this service: check its key, account, model and address',
  ],
  [
    'a context that is too short',
    {
      kind: 'status',
      status: 400,
      error: { code: 400, type: 'exceed_context_size_error', n_prompt_tokens: 789, n_ctx: 512 },
    },
    'warn',
    { status: 400, reason: 'exceed_context_size_error', n_ctx: 512, n_prompt_tokens: 789 },
    'the model endpoint refuses a request for its length or content',
  ],
  [
    'a server that fails',
    { kind: 'status', status: 500, error: { type: 'server_error' } },
    'warn',
    { status: 500, reason: 'server_error' },
    'the model endpoint failed',
  ],
  [
    'a code with private text',
    { kind: 'status', status: 429, error: { code: 'Key sk-secret', type: 'A private answer.' } },
    'warn',
    { status: 429 },
    'the model endpoint has too much to do',
  ],
  ['connection refused', null, 'warn', { reason: 'econnrefused' }, 'the model endpoint cannot be reached'],
  ['no answer in time', { kind: 'hang' }, 'warn', {}, 'the model did not answer in time'],
  ['a gateway’s page', { kind: 'html' }, 'warn', {}, 'the model endpoint answered without a model'],
  [
    'a reply that is cut off',
    { kind: 'runaway' },
    'warn',
    { output_tokens: 900 },
    'a reply was cut off: its model does not stop, or the endpoint allows too few tokens for a reply',
  ],
  ['a reply of another shape', { kind: 'violating' }, 'warn', {}, 'the model answered outside its schema'],
])('%s is logged once a minute, with origin and reason, without text of the endpoint', async (...example) => {
  const [, behaviour, level, facts, message] = example;
  const lines = await linesOf(behaviour);
  expect(lines).toEqual([
    [
      level,
      {
        model: 'some-model',
        lane: 'typed',
        origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        call: 'judge_answer',
        ...facts,
      },
      message,
    ],
  ]);
  if (behaviour !== null && message.includes('length or content')) expect(server.calls).toHaveLength(1);
});
