import { hostname } from 'node:os';
import { jetstreamManager } from '@nats-io/jetstream';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { copyPdf, copyTruth, examBody, typedSamples } from '../fixtures/fixtures.ts';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { startSplitService, type Program, type SplitService } from '../harness/processes.ts';
import { replayOf } from '../harness/replayOf.ts';
import { expectGradedOnce, expectReleased } from './expectations.ts';
import { natsOf } from './nats.ts';
import { answerOnly, expectPaidOnce, nameOfCall, truthOf } from './modelCalls.ts';

/*
 * Workers of their own, ended in every way a worker can end. Core and facade live through the file; the model is slow
 * or silent where a test needs time.
 */

// Processes start and stop in each test, on a machine that others may be using.
vi.setConfig({ testTimeout: 90_000 });

let model: ModelServer;
let service: SplitService;
let behind: BehindTheApi;
let scienceExam: Exam;
let historyExam: Exam;

beforeAll(async () => {
  model = await startModelServer();
  service = await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    LEASE_SECONDS: '4',
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
    UNCLAIMED_SECONDS: '3',
    COPY_CONCURRENCY: '1',
    TYPED_CONCURRENCY: '1',
  });
  behind = lookBehind(service.database);
  scienceExam = await createExam(service.api, examBody('science'));
  historyExam = await createExam(service.api, examBody('history-typed'));
});
afterAll(async () => {
  await behind.close();
  await service.close();
  await model.close();
});
beforeEach(async () => {
  model.reset();
  model.know(truthOf('average'));
  await behind.forgetJudgements();
});
afterEach(() => service.killWorkers());

let candidates = 0;

/** A copy that a worker has begun to grade; inspected beforehand by a worker that is gone again. */
const submitCopy = async (exam: { id: string } = scienceExam): Promise<Submission> => {
  const uploadId = await uploadCopy(service.api, copyPdf('average'));
  candidates += 1;
  return submit(service.api, exam.id, {
    candidate: { external_id: `KILL-${candidates}` },
    upload_id: uploadId,
  });
};

const submitTyped = async (): Promise<Submission> => {
  const [strong] = typedSamples();
  candidates += 1;
  return submit(service.api, historyExam.id, {
    candidate: { external_id: `KILL-${candidates}` },
    answers: strong.answers,
  });
};

/** What is stored of a submission, and what the model has seen, at the moment its worker is dead. */
const deathOf = async (
  worker: Program,
  submission: Submission,
): Promise<{ calls: number; recorded: string[] }> => {
  await worker.kill();
  expect(await behind.runOf(submission.id), 'it died in the middle').toMatchObject({ status: 'claimed' });
  return { calls: model.calls.length, recorded: await behind.recordedCalls(submission.id) };
};

const nameOf = (worker: Program): string => `${hostname()}/${worker.pid}`;

test('3.7 a worker killed while it reads pages: another finishes, and only the batch that was under way is read again', async () => {
  answerOnly(model, (name) => name === 'pages 1');
  const worker = await service.startWorker();
  const submission = await submitCopy();
  await eventually('one batch is stored', async () =>
    (await behind.recordedCalls(submission.id)).includes('pages 1'),
  );
  const death = await deathOf(worker, submission);
  expect(death.recorded).toEqual(['pages 1']);

  model.behave([]);
  await service.startWorker();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(expectPaidOnce(model, death).repeated).toEqual(['pages 5']);
});

