import { once as event } from 'node:events';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Behaviour } from '@evaluation/test-services';
import type { Grader } from '../grader.ts';
import { createEndpointPause } from '../endpointPause.ts';
import { gradersFor } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';

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
const gap = () => (server.calls[1]?.at ?? 0) - (server.calls[0]?.at ?? 0);

describe('transient failures are retried', () => {
  test.each<[string, Behaviour]>([
    ['429', { kind: 'status', status: 429 }],
    ['500', { kind: 'status', status: 500 }],
    ['503', { kind: 'status', status: 503 }],
    ['a refused key', { kind: 'status', status: 401 }],
    ['a missing model', { kind: 'status', status: 404 }],
    ['a broken connection', { kind: 'cut' }],
    ['truncated JSON', { kind: 'truncated' }],
    ['output outside the schema', { kind: 'violating' }],
    ['an empty answer', { kind: 'content', content: '' }],
    ['a gateway’s HTML', { kind: 'html' }],
  ])('%s, then a good reply', async (_, behaviour) => {
    once(behaviour);
    const { value, usage } = await grader.judgeAnswer(request, within(10_000));
    expect(value.awarded).toBe(3);
    expect(usage.calls).toBe(2);
    expect(server.calls).toHaveLength(2);
    expect(gap()).toBeGreaterThan(200);
  });

  test('the grader waits for retry-after', async () => {
    once({ kind: 'status', status: 429, retryAfterSeconds: 1 });
    await grader.judgeAnswer(request, within(10_000));
    expect(gap()).toBeGreaterThanOrEqual(1000);
  });

  test('retry-after-ms takes precedence over retry-after', async () => {
    once({ kind: 'status', status: 429, retryAfterSeconds: 60, retryAfterMs: 700 });
    await grader.judgeAnswer(request, within(10_000));
    expect(gap()).toBeGreaterThanOrEqual(700);
    expect(gap()).toBeLessThan(5000);
  });

  test('a wait beyond the deadline is not started, and the failure reports the requested pause', async () => {
    always({ kind: 'status', status: 429, retryAfterSeconds: 60 });
    const started = performance.now();
    await expect(grader.judgeAnswer(request, within(10_000))).rejects.toMatchObject({
      name: 'GraderFailure',
      kind: 'transient',
      retryAfterMs: 60_000,
    });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(server.calls).toHaveLength(1);
  });

  test('a requested pause of an hour fails no run that has minutes left, and holds all graders of the endpoint', async () => {
    const pause = createEndpointPause();
    const [one, other] = [await newGrader({ pause }), await newGrader({ pause })];
    const permission = await other.mayTakeRun(new AbortController().signal);
    always({ kind: 'status', status: 429, retryAfterSeconds: 3600 });
    const abort = new AbortController();
    const judging = one.judgeAnswer(request, within(120_000, abort.signal));
    if (!permission.aborted) await event(permission, 'abort');
    await expect(other.judgeAnswer(request, within(300))).rejects.toMatchObject({ kind: 'transient' });
    const stop = new AbortController();
    const waiting = other.mayTakeRun(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(server.calls).toHaveLength(1);
    abort.abort(new Error('cancelled'));
    await expect(judging).rejects.toThrow('cancelled');
  });

  test('503 with a pause holds all calls until its end', async () => {
    once({ kind: 'status', status: 503, retryAfterSeconds: 1 });
    const narrow = await newGrader({ maxConcurrentCalls: 1 });
    await Promise.all([1, 2, 3].map(() => narrow.judgeAnswer(request, within(20_000))));
    expect(server.calls).toHaveLength(4);
    expect(gap()).toBeGreaterThanOrEqual(990);
  });

  test('until the deadline, then the failure is transient', async () => {
    // Its own server: a call that the deadline cuts off may arrive after the end of the test.
    const failing = await startModelServer();
    onTestFinished(() => failing.close());
    failing.behave([{ behaviour: { kind: 'status', status: 500 } }]);
    const other = await newGrader({ baseUrl: failing.baseUrl });
    const started = performance.now();
    await expect(other.judgeAnswer(request, within(1500))).rejects.toMatchObject({ kind: 'transient' });
    expect(performance.now() - started).toBeLessThan(2500);
    expect(failing.calls.length).toBeGreaterThan(1);
  });

  test('a call over its time limit is ended and repeated', async () => {
    const hasty = await newGrader({ callTimeoutSeconds: 0.3 });
    once({ kind: 'hang' });
    const { usage } = await hasty.judgeAnswer(request, within(10_000));
    expect(usage.calls).toBe(2);
    await server.waitFor(([first]) => first?.aborted === true);
  });

  test('an endpoint that cannot be reached', async () => {
    const gone = await startModelServer();
    await gone.close();
    const lost = await newGrader({ baseUrl: gone.baseUrl });
    await expect(lost.judgeAnswer(request, within(700))).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('a request that never succeeds', () => {
  const limits = () => server.calls.map(({ body }) => body['max_completion_tokens']);

  test('an endless reply is cut off at the limit of its call, requested with twice the limit, then fails', async () => {
    always({ kind: 'runaway' });
    await expect(grader.judgeAnswer(request, within(20_000))).rejects.toMatchObject({ kind: 'malformed' });
    expect(limits()).toEqual([900, 1800, 1800]);
  });

  test('the limit has another name, stays below a set limit, or is not sent', async () => {
    for (const options of [
      { outputLimit: 'max_tokens', maxOutputTokens: 500 },
      { outputLimit: 'none' },
    ] as const) {
      const other = await newGrader(options);
      await other.judgeAnswer(request, within(20_000));
    }
    expect(server.calls.map(({ body }) => body['max_tokens'])).toEqual([500, undefined]);
    expect(limits()).toEqual([undefined, undefined]);
  });

  test('a model that reasons gets room for reasoning once a reply shows it', async () => {
    server.behave((call) => ({
      kind: 'reshaped',
      reshape: (completion) =>
        Number(call.body['max_completion_tokens']) > 10_000
          ? completion
          : { choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: '' } }] },
    }));
    await grader.judgeAnswer(request, within(20_000));
    await grader.judgeAnswer(request, within(20_000));
    expect(limits()).toEqual([900, 17_800, 16_900]);
  });

  test('the third time-out ends the request before the deadline, and all three calls are counted', async () => {
    const hasty = await newGrader({ callTimeoutSeconds: 0.2 });
    always({ kind: 'hang' });
    const failure: unknown = await hasty
      .judgeAnswer(request, within(60_000))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unanswered', spent: [{ usage: { calls: 3 } }] });
    expect(server.calls).toHaveLength(3);
  });

  test('a status that stays while other requests are answered fails the request at the fifth time', async () => {
    server.behave((call) =>
      JSON.stringify(call.body).includes('poison') ? { kind: 'status', status: 500 } : undefined,
    );
    const poisoned = grader.judgeAnswer({ ...request, answer: typedAnswer('poison') }, within(60_000));
    const answered = server
      .waitFor((calls) => calls.length > 0)
      .then(() => grader.judgeAnswer(request, within(20_000)));
    await expect(poisoned).rejects.toMatchObject({
      kind: 'unanswered',
      message: 'the model endpoint answered 500 to the same request 5 times',
    });
    await answered;
    expect(server.calls).toHaveLength(6);
  });
});

describe('an endpoint that refuses us', () => {
  test.each<[string, Behaviour]>([
    ['a revoked key', { kind: 'status', status: 401 }],
    [
      'an account without credit',
      { kind: 'status', status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    ],
    ['a gateway without its model', { kind: 'html' }],
  ])('%s: no run begins, and runs in progress continue once it works again', async (_, behaviour) => {
    const events: string[] = [];
    const { promise: down, resolve } = Promise.withResolvers<void>();
    const watched = await newGrader({
      onProgress: (what) => {
        events.push(what);
        resolve();
      },
    });
    always(behaviour);
    const permission = await watched.mayTakeRun(new AbortController().signal);
    // Each run has a signal of its own.
    const judging = [1, 2].map(() => watched.judgeAnswer(request, within(120_000)));
    await down;
    expect(permission.aborted).toBe(true);
    server.behave([]);
    for (const { value } of await Promise.all(judging)) expect(value.awarded).toBe(3);
    expect(events).toEqual(['provider.down', 'provider.up']);
    await watched.mayTakeRun(new AbortController().signal);
  });
});

describe('an abort stops everything within a second', () => {
  test('a call in flight, and the endpoint notices', async () => {
    always({ kind: 'hang' });
    const abort = new AbortController();
    const judging = grader.judgeAnswer(request, within(60_000, abort.signal));
    await server.waitFor((calls) => calls.length === 1);
    const started = performance.now();
    abort.abort(new Error('cancelled'));
    await expect(judging).rejects.toThrow('cancelled');
    await server.waitFor(([call]) => call?.aborted === true);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('a wait between tries', async () => {
    always({ kind: 'status', status: 429, retryAfterSeconds: 30 });
    const abort = new AbortController();
    const judging = grader.judgeAnswer(request, within(60_000, abort.signal));
    await server.waitFor(([call]) => typeof call?.endedAt === 'number');
    const started = performance.now();
    abort.abort(new Error('cancelled'));
    await expect(judging).rejects.toThrow('cancelled');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('a call that waits for its place, which goes to another call', async () => {
    const narrow = await newGrader({ maxConcurrentCalls: 1 });
    const first = new AbortController();
    const second = new AbortController();
    once({ kind: 'hang' });
    const hanging = narrow.judgeAnswer(request, within(60_000, first.signal));
    await server.waitFor((calls) => calls.length === 1);
    const waiting = narrow.judgeAnswer(request, within(60_000, second.signal));
    const third = narrow.judgeAnswer(request, within(60_000));
    second.abort(new Error('second'));
    await expect(waiting).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(hanging).rejects.toThrow('first');
    expect((await third).value.awarded).toBe(3);
    expect(server.calls).toHaveLength(2);
  });

  test('a call with an aborted signal is not made', async () => {
    const judging = grader.judgeAnswer(request, within(60_000, AbortSignal.abort(new Error('before'))));
    await expect(judging).rejects.toThrow('before');
    expect(server.calls).toHaveLength(0);
  });

  test('closing the grader ends running calls', async () => {
    const other = await newGrader();
    always({ kind: 'hang' });
    const judging = other.judgeAnswer(request, within(60_000));
    await server.waitFor((calls) => calls.length === 1);
    await Promise.all([expect(judging).rejects.toThrow('closed'), other.close()]);
  });
});

test('calls in flight stay within the limit, and all calls are made', async () => {
  const two = await newGrader({ maxConcurrentCalls: 2 });
  always({ kind: 'slow', ms: 50 });
  await Promise.all(Array.from({ length: 8 }, () => two.judgeAnswer(request, within(20_000))));
  expect(server.calls).toHaveLength(8);
  expect(server.peakInFlight).toBe(2);
});

test('evidence and judgement key name the endpoint, and neither password nor query', async () => {
  const { host } = new URL(server.baseUrl);
  const at = async (baseUrl: string, ask: boolean) => {
    const other = await newGrader({ baseUrl });
    const key = other.judgementKey(request);
    const [call] = ask ? (await other.judgeAnswer(request, within(20_000))).evidence : [];
    return { key, endpoint: call?.settings['endpoint'] };
  };
  const plain = await at(server.baseUrl, true);
  expect(plain.endpoint).toBe(`http://${host}/v1`);
  const secret = await at(`http://user:secret@${host}/v1/?token=secret#secret`, false);
  expect(secret.key).toBe(plain.key);
  expect((await at(`http://${host}/other/v1`, false)).key).not.toBe(plain.key);
});

test('a call after its deadline is not made', async () => {
  await expect(grader.judgeAnswer(request, within(-1))).rejects.toMatchObject({ kind: 'transient' });
  expect(server.calls).toHaveLength(0);
});
