import { startModelServer, type ModelCallRecord, type ModelServer } from '@evaluation/test-services';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { copyPdf, examBody, typedSamples } from '../fixtures/fixtures.ts';
import { createExam, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { startService, type TestService } from '../harness/service.ts';
import { expectGradedOnce } from './expectations.ts';
import { named, truthOf } from './modelCalls.ts';

/* A submission is cancelled, deleted or replaced while the model works on it: nobody pays for it any longer (design 3.9). */

vi.setConfig({ testTimeout: 60_000 });

let model: ModelServer;
let service: TestService;
let behind: BehindTheApi;
let exams: { typed: Exam; copy: Exam };

beforeAll(async () => {
  model = await startModelServer();
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
    COPY_CONCURRENCY: '1',
    TYPED_CONCURRENCY: '1',
    // No heartbeat that would hear of it comes within a test.
    LEASE_SECONDS: '300',
  });
  behind = lookBehind(service.database);
  exams = {
    typed: await createExam(service.api, examBody('history-typed')),
    copy: await createExam(service.api, examBody('science')),
  };
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

let candidates = 0;
const nextCandidate = () => `STOP-${(candidates += 1)}`;

const submitTo = async (
  lane: 'typed' | 'copy',
  candidate: string,
  more: object = {},
): Promise<Submission> => {
  const [strong] = typedSamples();
  return submit(service.api, exams[lane].id, {
    candidate: { external_id: candidate },
    ...(lane === 'typed'
      ? { answers: strong.answers }
      : { upload_id: await uploadCopy(service.api, copyPdf('average')) }),
    ...more,
  });
};

type Deed = 'cancelled' | 'deleted' | 'replaced';

/** Does it, and has the slot grade another submission afterwards. @returns the moment of the answer, and the other one */
const stop = async (
  deed: Deed,
  lane: 'typed' | 'copy',
  submission: Submission,
  candidate: string,
): Promise<{ at: number; next: Submission }> => {
  // The upload of a replacement is inspected before, so that its answer comes at once.
  const uploadId = lane === 'copy' ? await uploadCopy(service.api, copyPdf('average')) : null;
  if (uploadId !== null) await service.api.get(`/uploads/${uploadId}`);
  const other = uploadId === null ? {} : { upload_id: uploadId };
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

/** With how many calls are in flight at once then. */
const cases: [deed: Deed, lane: 'typed' | 'copy', schemaName: string, inFlight: number][] = [
  ['cancelled', 'typed', 'judge_answer', 5],
  ['deleted', 'typed', 'judge_answer', 5],
  ['replaced', 'typed', 'judge_answer', 5],
  ['cancelled', 'copy', 'read_pages', 2],
  ['cancelled', 'copy', 'judge_answer', 6],
  ['replaced', 'copy', 'judge_answer', 6],
];

test.for(cases)(
  '3.2 %s while, in the %s lane, %s hangs: the calls in flight end within a second, no other is made, nothing is charged',
  async ([deed, lane, schemaName, count]) => {
    model.behave([{ schemaName, behaviour: { kind: 'hang' } }]);
    const candidate = nextCandidate();
    const submission = await submitTo(lane, candidate);
    const inFlight = (calls: readonly ModelCallRecord[]) =>
      calls.filter((call) => call.schemaName === schemaName && call.endedAt === null);
    await model.waitFor((calls) => inFlight(calls).length === count, 20_000);
    const hanging = inFlight(model.calls);

    // Whatever is asked from here on is answered: the slot is free for the other submission.
    model.behave([]);
    const { at, next } = await stop(deed, lane, submission, candidate);
    await model.waitFor(() => hanging.every(({ endedAt }) => endedAt !== null));
    for (const call of hanging) {
      expect(call.aborted).toBe(true);
      expect(call.endedAt ?? Infinity).toBeLessThan(at + 1000);
    }

    await untilOver(service.api, next.id);
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
