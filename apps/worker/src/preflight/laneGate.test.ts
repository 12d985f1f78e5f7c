import { createGrader, type Grader, type JudgeRequest } from '@evaluation/grader';
import { createLogger } from '@evaluation/platform/telemetry';
import { startModelServer, type Behaviour, type ModelServer } from '@evaluation/test-services';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLaneGate, type LaneGate } from './laneGate.ts';
import { ModelUnavailable } from './modelUnavailable.ts';

/*
 * States: checking ──▶ open or shut; shut ──▶ one run an hour, and checked again until it opens;
 * open ──▶ checking after an outage or a lost prompt.
 */

let server: ModelServer;
let grader: Grader;
let gate: LaneGate | undefined;
beforeEach(async () => {
  server = await startModelServer();
  grader = await createGrader({
    provider: 'openai',
    baseUrl: server.baseUrl,
    apiKey: 'sk-secret',
    model: 'm',
    maxConcurrentCalls: 4,
    callTimeoutSeconds: 20,
  });
});
afterEach(async () => {
  await gate?.close();
  await grader.close();
  await server.close();
});

const open = async (behaviour?: Behaviour): Promise<LaneGate> => {
  server.behave(behaviour === undefined ? [] : [{ behaviour }]);
  gate = openLaneGate({
    lane: 'typed',
    grader,
    request: { vision: false, contextCharacters: 2000 },
    log: createLogger({ service: 'worker', level: 'silent' }),
    onUsed: () => {},
  });
  await gate.firstCheck;
  return gate;
};

const never = new AbortController().signal;
/** Lets `count` slots ask to take a run; `allowed` counts those that may. */
const slotsOf = (lane: LaneGate, count: number) => {
  const state = { allowed: 0 };
  for (let slot = 0; slot < count; slot += 1) void lane.mayTakeRun(never).then(() => (state.allowed += 1));
  return state;
};
/** Each run has its own signal, by which the grader tells runs apart. */
const run = (seconds: number) => ({
  signal: new AbortController().signal,
  deadline: new Date(Date.now() + seconds * 1000),
});
const SOON = { timeout: 50_000, interval: 20 };

test('an open lane lets every slot take runs, and withdraws that when a new preflight is due', async () => {
  const lane = await open();
  const permission = await lane.mayTakeRun(never);
  const slots = slotsOf(lane, 10);
  await expect.poll(() => slots.allowed, SOON).toBe(10);
  await lane.passed(run(10));
  expect(permission.aborted).toBe(false);
  lane.checkAgain();
  expect(permission.aborted).toBe(true);
  await lane.passed(run(60));
  expect(server.calls.filter(({ schemaName }) => schemaName === 'preflight_context')).toHaveLength(2);
});

test('with a wrong key and 50 slots one run is taken and waits; all continue once the key is right', async () => {
  const lane = await open({ kind: 'status', status: 401 });
  expect(lane.isShut()).toBe(true);
  const slots = slotsOf(lane, 50);
  await expect.poll(() => slots.allowed, SOON).toBe(1);
  lane.begin();
  const waiting = lane.passed(run(120));
  await server.waitFor((calls) => calls.length >= 3);
  expect(slots.allowed).toBe(1);
  server.behave([]);
  await waiting;
  await expect.poll(() => slots.allowed, SOON).toBe(50);
});

test('a run that is taken while the lane is shut fails at its deadline with the reason', async () => {
  const lane = await open({ kind: 'status', status: 503 });
  await lane.mayTakeRun(never);
  lane.begin();
  await expect(lane.passed(run(1))).rejects.toEqual(new ModelUnavailable('unreachable'));
});

test('if the reason lasts, a run fails long before its deadline, and no other run is taken', async () => {
  const lane = await open({ kind: 'violating' });
  const slots = slotsOf(lane, 5);
  await expect.poll(() => slots.allowed, SOON).toBe(1);
  lane.begin();
  await expect(lane.passed(run(1800))).rejects.toEqual(new ModelUnavailable('schema_not_kept'));
  const checks = server.calls.length;
  await server.waitFor((calls) => calls.length >= checks + 2);
  expect(slots.allowed).toBe(1);
});

test('a slot of a shut lane that finds no run leaves the question to another slot', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const lane = await open({ kind: 'status', status: 503 });
    const slots = slotsOf(lane, 3);
    await expect.poll(() => slots.allowed, SOON).toBe(1);
    vi.advanceTimersByTime(12_000);
    await expect.poll(() => slots.allowed, SOON).toBe(2);
    lane.begin();
    vi.advanceTimersByTime(3_599_000);
    const checks = server.calls.length;
    await server.waitFor((calls) => calls.length >= checks + 2);
    expect(slots.allowed).toBe(2);
    vi.advanceTimersByTime(1000);
    await expect.poll(() => slots.allowed, SOON).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

test("a run that is stopped while it waits rejects with its signal's reason", async () => {
  const lane = await open({ kind: 'status', status: 401 });
  const stop = new AbortController();
  const waiting = lane.passed({ ...run(60), signal: stop.signal });
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
});

const answer = (text: string): JudgeRequest => ({
  exam: { subject: null, level: 'school', board: null, class: null, instructions: null },
  question: {
    label: '1',
    type: 'long_answer',
    text: 'Why does ice float?',
    maxMarks: 2,
    options: [],
    correctOptions: [],
    answer: null,
    modelAnswer: 'It is less dense than water.',
    partialMarking: null,
    criteria: [],
  },
  answer: { text, legibility: null, blocks: [] },
});

test('calls of runs in progress wait for the preflight after an outage, and continue when it passes', async () => {
  let lane: LaneGate | undefined;
  const guarded = await createGrader({
    provider: 'openai',
    baseUrl: server.baseUrl,
    apiKey: 'sk-secret',
    model: 'm',
    maxConcurrentCalls: 2,
    callTimeoutSeconds: 20,
    check: {
      isPassed: () => lane?.isOpen() ?? false,
      passed: async (signal) => await lane?.opened(signal),
    },
    onProgress: (event) => event === 'provider.up' && lane?.checkAgain(),
  });
  try {
    lane = gate = openLaneGate({
      lane: 'typed',
      grader: guarded,
      request: { vision: false, contextCharacters: 2000 },
      log: createLogger({ service: 'worker', level: 'silent' }),
      onUsed: () => {},
    });
    await lane.firstCheck;
    const isRunCall = ({ schemaName }: { schemaName: string | null }) => schemaName === 'judge_answer';

    server.behave([{ behaviour: { kind: 'status', status: 503 } }]);
    const judged = Promise.all(
      ['one', 'two', 'three', 'four'].map(async (text) => await guarded.judgeAnswer(answer(text), run(110))),
    );
    await expect.poll(() => guarded.trouble, SOON).toBe('unreachable');
    await server.waitFor((calls) => calls.filter(isRunCall).length >= 5);
    // The endpoint returns with a model that answers but violates the schema.
    let answered = 0;
    server.behave((call) => {
      if (!isRunCall(call)) return { kind: 'violating' };
      answered += 1;
      return { kind: 'answer' };
    });
    await expect.poll(() => lane?.isShut(), SOON).toBe(true);
    expect(lane.reason()).toBe('schema_not_kept');
    const checks = server.calls.length;
    await server.waitFor((calls) => calls.length >= checks + 2);
    // Only the call that noticed the end of the outage was answered.
    expect(answered).toBe(1);

    server.behave([]);
    expect(await judged).toHaveLength(4);
  } finally {
    await gate?.close();
    await guarded.close();
  }
});
