import { BY_BATCH, closedAfterTests, startModelServer } from '@evaluation/test-services';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { expect, test } from 'vitest';
import { createExam, submit, untilOver } from '../harness/api.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { startSplitService, type Program } from '../harness/processes.ts';
import { expectEachGradedOnce, expectGradedOnce } from './expectations.ts';
import { multiply } from './manyRuns.ts';

/* Typed answers are graded in batches; workers that wait for a batch are killed or stopped. */

const SUBMISSIONS = 50;
const LABELS = ['1', '2'];

const model = closedAfterTests(await startModelServer());
const service = closedAfterTests(
  await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    SECOND_LOOK: 'never',
    TYPED_MODEL_BATCHES: 'on',
    TYPED_DEADLINE_SECONDS: '14400',
    MODEL_BATCH_SECONDS: '1',
    MODEL_BATCH_POLL_SECONDS: '1',
    COPY_CONCURRENCY: '0',
    INSPECT_CONCURRENCY: '0',
    DRAW_CONCURRENCY: '0',
  }),
);
const behind = closedAfterTests(lookBehind(service.database));

const newExam = (): Promise<Exam> =>
  createExam(service.api, typedExam(LABELS.map((label) => longAnswer(label))));

const submitTyped = (exam: Exam, candidate: string): Promise<Submission> =>
  submit(service.api, exam.id, {
    candidate: { external_id: candidate },
    answers: LABELS.map((label) => ({
      question_label: label,
      text: `To ${label} I say this, ${candidate}.`,
    })),
  });

const lines = (): string[] => model.batches.seen.flatMap((batch) => batch.lines);

const runsHeldBy = async (worker: Program): Promise<number> => {
  const [row] = await behind.query<{ held: number }>(
    `select count(*)::int as held from runs where status = 'claimed' and worker like '%/' || $1`,
    [String(worker.pid)],
  );
  return row?.held ?? 0;
};

test('50 typed submissions are graded by batches that outlive two workers, and no line is sent twice', async () => {
  model.batches.behave({ kind: 'held' });
  const killed = await service.startWorker();
  const exam = await newExam();
  const first = await submitTyped(exam, 'BATCH-1');
  await multiply(service.database, first.id, SUBMISSIONS - 1);
  const all = SUBMISSIONS * LABELS.length;
  await eventually('each question is in a batch', async () => lines().length === all);

  await killed.kill();
  await behind.query(
    `update runs set lease_until = clock_timestamp() - interval '1 second' where status = 'claimed'`,
  );
  const stopped = await service.startWorker();
  await eventually('its runs are taken again', async () => (await runsHeldBy(stopped)) === SUBMISSIONS);
  stopped.signal('SIGTERM');
  expect(await stopped.exited).toBe(0);

  const last = await service.startWorker();
  await eventually('and again', async () => (await runsHeldBy(last)) === SUBMISSIONS);
  model.batches.behave({ kind: 'at_once' });
  await eventually('all are graded', async () => (await runsHeldBy(last)) === 0);
  await expectEachGradedOnce(behind, exam.id, SUBMISSIONS);

  expect(lines()).toHaveLength(all);
  expect(new Set(lines()).size).toBe(all);
  expect(model.calls.map(({ authorization }) => authorization)).toEqual(Array(all).fill(BY_BATCH));
  const usage = await behind.query(
    `select distinct (r.usage->>'calls')::int as calls from runs r join submissions s on s.id = r.submission_id where s.exam_id = $1`,
    [exam.id],
  );
  expect(usage).toEqual([{ calls: LABELS.length }]);
  await service.killWorkers();
});

test('a submission cancelled while its batch is under way is released at once, and the others go on', async () => {
  model.reset();
  model.batches.behave({ kind: 'held' });
  const worker = await service.startWorker();
  const exam = await newExam();
  const [cancelled, other] = [await submitTyped(exam, 'STOP-1'), await submitTyped(exam, 'STAY-1')];
  await eventually('both are in batches', async () => lines().length === 2 * LABELS.length);
  await service.api.post(`/submissions/${cancelled.id}/cancel`);
  expect(await untilOver(service.api, cancelled.id)).toMatchObject({
    status: 'cancelled',
    credits_charged: null,
  });
  model.batches.behave({ kind: 'at_once' });
  await expectGradedOnce(service.api, behind, other.id);
  expect(await behind.entriesOf(cancelled.id)).toMatchObject([{ kind: 'reserve' }, { kind: 'release' }]);

  model.reset();
  model.batches.behave({ kind: 'held' });
  const alone = await submitTyped(exam, 'ALONE-1');
  await eventually('it is in a batch', async () => lines().length === LABELS.length);
  await service.api.post(`/submissions/${alone.id}/cancel`);
  await eventually('a batch that is not wanted is cancelled', async () =>
    model.batches.seen.every(({ status }) => status === 'cancelled'),
  );
  worker.signal('SIGTERM');
  expect(await worker.exited).toBe(0);
});
