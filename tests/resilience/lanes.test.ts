import { randomUUID } from 'node:crypto';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { openLanes } from '@evaluation/lanes';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createExam, submit, untilOver, uploadCopy, type ApiClient } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { startService, type TestService } from '../harness/service.ts';
import { copyPdf, examBody } from '../fixtures/fixtures.ts';
import { expectGradedOnce } from './expectations.ts';
import { multiply } from './manyRuns.ts';
import { truthOf } from './modelCalls.ts';
import { startModelGate, type ModelGate } from './modelGate.ts';
import { natsOf } from './nats.ts';

/* The conveyor loses everything, or says everything twice, or one institute fills it: PostgreSQL decides (design 3.8). */

// Hundreds of runs, on a machine that others may be using.
vi.setConfig({ testTimeout: 90_000 });

let model: ModelServer;
let gate: ModelGate;
let service: TestService;
let behind: BehindTheApi;

beforeAll(async () => {
  model = await startModelServer();
  gate = await startModelGate(model.baseUrl);
});
afterAll(async () => {
  await gate.close();
  await model.close();
});
beforeEach(() => {
  model.reset();
  gate.letGo();
});
afterEach(async () => {
  await behind.close();
  await service.close();
});

const start = async (settings: Record<string, string>): Promise<void> => {
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: gate.baseUrl,
    TICK_MS: '100',
    ...settings,
  });
  behind = lookBehind(service.database);
};

/** An exam of one long answer: one model call a submission. */
const shortExam = (api: ApiClient) =>
  createExam(api, {
    title: 'One question',
    mode: 'typed',
    level: 'school',
    questions: [
      {
        label: '1',
        type: 'long_answer',
        text: 'Why does ice float?',
        max_marks: 2,
        rubric: { criteria: [{ name: 'density', marks: 2 }] },
      },
    ],
  });

/** In each candidate's own words: the same answer is not judged twice. */
const submitShort = (api: ApiClient, examId: string, candidate: string): Promise<Submission> =>
  submit(api, examId, {
    candidate: { external_id: candidate },
    answers: [{ question_label: '1', text: `Because it is less dense than water, says ${candidate}.` }],
  });

const submitMany = async (api: ApiClient, examId: string, count: number): Promise<Submission[]> => {
  const submissions: Submission[] = [];
  for (let at = 1; at <= count; at += 1) submissions.push(await submitShort(api, examId, `C-${at}`));
  return submissions;
};

/** Jobs of the typed lane that nobody has claimed. */
const inLane = async (): Promise<number> => {
  const nats = await natsOf(service.environment);
  const manager = await jetstreamManager(nats);
  const { state } = await manager.streams.info(`${service.environment['LANE_NAMESPACE']}_typed`);
  await nats.close();
  return state.messages;
};

test('3.8 the whole JetStream store is deleted with 200 runs queued and 5 running: each is graded once and charged once', async () => {
  await start({ UNCLAIMED_SECONDS: '1', TYPED_CONCURRENCY: '5' });
  gate.hold();
  const exam = await shortExam(service.api);
  const submissions = await submitMany(service.api, exam.id, 205);
  await model.waitFor((calls) => calls.length === 5);
  await eventually('the lane is as full as it gets', async () => (await inLane()) === 5);

  const nats = await natsOf(service.environment);
  const manager = await jetstreamManager(nats);
  for (const lane of ['copy', 'typed', 'inspect'])
    await manager.streams.delete(`${service.environment['LANE_NAMESPACE']}_${lane}`);
  await nats.close();
  const standing = await behind.query('select status, count(*)::int as runs from runs group by 1 order by 1');
  expect(standing).toEqual([
    { status: 'queued', runs: 195 },
    { status: 'released', runs: 5 },
    { status: 'claimed', runs: 5 },
  ]);

  gate.letGo();
  for (const { id } of submissions) await untilOver(service.api, id);
  for (const { id } of submissions) await expectGradedOnce(service.api, behind, id);
  expect(model.calls, 'each question was judged once').toHaveLength(submissions.length);
  const again = await behind.query('select count(*)::int as runs from runs where delivery > 1');
  expect(again, 'those whose message was lost, and no others, were published twice').toEqual([{ runs: 5 }]);
});

test('3.7 runs that wait for busy workers are not published again, however long they wait', async () => {
  await start({ UNCLAIMED_SECONDS: '1', TYPED_CONCURRENCY: '2' });
  gate.hold();
  const exam = await shortExam(service.api);
  const submissions = await submitMany(service.api, exam.id, 6);
  await eventually('two runs have waited long in the lane', async () => {
    const [overdue] = await behind.query<{ runs: number }>(
      `select count(*)::int as runs from runs where status = 'released' and released_at < now() - interval '2 seconds'`,
    );
    return overdue?.runs === 2;
  });
  gate.letGo();
  for (const { id } of submissions) await untilOver(service.api, id);
  expect(await behind.query('select delivery, count(*)::int as runs from runs group by 1')).toEqual([
    { delivery: 1, runs: 6 },
  ]);
});

