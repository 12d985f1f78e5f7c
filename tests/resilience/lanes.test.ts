import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { openLanes } from '@evaluation/lanes';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createExam, submit, untilOver, type ApiClient } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { startService, type TestService } from '../harness/service.ts';
import { expectGradedOnce } from './expectations.ts';
import { natsOf } from './nats.ts';

/* The conveyor loses everything, or says everything twice, or one institute fills it: PostgreSQL decides (design 3.8). */

let model: ModelServer;
let service: TestService;
let behind: BehindTheApi;

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.close());
beforeEach(() => model.reset());
afterEach(async () => {
  await behind.close();
  await service.close();
});

const start = async (settings: Record<string, string>): Promise<void> => {
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
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

const submitShort = (api: ApiClient, examId: string, candidate: string): Promise<Submission> =>
  submit(api, examId, {
    candidate: { external_id: candidate },
    answers: [{ question_label: '1', text: 'Because it is less dense than water.' }],
  });

const submitMany = async (api: ApiClient, examId: string, count: number): Promise<Submission[]> => {
  const submissions: Submission[] = [];
  for (let at = 1; at <= count; at += 1) submissions.push(await submitShort(api, examId, `C-${at}`));
  return submissions;
};

test('3.8 the lane is deleted with 30 runs in it and some under way: each is graded once and charged once', async () => {
  await start({ UNCLAIMED_SECONDS: '1', LEASE_SECONDS: '5', TYPED_CONCURRENCY: '2', INSTITUTE_WINDOW: '64' });
  model.behave([{ behaviour: { kind: 'slow', ms: 1500 } }]);
  const exam = await shortExam(service.api);
  const submissions = await submitMany(service.api, exam.id, 30);
  await model.waitFor((calls) => calls.some(({ endedAt }) => endedAt === null));

  const nats = await natsOf(service.environment);
  const manager = await jetstreamManager(nats);
  const stream = `${service.environment['LANE_NAMESPACE']}_typed`;
  const { state } = await manager.streams.info(stream);
  expect(state.messages, 'most of them are in the lane').toBeGreaterThan(15);
  await manager.streams.delete(stream);
  await nats.close();

  model.behave([]);
  for (const { id } of submissions) await untilOver(service.api, id);
  for (const { id } of submissions) await expectGradedOnce(service.api, behind, id);
  expect(model.calls).toHaveLength(submissions.length);
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

test('3.8 one institute queues 40 runs and another one: the other is graded after a handful', async () => {
  await start({
    UNCLAIMED_SECONDS: '30',
    INSTITUTE_WINDOW: '2',
    LANE_WINDOW: '4',
    TYPED_CONCURRENCY: '1',
  });
  model.behave([{ behaviour: { kind: 'slow', ms: 150 } }]);
  const other = await service.newInstitute();
  const exam = await shortExam(service.api);
  const othersExam = await shortExam(other.api);
  await submitMany(service.api, exam.id, 40);
  const single = await submitShort(other.api, othersExam.id, 'B-1');
  await untilOver(other.api, single.id);

  const [order] = await behind.query<{ waiting: number; between: number }>(
    `select
       count(*) filter (where a.claimed_at is null or a.claimed_at > b.queued_at)::int as waiting,
       count(*) filter (where a.claimed_at > b.queued_at and a.claimed_at < b.claimed_at)::int as between
     from runs a, (select queued_at, claimed_at from runs where submission_id = $1) b
     where a.submission_id <> $1`,
    [single.id],
  );
  expect(order?.waiting, 'most of the 40 were still waiting').toBeGreaterThan(15);
  expect(order?.between).toBeLessThanOrEqual(4);
});
