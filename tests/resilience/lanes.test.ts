import { randomUUID } from 'node:crypto';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { openLanes } from '@evaluation/lanes';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExam, submit, untilOver, type ApiClient } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer } from '../harness/papers.ts';
import { startService, type TestService } from '../harness/service.ts';
import { expectEachGradedOnce, expectGradedOnce } from './expectations.ts';
import { multiply } from './manyRuns.ts';
import { startModelGate } from './modelGate.ts';
import { inLane, natsOf } from './nats.ts';

/*
 * NATS loses all messages, delivers them twice, or one institute fills a lane: PostgreSQL decides which runs are graded
 * (docs/architecture.md#dispatch).
 */

let service: TestService;
let behind: BehindTheApi;

const model = closedAfterTests(await startModelServer());
const gate = closedAfterTests(await startModelGate(model.baseUrl));
beforeEach(() => {
  model.reset();
  gate.release();
});

const start = async (settings: Record<string, string>): Promise<void> => {
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: gate.baseUrl,
    INSPECT_CONCURRENCY: '0',
    // Long enough that no lease expires on a busy machine.
    LEASE_SECONDS: '300',
    ...settings,
  });
  behind = lookBehind(service.database);
};
const stop = async (): Promise<void> => {
  await behind.close();
  await service.close();
};

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

/** Answers have words of their own, since equal answers are judged once. */
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

const OF_EXAM = 'submission_id in (select id from submissions where exam_id = $1)';

const runsByStatus = async (examId: string): Promise<Record<string, number>> => {
  const rows = await behind.query<{ status: string; runs: number }>(
    `select status, count(*)::int as runs from runs where ${OF_EXAM} group by 1`,
    [examId],
  );
  return Object.fromEntries(rows.map(({ status, runs }) => [status, runs]));
};

