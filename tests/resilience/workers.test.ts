import { hostname } from 'node:os';
import { closedAfterTests, newBucket, startModelServer } from '@evaluation/test-services';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { startSplitService, type Program } from '../harness/processes.ts';
import { replayOf } from '../harness/replayOf.ts';
import { startStoreProxy } from '../harness/storeProxy.ts';
import { expectGradedOnce, expectReleased } from './expectations.ts';
import { inLane } from './nats.ts';
import { answerOnly, expectPaidOnce, nameOfCall } from './modelCalls.ts';

/*
 * Separate worker processes, stopped or killed at different points of a run. Core and facade run for the whole file;
 * the model withholds answers where a test needs time. A worker that is still running after a test serves the next one,
 * since a start takes a second of CPU.
 */

const PAGES = 5;
/** One question on each page of a copy. At most `AT_ONCE` of them are at the model at the same time. */
const QUESTIONS = ['1', '2', '3', '4', '5'];
const AT_ONCE = 2;

let copyExam: Exam;
let answerExam: Exam;
let idle: { worker: Program; drainSeconds: number } | undefined;

const newCopyExam = (): Promise<Exam> =>
  createExam(
    service.api,
    handwrittenExam({
      // The first question has neither rubric nor model answer: the first run makes its rubric.
      questions: QUESTIONS.map((label) => longAnswer(label, label === '1' ? { model_answer: null } : {})),
    }),
  );

const model = closedAfterTests(await startModelServer());
const store = closedAfterTests(await startStoreProxy((await newBucket()).endpoint));
const service = closedAfterTests(
  await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    S3_ENDPOINT: store.endpoint,
    INSPECT_CONCURRENCY: '0',
    COPY_CONCURRENCY: '1',
    TYPED_CONCURRENCY: '1',
    QUESTION_CONCURRENCY: String(AT_ONCE),
  }),
);
const behind = closedAfterTests(lookBehind(service.database));

beforeAll(async () => {
  copyExam = await newCopyExam();
  answerExam = await createExam(service.api, typedExam(QUESTIONS.map((label) => longAnswer(label))));
});
beforeEach(async () => {
  model.reset();
  await behind.forgetJudgements();
});
afterEach(async () => {
  if (idle === undefined) await service.killWorkers();
});

/** Starts the only worker, or takes the idle one. */
const takeWorker = async (drainSeconds = idle?.drainSeconds ?? 0): Promise<Program> => {
  const left = idle;
  idle = undefined;
  if (left?.drainSeconds === drainSeconds) return left.worker;
  await service.killWorkers();
  return startWorker(drainSeconds);
};

const startWorker = (drainSeconds = 0): Promise<Program> =>
  service.startWorker({ DRAIN_SECONDS: String(drainSeconds) });

/** Starts another worker, which finishes the run and serves the next test too. */
const finishByAnother = async ({ id }: Submission, drainSeconds = 0): Promise<void> => {
  idle = { worker: await startWorker(drainSeconds), drainSeconds };
  await expectGradedOnce(service.api, behind, id);
};

let candidates = 0;

const submitCopy = async (exam = copyExam): Promise<Submission> => {
  candidates += 1;
  return submit(service.api, exam.id, {
    candidate: { external_id: `KILL-${candidates}` },
    upload_id: await uploadInspected(service.api, service.database, PAGES),
  });
};

/** Each answer contains its candidate's id, by which a test finds its model calls. */
const submitTyped = async (): Promise<Submission> => {
  candidates += 1;
  return submit(service.api, answerExam.id, {
    candidate: { external_id: `KILL-${candidates}` },
    answers: QUESTIONS.map((label) => ({
      question_label: label,
      text: `To ${label} I say this, signed KILL-${candidates}.`,
    })),
  });
};

/** Kills the worker. @returns stored outcomes and the model's calls at that moment */
const deathOf = async (
  worker: Program,
  submission: Submission,
): Promise<{ calls: number; recorded: string[] }> => {
  await worker.kill();
  expect(await behind.runOf(submission.id), 'it died in the middle').toMatchObject({ status: 'claimed' });
  return { calls: model.calls.length, recorded: await behind.recordedCalls(submission.id) };
};

/** Expires the lease of a dead worker. The first test with a killed worker waits for a real expiry. */
const endLease = (submission: Submission) =>
  behind.query(
    `update runs set lease_until = clock_timestamp() - interval '1 second'
     where submission_id = $1 and status = 'claimed'`,
    [submission.id],
  );

const nameOf = (worker: Program): string => `${hostname()}/${worker.pid}`;

test('SIGTERM while a claim is under way: the late run is handed back and not begun', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const submission = await submitTyped();
  // A run is released a moment before its message is published.
  await eventually(
    'its message is out',
    async () => (await behind.runOf(submission.id)).status === 'released' && (await typedLane()).messages > 0,
  );
  service.core().signal('SIGSTOP');
  const worker = await startWorker();
  await eventually('the worker has the message', async () => (await typedLane()).taken === 1);
  worker.signal('SIGTERM');
  await eventually('the worker is stopping', async () => isStopping(worker));
  service.core().signal('SIGCONT');
  expect(await worker.exited, worker.output()).toBe(0);
  expect(model.calls).toEqual([]);

  model.behave([]);
  await finishByAnother(submission);
  expect(await behind.runOf(submission.id)).toMatchObject({ dead_leases: 0 });
});

