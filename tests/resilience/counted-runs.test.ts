import { metrics } from '@evaluation/platform/telemetry';
import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, untilOver } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { testWorker, type TestClaim } from '../harness/testWorker.ts';
import { eventually } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { startIdleService } from '../harness/tenant.ts';

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));
// Other test files of this process have counted too.
metrics.runsFinished.reset();

/** The service runs in this process, so its counters can be read here. */
const counted = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await metrics.runsFinished.get()).values.map(({ labels, value }) => [
      `${labels.lane} ${labels.outcome}`,
      value,
    ]),
  );

test('each ended run is counted once, by outcome, whether a client, a worker or the dispatcher ended it', async () => {
  const exam = await createExam(service.api, typedExam([longAnswer('1')]));
  const worker = testWorker(service);
  const take = async (name: string): Promise<{ id: string; held: TestClaim }> => {
    const { id } = await submit(service.api, exam.id, {
      candidate: { external_id: name },
      answers: [{ question_label: '1', text: 'An answer.' }],
    });
    return { id, held: await worker.claim(id) };
  };
  const completed = await take('completed');
  await completed.held.complete(1);
  expect(await completed.held.complete()).toBe('lost');
  expect(await counted()).toEqual({ 'typed completed': 1 });

  // No question could be marked: the worker completes the run, and it counts as failed.
  const unmarked = await take('unmarked');
  await unmarked.held.complete('failed');
  expect((await untilOver(service.api, unmarked.id)).status).toBe('failed');
  expect(await counted()).toEqual({ 'typed completed': 1, 'typed failed': 1 });

  const given = await take('given up');
  await given.held.fail('broke_down');
  expect(await counted()).toEqual({ 'typed completed': 1, 'typed failed': 2 });

  const abandoned = await take('abandoned');
  await behind(
    service.database,
    `update runs set deadline_at = now() - interval '1 second' where submission_id = $1`,
    [abandoned.id],
  );
  await untilOver(service.api, abandoned.id);
  await eventually('the count', async () => (await counted())['typed failed'] === 3);

  const cancelled = await take('cancelled');
  await service.api.post(`/submissions/${cancelled.id}/cancel`);
  expect(await counted()).toEqual({ 'typed completed': 1, 'typed failed': 3, 'typed cancelled': 1 });
});