test('3.7 a worker killed while it judges: what it had judged keeps its marks and is not judged again', async () => {
  answerOnly(model, (name, earlier) => !name.startsWith('question') || earlier < 4);
  const worker = await service.startWorker();
  // Its own, so that its one rubric is made here, and by the first of the two workers.
  const submission = await submitCopy(await createExam(service.api, examBody('science')));
  const isQuestion = (name: string): boolean => name.startsWith('question');
  await eventually('four questions are judged and six under way', async () => {
    const recorded = (await behind.recordedCalls(submission.id)).filter(isQuestion);
    // A judgement is kept for other candidates a moment before its mark is recorded.
    const [marked] = await behind.query<{ all: boolean }>(
      `select count(*) = 4 as all from question_results t join runs r on r.id = t.run_id
       where r.submission_id = $1 and t.status = 'graded'`,
      [submission.id],
    );
    const asked = model.calls.filter((call) => isQuestion(nameOfCall(call))).length;
    return recorded.length >= 4 && marked?.all === true && asked >= 10;
  });
  const death = await deathOf(worker, submission);
  expect(death.recorded).toEqual(expect.arrayContaining(['pages 1', 'pages 5', 'alignment']));
  // A client does not see them before the run is complete.
  const before = await behind.query<{ question_id: string; awarded: number }>(
    `select t.question_id, t.awarded::float8 as awarded from question_results t join runs r on r.id = t.run_id
     where r.submission_id = $1 and t.status = 'graded'`,
    [submission.id],
  );

  // From here on the model would judge otherwise.
  model.know({ ...truthOf('average'), judgements: strict() });
  model.behave([]);
  await service.startWorker();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(expectPaidOnce(model, death).repeated).toHaveLength(6);
  // What the run used is that of both deliveries, but for the calls that nobody heard the end of.
  const [run] = await behind.query<{ calls: number; prompts: string[] }>(
    `select (usage->>'calls')::int as calls, grader->'prompt_versions' as prompts from runs where submission_id = $1`,
    [submission.id],
  );
  expect(run?.calls).toBe(model.calls.length - 6);
  expect(run?.prompts.map((version) => version.split('/')[0])).toEqual([
    'align_answers',
    'judge_answer',
    'make_rubric',
    'read_pages',
  ]);
  const after = await resultOf(service.api, submission.id);
  // Of two deliveries, each record rests on what it was recorded with.
  const { outcome, differences } = await replayOf(service.environment, submission.id);
  expect(differences).toEqual([]);
  expect(outcome.submission?.totals).toEqual(after.totals);
  expect(before).toHaveLength(4);
  for (const { question_id, awarded } of before) {
    expect(after.questions.find((question) => question.question_id === question_id)).toMatchObject({
      awarded,
    });
  }
  expect(after.totals.awarded).toBe(after.questions.reduce((sum, { awarded }) => sum + (awarded ?? 0), 0));
});

/** A model that gives no mark to anything. */
const strict = () =>
  Object.fromEntries(
    copyTruth('average').questions.map(({ label, criteria }) => [label, { awards: criteria.map(() => 0) }]),
  );

test('3.7 a worker killed while it draws the checked copy: another draws it without a single model call', async () => {
  const worker = await service.startWorker();
  const submission = await submitCopy();
  await eventually('every question is judged', async () => {
    const [row] = await behind.query<{ judged: boolean }>(
      `select count(*) = 12 as judged from question_results t join runs r on r.id = t.run_id where r.submission_id = $1`,
      [submission.id],
    );
    return row?.judged;
  });
  const death = await deathOf(worker, submission);

  await service.startWorker();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(model.calls).toHaveLength(death.calls);
  const { checked_copy } = await resultOf(service.api, submission.id);
  expect(checked_copy.available).toBe(true);
  const pdf = await service.api.download(`/submissions/${submission.id}/checked-copy`);
  expect(new TextDecoder('latin1').decode(pdf.slice(0, 5))).toBe('%PDF-');
});

test('3.7 SIGTERM with time to drain: the copy in hand is finished, the next one is left to others', async () => {
  model.behave([{ schemaName: 'judge_answer', behaviour: { kind: 'slow', ms: 400 } }]);
  const worker = await service.startWorker({ DRAIN_SECONDS: '30' });
  const inHand = await submitCopy();
  const next = await submitCopy();
  await model.waitFor((calls) => calls.some(({ schemaName }) => schemaName === 'judge_answer'), 20_000);
  worker.signal('SIGTERM');
  expect(await worker.exited, worker.output()).toBe(0);
  await expectGradedOnce(service.api, behind, inHand.id);
  expect(await behind.runOf(inHand.id)).toMatchObject({ worker: nameOf(worker), dead_leases: 0 });
  expect(await behind.runOf(next.id)).toMatchObject({ worker: null, claimed_at: null });

  model.behave([]);
  await service.startWorker();
  await untilOver(service.api, next.id);
  await expectGradedOnce(service.api, behind, next.id);
});

test('3.7 SIGTERM with no time to drain: the worker lets go at once and another takes over', async () => {
  answerOnly(model, (name) => !name.startsWith('question'));
  const worker = await service.startWorker({ DRAIN_SECONDS: '0', QUESTION_CONCURRENCY: '6' });
  const submission = await submitCopy();
  // All that it asks at once: what is still on its way to the model could not be told from the next worker's calls.
  await model.waitFor(
    (calls) => calls.filter(({ schemaName }) => schemaName === 'judge_answer').length === 6,
    20_000,
  );
  const sent = performance.now();
  worker.signal('SIGTERM');
  expect(await worker.exited, worker.output()).toBe(0);
  expect(performance.now() - sent).toBeLessThan(3000);
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
  const death = { calls: model.calls.length, recorded: await behind.recordedCalls(submission.id) };
  expect(await behind.runOf(submission.id), 'no lease has to run out').not.toMatchObject({
    status: 'claimed',
  });

  model.behave([]);
  await service.startWorker();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expectPaidOnce(model, death);
  // A worker that was told to stop is no worker that died: deployments do not use up a run's lives.
  expect(await behind.runOf(submission.id)).toMatchObject({ dead_leases: 0 });
});

