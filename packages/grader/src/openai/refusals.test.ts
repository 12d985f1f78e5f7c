import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import type { Grader } from '../grader.ts';
import { gradersFor, type OpenaiOptions } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';

/*
 * A refusal (400, 422) blames the request. Other requests show whether that is true:
 *
 *   one run is refused, another is answered ──▶ the request is at fault and fails
 *   several runs are refused and none is answered ──▶ the endpoint refuses us: the lane is paused, and nothing fails
 */

const server = closedAfterTests(await startModelServer());
beforeEach(() => server.reset());

const judge = (grader: Grader, text: string) =>
  grader.judgeAnswer(
    { exam, question: longQuestion(), answer: typedAnswer(text) },
    // Each run has a signal of its own.
    within(100_000),
  );

/** A worker with a number of slots, and runs that wait for one. */
const workThrough = async (
  grader: Grader,
  runs: number,
  slots: number,
): Promise<{ begun: number; graded: number }> => {
  const count = { begun: 0, graded: 0 };
  const slot = async () => {
    while (count.begun < runs) {
      await grader.mayTakeRun(new AbortController().signal);
      if (count.begun >= runs) return;
      count.begun += 1;
      await judge(grader, `Answer ${count.begun}`);
      count.graded += 1;
    }
  };
  await Promise.all(Array.from({ length: slots }, slot));
  return count;
};

const paused = (change: Partial<OpenaiOptions> = {}) => {
  const { promise: down, resolve } = Promise.withResolvers<void>();
  const errors: object[] = [];
  const grader = gradersFor(server)({
    maxConcurrentCalls: 16,
    log: { error: (fields) => errors.push(fields), warn: () => {} },
    onProgress: (event) => event === 'provider.down' && resolve(),
    ...change,
  });
  return { grader, down, errors };
};

describe('a gateway that answers 400 for a wrong key, with 50 runs waiting', () => {
  test.each<[string, Behaviour]>([
    ['and names it', { kind: 'status', status: 400, error: { type: 'no_db_connection', code: '400' } }],
    ['and names nothing', { kind: 'status', status: 400, error: { type: 'invalid_request_error' } }],
  ])('%s: no run fails, the lane is paused, and all are graded after the fault', async (_, behaviour) => {
    const { grader, down, errors } = paused();
    const own = await grader;
    server.behave([{ behaviour }]);
    const working = workThrough(own, 50, 8);
    await down;
    // At most the calls of the runs that had begun before the pause.
    expect(server.calls.length).toBeLessThanOrEqual(3 * 8);
    expect(errors[0]).toMatchObject({ status: 400 });
    // A run whose deadline comes meanwhile fails with this reason.
    expect(own.trouble).toBe('refused');
    server.behave([]);
    expect(await working).toEqual({ begun: 50, graded: 50 });
  });
});

test('a setting that the model does not accept pauses the lane, by its code', async () => {
  const { grader, down } = paused({ temperature: 0 });
  const own = await grader;
  server.behave(({ body }) =>
    body['temperature'] === 0
      ? { kind: 'status', status: 400, error: { code: 'unsupported_value', param: 'temperature' } }
      : undefined,
  );
  const judging = [1, 2].map((run) => judge(own, `Answer ${run}`).catch((error: unknown) => error));
  await down;
  await own.close();
  for (const failure of await Promise.all(judging))
    expect(failure).toMatchObject({ message: 'the grader was closed' });
});

test('a request that is refused while others are answered fails and pauses nothing', async () => {
  const { grader, errors } = paused();
  const own = await grader;
  server.behave(({ body }) =>
    JSON.stringify(body).includes('poison') ? { kind: 'status', status: 400 } : undefined,
  );
  const poisoned = judge(own, 'poison').catch((error: unknown) => error);
  await server.waitFor((calls) => calls.some(({ endedAt }) => endedAt !== null));
  await judge(own, 'Plants.');
  expect(await poisoned).toMatchObject({
    kind: 'permanent',
    message: 'the model endpoint answered 400 (test_error)',
  });
  const tries = server.calls.filter(({ body }) => JSON.stringify(body).includes('poison'));
  // A run without an answer to others fails after four tries.
  expect(tries.length).toBeLessThan(4);
  expect(errors).toEqual([]);
});

test('a single refused run fails after four tries, so that other runs do not wait', async () => {
  const { grader } = paused();
  const own = await grader;
  server.behave([{ behaviour: { kind: 'status', status: 422 } }]);
  await expect(judge(own, 'Alone.')).rejects.toMatchObject({ kind: 'permanent' });
  expect(server.calls).toHaveLength(4);
  await own.mayTakeRun(new AbortController().signal);
});
