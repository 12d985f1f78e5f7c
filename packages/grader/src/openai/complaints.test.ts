import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { createGrader } from '../createGrader.ts';
import { exam, longQuestion, optionsFor, typedAnswer, within } from './fixtures.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => server.close());

test('3.10 an endpoint that refuses us is told of once in a minute, with its status and in none of its words', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  server.behave([{ behaviour: { kind: 'status', status: 401 } }]);
  const grader = await createGrader({ ...optionsFor(server.baseUrl), lane: 'typed' });
  const request = { exam, question: longQuestion(), answer: typedAnswer('A private answer.') };
  await expect(grader.judgeAnswer(request, within(1500))).rejects.toMatchObject({ kind: 'transient' });
  await grader.close();
  expect(server.calls.length).toBeGreaterThan(1);
  const lines = written.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('endpoint'));
  expect(lines).toHaveLength(1);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toEqual({
    level: 'error',
    time: expect.any(String),
    service: 'grader',
    model: 'some-model',
    lane: 'typed',
    status: 401,
    msg: 'the model endpoint refuses us: look at its key, account, model and address',
  });
});