test('3.7 SIGTERM while a claim is under way: the run that comes too late is handed back, not begun', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const submission = await submitTyped();
  await eventually(
    'its message is out',
    async () => (await behind.runOf(submission.id)).status === 'released' && (await inLane('typed')) > 0,
  );
  service.core().signal('SIGSTOP');
  const worker = await service.startWorker({ DRAIN_SECONDS: '0' });
  await eventually('the worker has the message', async () => (await inHand('typed')) === 1);
  worker.signal('SIGTERM');
  await eventually('it is told to stop', async () => worker.output().includes('stopping'));
  service.core().signal('SIGCONT');
  expect(await worker.exited, worker.output()).toBe(0);
  expect(model.calls).toEqual([]);

  model.behave([]);
  await service.startWorker();
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(await behind.runOf(submission.id)).toMatchObject({ dead_leases: 0 });
});

/** Messages of a lane that nobody has acknowledged. A run is released a moment before its message is out. */
const inLane = async (lane: string): Promise<number> => {
  const nats = await natsOf(service.environment);
  try {
    const manager = await jetstreamManager(nats);
    return (await manager.streams.info(`${service.environment['LANE_NAMESPACE']}_${lane}`)).state.messages;
  } finally {
    await nats.close();
  }
};

/** Messages of a lane that workers have taken and not yet acknowledged. */
const inHand = async (lane: string): Promise<number> => {
  const nats = await natsOf(service.environment);
  try {
    const name = `${service.environment['LANE_NAMESPACE']}_${lane}`;
    const manager = await jetstreamManager(nats);
    // There is no consumer before the first worker has made it.
    return await manager.consumers.info(name, name).then(
      ({ num_ack_pending }) => num_ack_pending,
      () => 0,
    );
  } finally {
    await nats.close();
  }
};

test('3.7 a worker that slept past its lease is refused: the marks are those of the worker that took over', async () => {
  const slowly = [{ schemaName: 'judge_answer', behaviour: { kind: 'slow' as const, ms: 1500 } }];
  const judging = (from: number) => (calls: ModelServer['calls']) =>
    calls.slice(from).filter(({ schemaName }) => schemaName === 'judge_answer').length >= 5;
  model.behave(slowly);
  const sleeper = await service.startWorker();
  const submission = await submitTyped();
  await model.waitFor(judging(0), 20_000);
  sleeper.signal('SIGSTOP');
  const seenBySleeper = model.calls.length;
  // Its answers, full marks, wait for it in its sockets.
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));

  const zero = { awards: [0, 0, 0, 0, 0, 0] };
  model.know({ judgements: { '6': zero, '7(a)': zero, '7(b)': zero, '8': zero, '9': zero } });
  const successor = await service.startWorker();
  await model.waitFor(judging(seenBySleeper), 20_000);
  sleeper.signal('SIGCONT');
  await untilOver(service.api, submission.id);
  await expectGradedOnce(service.api, behind, submission.id);
  expect(await behind.runOf(submission.id)).toMatchObject({ worker: nameOf(successor), dead_leases: 1 });
  const { questions } = await resultOf(service.api, submission.id);
  const judged = questions.filter(({ source }) => source === 'ai');
  expect(judged.map(({ awarded }) => awarded)).toEqual([0, 0, 0, 0, 0]);

  // The sleeper is well: it takes the next run.
  await successor.kill();
  model.behave([]);
  const another = await submitTyped();
  await untilOver(service.api, another.id);
  expect(await behind.runOf(another.id)).toMatchObject({ worker: nameOf(sleeper) });
});

test('3.7 a run that outlives three workers fails, releases its credits, and is not given to a fourth', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const submission = await submitTyped();
  for (const death of [1, 2, 3]) {
    const before = model.calls.length;
    const worker = await service.startWorker();
    await model.waitFor((calls) => calls.length > before, 20_000);
    await worker.kill();
    await eventually(
      `dead lease ${death}`,
      async () => (await behind.runOf(submission.id)).dead_leases === death,
    );
  }
  await untilOver(service.api, submission.id);
  await expectReleased(service.api, behind, submission.id, 'grading_failed');
  const ended = await behind.runOf(submission.id);

  model.reset();
  await service.startWorker();
  const healthy = await submitTyped();
  await untilOver(service.api, healthy.id);
  await expectGradedOnce(service.api, behind, healthy.id);
  expect(await behind.runOf(submission.id), 'nobody has touched it since').toEqual(ended);
});