describe('with five workers', () => {
  const WORKERS = 5;
  const UNCLAIMED_SECONDS = 5;
  beforeAll(() =>
    start({ TYPED_CONCURRENCY: String(WORKERS), UNCLAIMED_SECONDS: String(UNCLAIMED_SECONDS) }),
  );
  afterAll(stop);

  /** Waits until each worker has a run whose model call is held back, and the next run waits in the lane. */
  const untilFull = (examId: string, queued: number) =>
    eventually('the lane is as full as it gets', async () => {
      const runs = await runsByStatus(examId);
      if (runs['claimed'] !== WORKERS || runs['released'] !== WORKERS || (runs['queued'] ?? 0) !== queued)
        return false;
      const { messages, taken } = await inLane(service.environment, 'typed');
      return messages === WORKERS && taken === 0;
    });

  test(
    'the whole JetStream store is deleted with 200 runs queued and 5 running: each is graded and charged once',
    { timeout: 300_000 },
    async () => {
      gate.hold();
      const exam = await shortExam(service.api);
      const first = await submitShort(service.api, exam.id, 'FIRST');
      await multiply(service.database, first.id, 204);
      await model.waitFor((calls) => calls.length === WORKERS);
      await untilFull(exam.id, 195);

      const nats = await natsOf(service.environment);
      const manager = await jetstreamManager(nats);
      for (const lane of ['copy', 'typed', 'inspect'])
        await manager.streams.delete(`${service.environment['LANE_NAMESPACE']}_${lane}`);
      await nats.close();
      // Age the runs as if their messages had been missing for long.
      const lost = await behind.query<{ id: string }>(
        `update runs set released_at = released_at - interval '1 hour'
       where status = 'released' and ${OF_EXAM} returning id`,
        [exam.id],
      );
      expect(lost).toHaveLength(5);
      expect(await runsByStatus(exam.id)).toEqual({ queued: 195, released: 5, claimed: 5 });

      gate.release();
      await eventually(
        'all are over',
        async () => (await runsByStatus(exam.id))['completed'] === 205,
        200_000,
      );
      await expectEachGradedOnce(behind, exam.id, 205);
      await expectGradedOnce(service.api, behind, first.id);
      expect(model.calls, 'each question was judged once').toHaveLength(205);
      const again = await behind.query<{ id: string }>(
        `select id from runs where delivery > 1 and ${OF_EXAM}`,
        [exam.id],
      );
      const ids = (runs: { id: string }[]) => runs.map(({ id }) => id).toSorted();
      expect(ids(again), 'those whose message was lost, and no others, were published twice').toEqual(
        ids(lost),
      );
    },
  );

  test('runs that wait for busy workers are not published again, however long they wait', async () => {
    gate.hold();
    const exam = await shortExam(service.api);
    const submissions = await submitMany(service.api, exam.id, 2 * WORKERS);
    await untilFull(exam.id, 0);
    await eventually('they have waited long in the lane', async () => {
      const [overdue] = await behind.query<{ runs: number }>(
        `select count(*)::int as runs from runs where status = 'released' and ${OF_EXAM}
         and released_at < now() - make_interval(secs => $2)`,
        [exam.id, UNCLAIMED_SECONDS + 2],
      );
      return overdue?.runs === WORKERS;
    });
    gate.release();
    for (const { id } of submissions) await untilOver(service.api, id);
    expect(
      await behind.query(`select delivery, count(*)::int as runs from runs where ${OF_EXAM} group by 1`, [
        exam.id,
      ]),
    ).toEqual([{ delivery: 1, runs: submissions.length }]);
  });

  test('a lane that accepts no messages for a while: runs keep their order, and are graded when it does', async () => {
    const nats = await natsOf(service.environment);
    const manager = await jetstreamManager(nats);
    const stream = `${service.environment['LANE_NAMESPACE']}_typed`;
    await manager.streams.update(stream, { max_bytes: 1, discard: DiscardPolicy.New });
    const exam = await shortExam(service.api);
    const submissions = await submitMany(service.api, exam.id, 3);
    await eventually('it was tried more than once', async () => {
      const [tried] = await behind.query<{ deliveries: number }>(
        `select max(delivery) as deliveries from runs where ${OF_EXAM}`,
        [exam.id],
      );
      return (tried?.deliveries ?? 0) > 1;
    });
    await manager.streams.update(stream, { max_bytes: -1, discard: DiscardPolicy.Old });
    await nats.close();
    for (const { id } of submissions) await untilOver(service.api, id);
    await expectEachGradedOnce(behind, exam.id, submissions.length);
  });

  test('a run whose message is delivered again before, during and after grading: graded once, one set of model calls', async () => {
    const echoed = Promise.withResolvers<void>();
    model.behave([{ behaviour: { kind: 'held', until: echoed.promise } }]);
    const lanes = openLanes({
      url: service.environment['NATS_URL'] ?? '',
      namespace: service.environment['LANE_NAMESPACE'] ?? '',
      name: 'core',
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
      echoed.resolve();
      await untilOver(service.api, submission.id);
      await again();
      await taken();
      // Messages of a lane are delivered in order: once a later run is done, the repeated messages have been handled.
      const later = await submitShort(service.api, exam.id, 'ONCE');
      await untilOver(service.api, later.id);

      await expectGradedOnce(service.api, behind, submission.id);
      expect(await behind.runOf(submission.id)).toMatchObject({ fence: 1, dead_leases: 0 });
      expect(model.calls).toHaveLength(2);
    } finally {
      await lanes.close();
    }
  });

  // Last test: most of the 2000 runs are never graded.
  test('an institute’s first run is started within two job lengths, although another institute has 2000 runs in the lane', async () => {
    model.behave([{ behaviour: { kind: 'slow', ms: 400 } }]);
    const other = await service.newInstitute();
    const exam = await shortExam(service.api);
    const othersExam = await shortExam(other.api);
    const first = await submitShort(service.api, exam.id, 'A-1');
    await multiply(service.database, first.id, 1999);
    // Each worker has begun its third run.
    await model.waitFor((calls) => calls.length > 3 * WORKERS);
    // Nothing else happens while the other run is accepted, so the job length is the model's time alone.
    gate.hold();
    await eventually('every worker is busy, and its next run waits', async () => {
      const { claimed, released } = await runsByStatus(exam.id);
      return claimed === WORKERS && released === WORKERS;
    });
    const single = await submitShort(other.api, othersExam.id, 'B-1');
    gate.release();
    await untilOver(other.api, single.id);

    const [order] = await behind.query<{ waiting: number; before: number }>(
      `select
         count(*) filter (where a.claimed_at is null or a.claimed_at > b.queued_at)::int as waiting,
         count(*) filter (where a.claimed_at > b.queued_at and a.claimed_at < b.claimed_at)::int as before
       from runs a, (select queued_at, claimed_at from runs where submission_id = $1) b
       where a.submission_id in (select id from submissions where exam_id = $2)`,
      [single.id, exam.id],
    );
    expect(order?.waiting, 'nearly all of the 2000 were waiting').toBeGreaterThan(1900);
    expect(order?.before, 'two job lengths, in runs that workers start in them').toBeLessThanOrEqual(
      2 * WORKERS,
    );
  });
});

describe('with few calls to the model', () => {
  beforeAll(() =>
    start({ COPY_CONCURRENCY: '2', COPY_MODEL_CALLS: '1', TYPED_CONCURRENCY: '2', TYPED_MODEL_CALLS: '1' }),
  );
  afterAll(stop);

  test('copies that hang at the model leave typed answers the full capacity of their own lane', async () => {
    model.behave([{ schemaName: 'read_pages', behaviour: { kind: 'hang' } }]);
    const copyExam = await createExam(service.api, handwrittenExam({ questions: [longAnswer('1')] }));
    for (const candidate of ['COPY-1', 'COPY-2', 'COPY-3']) {
      await submit(service.api, copyExam.id, {
        candidate: { external_id: candidate },
        upload_id: await uploadInspected(service.api, service.database, 1),
      });
    }
    await model.waitFor((calls) => calls.length === 1);
    await eventually(
      'both of the lane are busy with copies',
      async () => (await runsByStatus(copyExam.id))['claimed'] === 2,
    );
    const exam = await shortExam(service.api);
    for (const typed of await submitMany(service.api, exam.id, 5)) {
      expect(await untilOver(service.api, typed.id)).toMatchObject({ status: 'graded' });
    }
    expect(model.calls.filter(({ schemaName }) => schemaName === 'read_pages')).toMatchObject([
      { endedAt: null },
    ]);
  });
});