const typedLane = () => inLane(service.environment, 'typed');
const isStopping = (worker: Program): boolean => worker.output().includes('stopping');

test('SIGTERM with no time to drain: the worker hands the run back at once and another takes over', async () => {
  answerOnly(model, (_name, earlier) => earlier < 1);
  const worker = await takeWorker(0);
  const submission = await submitTyped();
  // Waits for all parallel calls, because a later one could be mistaken for a call of the next worker.
  await model.waitFor((calls) => calls.length === 1 + AT_ONCE);
  worker.signal('SIGTERM');
  // The worker exits although the model does not answer.
  expect(await worker.exited, worker.output()).toBe(0);
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
  const death = { calls: model.calls.length, recorded: await behind.recordedCalls(submission.id) };
  expect(death.recorded).toHaveLength(1);
  expect(await behind.runOf(submission.id), 'no lease has to run out').not.toMatchObject({
    status: 'claimed',
  });

  model.behave([]);
  await finishByAnother(submission, 60);
  expect(expectPaidOnce(model, death).repeated).toHaveLength(AT_ONCE);
  // A stopped worker does not count as a dead one, so deployments do not use up a run's attempts.
  expect(await behind.runOf(submission.id)).toMatchObject({ dead_leases: 0 });
});

test('SIGTERM with time to drain: the claimed copy is finished, the next one is left to other workers', async () => {
  const stopped = Promise.withResolvers<void>();
  model.behave([{ schemaName: 'judge_answer', behaviour: { kind: 'held', until: stopped.promise } }]);
  const worker = await takeWorker(60);
  const inHandThen = await submitCopy();
  const next = await submitCopy();
  await model.waitFor((calls) => calls.some(({ schemaName }) => schemaName === 'judge_answer'));
  worker.signal('SIGTERM');
  await eventually('the worker is stopping', async () => isStopping(worker));
  stopped.resolve();
  expect(await worker.exited, worker.output()).toBe(0);
  await expectGradedOnce(service.api, behind, inHandThen.id);
  expect(await behind.runOf(inHandThen.id)).toMatchObject({ worker: nameOf(worker), dead_leases: 0 });
  expect(await behind.runOf(next.id)).toMatchObject({ worker: null, claimed_at: null });

  model.behave([]);
  await finishByAnother(next);
});

test('a worker killed while it reads pages: another finishes, and only the batch under way is read again', async () => {
  answerOnly(model, (name) => name === 'pages 1');
  const worker = await takeWorker();
  const submission = await submitCopy();
  await model.waitFor((calls) => calls.length === 2);
  await eventually('one batch is stored', async () =>
    (await behind.recordedCalls(submission.id)).includes('pages 1'),
  );
  const death = await deathOf(worker, submission);
  expect(death.recorded).toEqual(['pages 1']);

  model.behave([]);
  await finishByAnother(submission);
  expect(expectPaidOnce(model, death).repeated).toEqual(['pages 5']);
});

test('a worker killed while it judges: recorded questions keep their marks and are not judged again', async () => {
  const judged = 2;
  answerOnly(model, (name, earlier) => !name.startsWith('question') || earlier < judged);
  const worker = await takeWorker();
  // An exam of its own, so that the first of the two workers makes its rubric.
  const submission = await submitCopy(await newCopyExam());
  const isQuestion = (name: string): boolean => name.startsWith('question');
  await eventually('some questions are judged and others under way', async () => {
    const recorded = (await behind.recordedCalls(submission.id)).filter(isQuestion);
    // A judgement is cached for other candidates a moment before its mark is recorded.
    const [marked] = await behind.query<{ all: boolean }>(
      `select count(*) = $2 as all from question_results t join runs r on r.id = t.run_id
       where r.submission_id = $1 and t.status = 'graded'`,
      [submission.id, judged],
    );
    const asked = model.calls.filter((call) => isQuestion(nameOfCall(call))).length;
    return recorded.length >= judged && marked?.all === true && asked >= judged + AT_ONCE;
  });
  const death = await deathOf(worker, submission);
  expect(death.recorded).toEqual(expect.arrayContaining(['pages 1', 'pages 5', 'alignment', 'rubric 1']));
  // Recorded marks are not shown before the run is complete.
  const before = await behind.query<{ question_id: string; awarded: number }>(
    `select t.question_id, t.awarded::float8 as awarded from question_results t join runs r on r.id = t.run_id
     where r.submission_id = $1 and t.status = 'graded'`,
    [submission.id],
  );
  expect(before.map(({ awarded }) => awarded)).toEqual(Array(judged).fill(2));

  // From here on the model would give other marks.
  model.know({ judgements: NOTHING });
  model.behave([]);
  await endLease(submission);
  await finishByAnother(submission);
  expect(expectPaidOnce(model, death).repeated).toHaveLength(AT_ONCE);
  // Token usage counts both deliveries, except calls whose answer was lost.
  const [run] = await behind.query<{ calls: number; prompts: string[] }>(
    `select (usage->>'calls')::int as calls, grader->'prompt_versions' as prompts from runs where submission_id = $1`,
    [submission.id],
  );
  expect(run?.calls).toBe(model.calls.length - AT_ONCE);
  expect(run?.prompts.map((version) => version.split('/')[0])).toEqual([
    'align_answers',
    'judge_answer',
    'make_rubric',
    'read_pages',
  ]);
  const after = await resultOf(service.api, submission.id);
  // With two deliveries, each record refers to the requests of its own delivery.
  const { outcome, differences } = await replayOf(service.environment, submission.id);
  expect(differences).toEqual([]);
  expect(outcome.submission?.totals).toEqual(after.totals);
  for (const { question_id, awarded } of before) {
    expect(after.questions.find((question) => question.question_id === question_id)).toMatchObject({
      awarded,
    });
  }
  // The remaining questions have the marks of the second worker.
  expect(after.totals.awarded).toBe(judged * 2);
  expect(after.totals.awarded).toBe(after.questions.reduce((sum, { awarded }) => sum + (awarded ?? 0), 0));
});

