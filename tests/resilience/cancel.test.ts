import { closedAfterTests, type ModelCallRecord } from '@evaluation/test-services';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { beforeEach, expect, test } from 'vitest';
import { createExam, submit } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { lookBehind } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { startWithModel } from '../harness/service.ts';
import { expectGradedOnce } from './expectations.ts';
import { named } from './modelCalls.ts';

/*
 * A submission is cancelled, deleted or replaced while the model works on it: its calls end and it is not charged
 * (docs/architecture.md#stopping-a-run).
 */

/** Two batches of pages, read at the same time; a question on each page, of which two are judged at the same time. */
const PAGES = 5;
const QUESTIONS = ['1', '2', '3', '4', '5'];
const AT_ONCE = 2;

const { model, service } = await startWithModel({
  INSPECT_CONCURRENCY: '0',
  COPY_CONCURRENCY: '1',
  TYPED_CONCURRENCY: '1',
  QUESTION_CONCURRENCY: String(AT_ONCE),
  // Longer than a test, so that no heartbeat reports the cancellation.
  LEASE_SECONDS: '300',
});
closedAfterTests(service);
const behind = closedAfterTests(lookBehind(service.database));
const exams = {
  typed: await createExam(service.api, typedExam(QUESTIONS.map((label) => longAnswer(label)))),
  copy: await createExam(
    service.api,
    handwrittenExam({ questions: QUESTIONS.map((label) => longAnswer(label)) }),
  ),
};
beforeEach(async () => {
  model.reset();
  await behind.forgetJudgements();
});

let candidates = 0;
const nextCandidate = () => `STOP-${(candidates += 1)}`;

type Lane = 'typed' | 'copy';

/** Body of a submission. A copy is inspected first, so that the submission is accepted at once. */
const handIn = async (lane: Lane): Promise<object> =>
  lane === 'typed'
    ? { answers: QUESTIONS.map((label) => ({ question_label: label, text: `Because of ${label}.` })) }
    : { upload_id: await uploadInspected(service.api, service.database, PAGES) };

const submitTo = (lane: Lane, candidate: string, more: object): Promise<Submission> =>
  submit(service.api, exams[lane].id, { candidate: { external_id: candidate }, ...more });

type Deed = 'cancelled' | 'deleted' | 'replaced';

/** Stops the submission, and grades another one in its slot. @returns time of the answer, and the other submission */
const stop = async (
  deed: Deed,
  lane: Lane,
  submission: Submission,
  candidate: string,
): Promise<{ at: number; next: Submission }> => {
  const other = await handIn(lane);
  if (deed === 'replaced') {
    const next = await submitTo(lane, candidate, { ...other, replace: true });
    return { at: Date.now(), next };
  }
  const { status } =
    deed === 'cancelled'
      ? await service.api.post(`/submissions/${submission.id}/cancel`)
      : await service.api.delete(`/submissions/${submission.id}`);
  expect(status).toBe(200);
  return { at: Date.now(), next: await submitTo(lane, nextCandidate(), other) };
};

const cases: [deed: Deed, lane: Lane, schemaName: string][] = [
  ['cancelled', 'typed', 'judge_answer'],
  ['deleted', 'typed', 'judge_answer'],
  ['replaced', 'typed', 'judge_answer'],
  ['cancelled', 'copy', 'read_pages'],
  ['cancelled', 'copy', 'judge_answer'],
  ['replaced', 'copy', 'judge_answer'],
];

/** Milliseconds from the answer to the end of the last call in flight, for each case. */
const delays: number[] = [];

test.for(cases)(
  '%s while, in the %s lane, %s hangs: calls in flight end, no further call is made, nothing is charged',
  async ([deed, lane, schemaName]) => {
    model.behave([{ schemaName, behaviour: { kind: 'hang' } }]);
    const candidate = nextCandidate();
    const submission = await submitTo(lane, candidate, await handIn(lane));
    const inFlight = (calls: readonly ModelCallRecord[]) =>
      calls.filter((call) => call.schemaName === schemaName && call.endedAt === null);
    await model.waitFor((calls) => inFlight(calls).length === AT_ONCE);
    const hanging = inFlight(model.calls);

    model.behave([]);
    const { at, next } = await stop(deed, lane, submission, candidate);
    // `waitFor` gives up long before the next heartbeat.
    await model.waitFor(() => hanging.every(({ endedAt }) => endedAt !== null));
    expect(hanging.map(({ aborted }) => aborted)).toEqual(hanging.map(() => true));
    delays.push(Math.max(...hanging.map(({ endedAt }) => endedAt ?? Infinity)) - at);

    await expectGradedOnce(service.api, behind, next.id);
    const afterwards = named(model.calls.filter(({ at: asked }) => asked > at));
    expect(new Set(afterwards).size, 'the other one’s calls, each once').toBe(afterwards.length);

    const run = await behind.runOf(submission.id);
    expect(run).toMatchObject({ status: 'cancelled', dead_leases: 0 });
    const price = submission.quote?.credits ?? 0;
    expect(await behind.entriesOf(submission.id)).toEqual([
      { kind: 'reserve', amount: price },
      { kind: 'release', amount: price },
    ]);
  },
);

test('the calls in flight end within a second of the answer', () => {
  expect(delays).toHaveLength(cases.length);
  // The median, since a busy machine delays single cases, while a slow service delays every case.
  const [median] = delays.toSorted((a, b) => a - b).slice(Math.floor(delays.length / 2));
  expect(median, `all of them: ${delays.join(', ')} ms`).toBeLessThan(1000);
});