test('3.7 a lane that takes no message for a while: the runs wait in their places, and are graded when it does', async () => {
  await start({ TYPED_CONCURRENCY: '2' });
  const nats = await natsOf(service.environment);
  const manager = await jetstreamManager(nats);
  const stream = `${service.environment['LANE_NAMESPACE']}_typed`;
  await manager.streams.update(stream, { max_bytes: 1, discard: DiscardPolicy.New });
  const exam = await shortExam(service.api);
  const submissions = await submitMany(service.api, exam.id, 3);
  await eventually('it was tried more than once', async () => {
    const [tried] = await behind.query<{ deliveries: number }>(
      'select max(delivery) as deliveries from runs',
    );
    return (tried?.deliveries ?? 0) > 1;
  });
  await manager.streams.update(stream, { max_bytes: -1, discard: DiscardPolicy.Old });
  await nats.close();
  for (const { id } of submissions) await untilOver(service.api, id);
  for (const { id } of submissions) await expectGradedOnce(service.api, behind, id);
});

test('3.7 a run whose message comes again, before, during and after: one grading, one set of model calls', async () => {
  await start({ UNCLAIMED_SECONDS: '30', LEASE_SECONDS: '5', TYPED_CONCURRENCY: '4' });
  model.behave([{ behaviour: { kind: 'slow', ms: 300 } }]);
  const lanes = openLanes({
    url: service.environment['NATS_URL'] ?? '',
    namespace: service.environment['LANE_NAMESPACE'] ?? '',
    name: 'echo',
  });
  try {
    const exam = await shortExam(service.api);
    const submission = await submitShort(service.api, exam.id, 'TWICE');
    const { id: run_id, institute_id } = await behind.runOf(submission.id);
    const again = () =>
      lanes.publish('typed', { version: 1, run_id, institute_id, delivery: 1 }, randomUUID());
    const taken = () => eventually('the lane is empty', async () => (await lanes.depth('typed')) === 0);
    await Promise.all([again(), again()]);
    await model.waitFor((calls) => calls.length === 1);
    await Promise.all([again(), again()]);
    await taken();
    await untilOver(service.api, submission.id);
    await again();
    await taken();
    // The lane is in order: whatever the echoes did is done when a later run is.
    const later = await submitShort(service.api, exam.id, 'ONCE');
    await untilOver(service.api, later.id);

    await expectGradedOnce(service.api, behind, submission.id);
    expect(await behind.runOf(submission.id)).toMatchObject({ fence: 1, dead_leases: 0 });
    expect(model.calls).toHaveLength(2);
  } finally {
    await lanes.close();
  }
});

test('3.8 one institute has 2000 runs in a lane and another one: it is started within two job lengths', async () => {
  const workers = 4;
  await start({ TYPED_CONCURRENCY: String(workers) });
  model.behave([{ behaviour: { kind: 'slow', ms: 400 } }]);
  const other = await service.newInstitute();
  const exam = await shortExam(service.api);
  const othersExam = await shortExam(other.api);
  const first = await submitShort(service.api, exam.id, 'A-1');
  await multiply(service.database, first.id, 1999);
  // In full swing: the workers are on their third round at least.
  await model.waitFor((calls) => calls.length > 3 * workers);
  const single = await submitShort(other.api, othersExam.id, 'B-1');
  await untilOver(other.api, single.id);

  const [order] = await behind.query<{ waiting: number; before: number }>(
    `select
       count(*) filter (where a.claimed_at is null or a.claimed_at > b.queued_at)::int as waiting,
       count(*) filter (where a.claimed_at > b.queued_at and a.claimed_at < b.claimed_at)::int as before
     from runs a, (select queued_at, claimed_at from runs where submission_id = $1) b
     where a.submission_id <> $1`,
    [single.id],
  );
  expect(order?.waiting, 'nearly all of the 2000 were waiting').toBeGreaterThan(1900);
  expect(order?.before, 'two job lengths, in runs that workers start in them').toBeLessThanOrEqual(
    2 * workers,
  );
});

test('3.8 copies that hang at the model leave typed answers the whole of their own lane', async () => {
  await start({
    COPY_CONCURRENCY: '2',
    COPY_MODEL_CALLS: '1',
    TYPED_CONCURRENCY: '2',
    TYPED_MODEL_CALLS: '1',
  });
  model.know(truthOf('average'));
  model.behave([{ schemaName: 'read_pages', behaviour: { kind: 'hang' } }]);
  const copyExam = await createExam(service.api, examBody('science'));
  for (const candidate of ['COPY-1', 'COPY-2', 'COPY-3']) {
    await submit(service.api, copyExam.id, {
      candidate: { external_id: candidate },
      upload_id: await uploadCopy(service.api, copyPdf('average')),
    });
  }
  await model.waitFor((calls) => calls.length === 1);
  await eventually('both of the lane are busy with copies', async () => {
    const [claimed] = await behind.query<{ runs: number }>(
      `select count(*)::int as runs from runs where status = 'claimed'`,
    );
    return claimed?.runs === 2;
  });
  const exam = await shortExam(service.api);
  for (const typed of await submitMany(service.api, exam.id, 5)) {
    expect(await untilOver(service.api, typed.id)).toMatchObject({ status: 'graded' });
  }
  expect(model.calls.filter(({ schemaName }) => schemaName === 'read_pages')).toMatchObject([
    { endedAt: null },
  ]);
});