const NOTHING = Object.fromEntries(QUESTIONS.map((label) => [label, { awards: [0, 0] }]));

test('a worker killed while it draws the checked copy: another draws it without any model call', async () => {
  const worker = await takeWorker();
  const died = Promise.withResolvers<Awaited<ReturnType<typeof deathOf>>>();
  const submission = await submitCopy();
  store.beforeNext(
    ({ method, path }) => method === 'PUT' && path.includes('/checked-copies/'),
    () => deathOf(worker, submission).then(died.resolve, died.reject),
  );
  const death = await died.promise;
  const [judged] = await behind.query<{ all: boolean }>(
    `select count(*) = $2 as all from question_results t join runs r on r.id = t.run_id where r.submission_id = $1`,
    [submission.id, QUESTIONS.length],
  );
  expect(judged?.all, 'nothing but the checked copy is left to do').toBe(true);

  await endLease(submission);
  await finishByAnother(submission);
  expect(model.calls).toHaveLength(death.calls);
  const { checked_copy } = await resultOf(service.api, submission.id);
  expect(checked_copy.available).toBe(true);
  const pdf = await service.api.download(`/submissions/${submission.id}/checked-copy`);
  expect(new TextDecoder('latin1').decode(pdf.slice(0, 5))).toBe('%PDF-');
});

test('a worker that slept past its lease is refused: the marks are those of the worker that took over', async () => {
  const asleep = Promise.withResolvers<void>();
  model.behave([{ behaviour: { kind: 'held', until: asleep.promise } }]);
  const sleeper = await takeWorker();
  const submission = await submitTyped();
  const signature = `KILL-${candidates}.`;
  await model.waitFor((calls) => calls.length === AT_ONCE);
  sleeper.signal('SIGSTOP');
  // The model's answers, full marks, wait in the sockets of the sleeping worker.
  asleep.resolve();
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));

  const refused = Promise.withResolvers<void>();
  model.know({ judgements: NOTHING });
  model.behave(({ body }) =>
    JSON.stringify(body).includes(signature) ? { kind: 'held', until: refused.promise } : undefined,
  );
  await endLease(submission);
  const successor = await startWorker();
  await model.waitFor((calls) => calls.length === 2 * AT_ONCE);
  sleeper.signal('SIGCONT');
  // With one slot each and the other worker busy, the awakened worker takes the next run once it has lost the first.
  const another = await submitTyped();
  await untilOver(service.api, another.id);
  expect(await behind.runOf(another.id)).toMatchObject({ worker: nameOf(sleeper) });

  refused.resolve();
  await expectGradedOnce(service.api, behind, submission.id);
  expect(await behind.runOf(submission.id)).toMatchObject({ worker: nameOf(successor), dead_leases: 1 });
  const { questions } = await resultOf(service.api, submission.id);
  expect(questions.map(({ source, awarded }) => [source, awarded])).toEqual(QUESTIONS.map(() => ['ai', 0]));
  await sleeper.kill();
  idle = { worker: successor, drainSeconds: 0 };
});

test('a run that outlives three workers fails, its credits are refunded, and no fourth worker gets it', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const first = await takeWorker();
  const submission = await submitTyped();
  for (const death of [1, 2, 3]) {
    const worker = death === 1 ? first : await startWorker();
    await model.waitFor((calls) => calls.length === death * AT_ONCE);
    await worker.kill();
    await endLease(submission);
    await eventually(
      `dead lease ${death}`,
      async () => (await behind.runOf(submission.id)).dead_leases === death,
    );
  }
  await expectReleased(service.api, behind, submission.id, 'grading_failed');
  const ended = await behind.runOf(submission.id);

  model.reset();
  await startWorker();
  const healthy = await submitTyped();
  await expectGradedOnce(service.api, behind, healthy.id);
  expect(await behind.runOf(submission.id), 'the run is unchanged').toEqual(ended);
});
