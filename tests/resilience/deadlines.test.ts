import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { copyPdf, examBody, typedSamples } from '../fixtures/fixtures.ts';
import { createExam, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { startService, type TestService } from '../harness/service.ts';
import { expectReleased } from './expectations.ts';
import { answerOnly, nameOfCall, truthOf } from './modelCalls.ts';

/* A model that does not answer in time, or refuses: nobody pays, and nothing goes on in the background (design 3.10). */

let model: ModelServer;
let service: TestService;
let behind: BehindTheApi;

beforeAll(async () => {
  model = await startModelServer();
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    TICK_MS: '100',
    INSPECTION_WAIT_SECONDS: '30',
    COPY_DEADLINE_SECONDS: '8',
    TYPED_DEADLINE_SECONDS: '2',
  });
  behind = lookBehind(service.database);
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
const nextCandidate = () => {
  candidates += 1;
  return { external_id: `LATE-${candidates}` };
};

const submitCopy = async () => {
  const exam = await createExam(service.api, examBody('science'));
  const uploadId = await uploadCopy(service.api, copyPdf('average'));
  return submit(service.api, exam.id, { candidate: nextCandidate(), upload_id: uploadId });
};

test('3.10 a copy past its deadline: failed, timed_out, credits released, model calls aborted', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const submission = await submitCopy();
  await untilOver(service.api, submission.id);
  await expectReleased(service.api, behind, submission.id, 'timed_out');
  expect(model.calls.map(nameOfCall).toSorted()).toEqual(['pages 1', 'pages 5']);
  await model.waitFor((calls) => calls.every(({ aborted }) => aborted), 1000);
});

test('3.10 the deadline comes while questions are judged: the run times out as a whole and keeps no partial marks', async () => {
  const [strong] = typedSamples();
  answerOnly(model, (_name, earlier) => earlier < 2);
  const exam = await createExam(service.api, examBody('history-typed'));
  const submission = await submit(service.api, exam.id, {
    candidate: nextCandidate(),
    answers: strong.answers,
  });
  await untilOver(service.api, submission.id);
  await expectReleased(service.api, behind, submission.id, 'timed_out');
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null), 1000);
  expect(model.calls.filter(({ aborted }) => aborted)).toHaveLength(3);
});

test('3.10 a model that refuses one batch of pages: the run fails at once, and the batches beside it are aborted', async () => {
  model.behave((call) =>
    nameOfCall(call) === 'pages 1' ? { kind: 'status', status: 400 } : { kind: 'hang' },
  );
  const submission = await submitCopy();
  await untilOver(service.api, submission.id);
  await expectReleased(service.api, behind, submission.id, 'grading_failed');
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null), 1000);
});

// The last: for a minute this worker begins no other run.
test('3.10 a provider that asks us to come back after the deadline: timed_out, not a paper of failed questions', async () => {
  const [strong] = typedSamples();
  model.behave([{ behaviour: { kind: 'status', status: 429, retryAfterSeconds: 3600 } }]);
  const exam = await createExam(service.api, examBody('history-typed'));
  const submission = await submit(service.api, exam.id, {
    candidate: nextCandidate(),
    answers: strong.answers,
  });
  await untilOver(service.api, submission.id);
  await expectReleased(service.api, behind, submission.id, 'timed_out');
});
