import { closedAfterTests, startModelServer, type Behaviour } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { beforeEach, expect, test } from 'vitest';
import { createExam, submit, untilOver } from '../harness/api.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { startService } from '../harness/service.ts';
import { expectGradedOnce, expectReleased } from './expectations.ts';
import { startModelGate } from './modelGate.ts';

/*
 * The provider is down for longer than a run's deadline: runs under way fail, waiting runs do not
 * (docs/architecture.md#breaker-and-preflight).
 */

const WORKERS = 3;
const RUNS = 15;
/** Long enough for an answer on a busy machine. */
const DEADLINE_SECONDS = 6;

const model = closedAfterTests(await startModelServer());
const gate = closedAfterTests(await startModelGate(model.baseUrl));
const service = closedAfterTests(
  await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: gate.baseUrl,
    TYPED_CONCURRENCY: String(WORKERS),
    TYPED_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
  }),
);
const behind = closedAfterTests(lookBehind(service.database));
beforeEach(() => model.reset());

let candidates = 0;
/** Answers have words of their own, since equal answers are judged once. */
const submitRuns = async (count = RUNS): Promise<Submission[]> => {
  const exam = await createExam(service.api, typedExam([longAnswer('1')]));
  const submissions: Submission[] = [];
  while (submissions.length < count) {
    candidates += 1;
    submissions.push(
      await submit(service.api, exam.id, {
        candidate: { external_id: `C-${candidates}` },
        answers: [
          { question_label: '1', text: `Because it is less dense than water, says number ${candidates}.` },
        ],
      }),
    );
  }
  return submissions;
};

const runsThat = async (submissions: readonly Submission[], are: string): Promise<number> => {
  const [row] = await behind.query<{ runs: number }>(
    `select count(*)::int as runs from runs where submission_id = any($1) and ${are}`,
    [submissions.map(({ id }) => id)],
  );
  return row?.runs ?? 0;
};

/** Waits until two deadlines have passed since the first runs were claimed. */
const outlast = (submissions: readonly Submission[]) =>
  eventually(
    'two deadlines have passed',
    async () =>
      (await runsThat(submissions, `claimed_at < now() - interval '${2 * DEADLINE_SECONDS} seconds'`)) > 0,
  );

/** Checks that few runs failed and were not charged, and that the others waited and are graded. */
const expectTheOthersGraded = async (submissions: readonly Submission[]): Promise<void> => {
  let failed = 0;
  for (const { id } of submissions) {
    const { status } = await untilOver(service.api, id);
    if (status === 'failed') {
      failed += 1;
      await expectReleased(service.api, behind, id, 'model_unavailable');
    } else {
      await expectGradedOnce(service.api, behind, id);
    }
  }
  // Runs claimed at first, and then one at a time while the provider was down.
  expect(failed).toBeLessThanOrEqual(2 * WORKERS);
};

test('refused connections for longer than a deadline: waiting runs keep waiting, and are graded afterwards', async () => {
  await gate.shut();
  const submissions = await submitRuns();
  await outlast(submissions);
  expect(
    await runsThat(submissions, 'claimed_at is null'),
    'their time has not begun',
  ).toBeGreaterThanOrEqual(RUNS - 2 * WORKERS);
  await gate.open();
  await expectTheOthersGraded(submissions);
});

test('status 500 for longer than a deadline: a few calls fail, waiting runs are graded afterwards', async () => {
  model.behave([{ behaviour: { kind: 'status', status: 503 } }]);
  const submissions = await submitRuns();
  await outlast(submissions);
  // Calls until the breaker opened, calls on the way, and one call per pause. Without a breaker there would be
  // hundreds.
  expect(model.calls.length).toBeLessThanOrEqual(20);
  model.behave([]);
  await expectTheOthersGraded(submissions);
});

test('a provider that is overloaded does not open the breaker, and a run that it fails delays no other run', async () => {
  const asked = new Set<string | undefined>();
  model.behave((call): Behaviour | undefined => {
    const prompt = JSON.stringify(call.body);
    if (prompt.includes('poison')) return { kind: 'status', status: 500 };
    const [who] = /number \d+/.exec(prompt) ?? [];
    const isFirst = !asked.has(who);
    asked.add(who);
    return isFirst ? { kind: 'status', status: 429 } : undefined;
  });
  const exam = await createExam(service.api, typedExam([longAnswer('1')]));
  const poisoned = await submit(service.api, exam.id, {
    candidate: { external_id: 'POISON' },
    answers: [{ question_label: '1', text: 'A poison for the server of the model.' }],
  });
  await model.waitFor((calls) => calls.length >= 2);
  const submissions = await submitRuns(10);
  for (const { id } of submissions) {
    expect(await untilOver(service.api, id)).toMatchObject({ status: 'graded' });
  }
  expect(await untilOver(service.api, poisoned.id)).toMatchObject({ status: 'failed' });
});
