import { BY_BATCH, closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import { beforeEach, expect, test } from 'vitest';
import { NotWanted, type BatchOptions, type CallOptions, type Grader, type JudgeRequest } from '../grader.ts';
import { gradersFor } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer } from '../../test/requests.ts';

const HOUR_MS = 3_600_000;

const logged: { message: string; fields: object }[] = [];

const server = closedAfterTests(await startModelServer());
const anyGrader = gradersFor(server);
beforeEach(() => {
  server.reset();
  logged.splice(0);
});

const newGrader = (batches: Partial<BatchOptions> = {}): Promise<Grader> => {
  const hear = (fields: object, message: string) => void logged.push({ fields, message });
  return anyGrader({
    log: { error: hear, warn: hear },
    batches: { deployment: 'here', collectMs: 50, mostCalls: 400, pollMs: 30, ...batches },
  });
};

const asking = (answer: string): JudgeRequest => ({
  exam,
  question: longQuestion(),
  answer: typedAnswer(`A private answer: glucose. ${answer}`),
});
const during = (runId: string, ms = 4 * HOUR_MS, signal = new AbortController().signal): CallOptions => ({
  signal,
  deadline: new Date(Date.now() + ms),
  runId,
});
const inBatches = () => server.calls.filter(({ authorization }) => authorization === BY_BATCH);
const directly = () => server.calls.filter(({ authorization }) => authorization !== BY_BATCH);
const batchSeen = (count = 1) => server.waitFor(() => server.batches.seen.length === count);

test('calls of several runs go into one batch, and are judged, counted and recorded like direct calls', async () => {
  const grader = await newGrader();
  const plain = await anyGrader();
  const answers = ['one', 'two', 'three'];
  const batched = await Promise.all(
    answers.map((answer) => grader.judgeAnswer(asking(answer), during(`run ${answer}`))),
  );
  expect(server.batches.seen).toMatchObject([{ status: 'completed', lines: { length: 3 } }]);
  expect([inBatches().length, directly().length]).toEqual([3, 0]);
  for (const [index, answer] of answers.entries()) {
    const direct = await plain.judgeAnswer(asking(answer), during('other'));
    expect(batched[index]?.value).toEqual(direct.value);
    expect(batched[index]?.evidence).toEqual(direct.evidence);
    const { inputTokens, outputTokens, calls } = direct.usage;
    expect(batched[index]?.usage).toMatchObject({ inputTokens, outputTokens, calls });
  }
});

test('a batch stays within its largest size, and the same answer of two runs is two lines', async () => {
  const grader = await newGrader({ mostCalls: 2 });
  const runs = ['a', 'b', 'c', 'd'];
  await Promise.all(runs.map((run) => grader.judgeAnswer(asking('the same'), during(run))));
  expect(server.batches.seen.map(({ lines }) => lines.length)).toEqual([2, 2]);
  expect(new Set(server.batches.seen.flatMap(({ lines }) => lines)).size).toBe(4);
});

test('a call of a run that ends within the hour, and a preflight, are made directly', async () => {
  const grader = await newGrader();
  await grader.judgeAnswer(asking('soon'), during('run', HOUR_MS - 1000));
  await grader.preflight({ vision: false, contextCharacters: 4000 }, new AbortController().signal);
  expect(server.batches.seen).toEqual([]);
  expect(directly().length).toBeGreaterThan(1);
});

test('the next process waits for a running batch, and no line is sent twice', async () => {
  server.batches.behave({ kind: 'held' });
  const first = await newGrader();
  const lost = ['a', 'b'].map((run) => first.judgeAnswer(asking(run), during(run)).catch(() => 'lost'));
  await batchSeen();
  await first.close();
  expect(await Promise.all(lost)).toEqual(['lost', 'lost']);

  const second = await newGrader();
  const found = ['a', 'b', 'c'].map((run) => second.judgeAnswer(asking(run), during(run)));
  await batchSeen(2);
  expect(
    server.batches.seen.map(({ lines }) => lines.length),
    'only what is new is sent',
  ).toEqual([2, 1]);
  server.batches.behave({ kind: 'at_once' });
  for (const { usage, value } of await Promise.all(found)) {
    expect(usage.calls).toBe(1);
    expect(value.awarded).toBe(3);
  }
  expect([inBatches().length, directly().length]).toEqual([3, 0]);
});

test('a batch that ended before its replies were recorded is read again by the next process', async () => {
  const first = await newGrader();
  const before = await first.judgeAnswer(asking('a'), during('run'));
  const second = await newGrader();
  const again = await second.judgeAnswer(asking('a'), during('run'));
  expect(again.value).toEqual(before.value);
  expect(inBatches()).toHaveLength(1);
  // Another run has lines of its own, e.g. a re-evaluation.
  await second.judgeAnswer(asking('a'), during('another run'));
  expect(inBatches()).toHaveLength(2);
});

test('batches of another installation are ignored', async () => {
  await (await newGrader({ deployment: 'there' })).judgeAnswer(asking('a'), during('run'));
  await (await newGrader()).judgeAnswer(asking('a'), during('run'));
  expect(inBatches()).toHaveLength(2);
});

test('a batch whose creation got no response is found and not sent again', async () => {
  server.batches.behave({ kind: 'unanswered' });
  const grader = await newGrader();
  const { usage } = await grader.judgeAnswer(asking('a'), during('run'));
  expect(usage.calls).toBe(1);
  expect(server.batches.seen).toHaveLength(1);
  expect([inBatches().length, directly().length]).toEqual([1, 0]);
});

test('an expired batch gives its replies, and the other calls are made directly', async () => {
  server.batches.behave({ kind: 'expires', after: 2 });
  const grader = await newGrader();
  const all = await Promise.all(['a', 'b', 'c'].map((run) => grader.judgeAnswer(asking(run), during(run))));
  expect(all.map(({ usage }) => usage.calls).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
  expect([inBatches().length, directly().length]).toEqual([2, 1]);
  expect(logged).toMatchObject([{ fields: { reason: 'no_result', calls: 1 } }]);
});

test('calls of a refused batch are made directly', async () => {
  server.batches.behave({ kind: 'refused', code: 'invalid_request' });
  const grader = await newGrader();
  await grader.judgeAnswer(asking('a'), during('run'));
  expect([inBatches().length, directly().length]).toEqual([0, 1]);
});

test('a batch is sent again later if the account has too many waiting requests', async () => {
  server.batches.behave({ kind: 'refused', code: 'token_limit_exceeded' });
  const grader = await newGrader();
  const judged = grader.judgeAnswer(asking('a'), during('run'));
  await batchSeen(2);
  server.batches.behave({ kind: 'at_once' });
  expect((await judged).usage.calls).toBe(1);
  expect([inBatches().length, directly().length]).toEqual([1, 0]);
});

test.each<[string, Behaviour, string]>([
  [
    'a request that is too long',
    { kind: 'status', status: 400, error: { code: 'context_length_exceeded' } },
    'permanent',
  ],
  ['a filtered one', { kind: 'status', status: 400, error: { code: 'content_filter' } }, 'permanent'],
])('a line that failed (%s) fails as a direct call would have failed', async (_, behaviour, kind) => {
  server.behave([{ behaviour }]);
  const grader = await newGrader();
  await expect(grader.judgeAnswer(asking('a'), during('run'))).rejects.toMatchObject({ kind });
  expect([inBatches().length, directly().length]).toEqual([1, 0]);
});

test.each<[string, Behaviour]>([
  ['401', { kind: 'status', status: 401 }],
  ['429', { kind: 'status', status: 429 }],
  ['500', { kind: 'status', status: 500 }],
  ['output outside the schema', { kind: 'violating' }],
  ['output that was cut off', { kind: 'out_of_length' }],
  ['an object without a reply', { kind: 'reshaped', reshape: () => ({}) }],
])('a line with %s is requested again directly', async (_, behaviour) => {
  server.behave([{ times: 1, behaviour }]);
  const grader = await newGrader();
  const { value, usage } = await grader.judgeAnswer(asking('a'), during('run'));
  expect(value.awarded).toBe(3);
  expect(usage.calls).toBe(2);
  expect([inBatches().length, directly().length]).toEqual([1, 1]);
});

test('calls to an endpoint without batches are made directly; it is logged once, and batches are retried later', async () => {
  server.batches.behave({ kind: 'not_offered' });
  const grader = await newGrader();
  for (const run of ['a', 'b', 'c']) await grader.judgeAnswer(asking(run), during(run));
  expect([inBatches().length, directly().length]).toEqual([0, 3]);
  expect(logged).toMatchObject([{ fields: { reason: 'not_offered' } }]);
});

test('a call whose time is up is made directly, and a batch without waiting calls is cancelled', async () => {
  server.batches.behave({ kind: 'held' });
  const grader = await newGrader({ reserveMs: HOUR_MS, shortestWaitMs: 0 });
  const runs = ['a', 'b'].map((run) => grader.judgeAnswer(asking(run), during(run, HOUR_MS + 1500)));
  await batchSeen();
  for (const { usage } of await Promise.all(runs)) expect(usage.calls).toBe(2);
  await expect.poll(() => server.batches.seen[0]?.status).toBe('cancelled');
  expect([inBatches().length, directly().length]).toEqual([0, 2]);
});

test('a stopped worker waits no longer, and its batch continues: another worker may have the run', async () => {
  server.batches.behave({ kind: 'held' });
  const grader = await newGrader();
  const stop = new AbortController();
  const judged = grader.judgeAnswer(asking('a'), during('run', 4 * HOUR_MS, stop.signal));
  await batchSeen();
  stop.abort(new Error('stopped'));
  await expect(judged).rejects.toThrow('stopped');
  expect(server.batches.seen).toMatchObject([{ status: 'in_progress' }]);
});

test('a batch without a wanted line is cancelled', async () => {
  server.batches.behave({ kind: 'held' });
  const grader = await newGrader();
  const stops = ['a', 'b'].map((run) => {
    const stop = new AbortController();
    const judged = grader.judgeAnswer(asking(run), during(run, 4 * HOUR_MS, stop.signal));
    return { stop, judged: judged.catch(() => 'stopped') };
  });
  await batchSeen();
  for (const [index, { stop, judged }] of stops.entries()) {
    expect(server.batches.seen[0]?.status, `with ${index} of them stopped`).toBe('in_progress');
    stop.abort(new NotWanted());
    expect(await judged).toBe('stopped');
  }
  await expect.poll(() => server.batches.seen[0]?.status).toBe('cancelled');
});

test('a long wait does not count against the endpoint: other calls are made, and a run may begin', async () => {
  server.batches.behave({ kind: 'held' });
  const grader = await newGrader();
  const waits = Array.from({ length: 20 }, (_, index) =>
    grader.judgeAnswer(asking(String(index)), during(`run ${index}`)),
  );
  await batchSeen();
  await grader.judgeAnswer(asking('soon'), during('soon', 60_000));
  expect((await grader.mayTakeRun(new AbortController().signal)).aborted).toBe(false);
  server.batches.behave({ kind: 'at_once' });
  expect(await Promise.all(waits)).toHaveLength(20);
});
