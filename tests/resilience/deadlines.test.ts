import { beforeEach, expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { lookBehind } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { startWithModel } from '../harness/service.ts';
import { expectReleased } from './expectations.ts';
import { answerOnly, nameOfCall } from './modelCalls.ts';

/*
 * A model that does not answer in time, or refuses: no charge, and no call continues in the background
 * (docs/architecture.md#deadlines-and-retries).
 */

const PAGES = 5;
const QUESTIONS = ['1', '2', '3', '4', '5'];

const { model, service } = await startWithModel({
  INSPECT_CONCURRENCY: '0',
  // Long enough for the calls to be sent on a busy machine.
  COPY_DEADLINE_SECONDS: '30',
  TYPED_DEADLINE_SECONDS: '5',
});
closedAfterTests(service);
const behind = closedAfterTests(lookBehind(service.database));
const exams = {
  typed: await createExam(service.api, typedExam(QUESTIONS.map((label) => longAnswer(label)))),
  copy: await createExam(service.api, handwrittenExam({ questions: [longAnswer('1')] })),
};
beforeEach(async () => {
  model.reset();
  await behind.forgetJudgements();
});

let candidates = 0;
const nextCandidate = () => {
  candidates += 1;
  return { external_id: `LATE-${candidates}` };
};

const submitCopy = async () =>
  submit(service.api, exams.copy.id, {
    candidate: nextCandidate(),
    upload_id: await uploadInspected(service.api, service.database, PAGES),
  });
const submitTyped = () =>
  submit(service.api, exams.typed.id, {
    candidate: nextCandidate(),
    answers: QUESTIONS.map((label) => ({ question_label: label, text: `Because of ${label}.` })),
  });

test('a copy past its deadline fails with timed_out: credits refunded, model calls aborted', async () => {
  model.behave([{ behaviour: { kind: 'hang' } }]);
  const submission = await submitCopy();
  await expectReleased(service.api, behind, submission.id, 'timed_out');
  expect(model.calls.map(nameOfCall).toSorted()).toEqual(['pages 1', 'pages 5']);
  await model.waitFor((calls) => calls.every(({ aborted }) => aborted));
});

test('a deadline during judging times out the whole run, without partial marks', async () => {
  answerOnly(model, (_name, earlier) => earlier < 2);
  const submission = await submitTyped();
  await expectReleased(service.api, behind, submission.id, 'timed_out');
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
  expect(model.calls.filter(({ aborted }) => aborted)).toHaveLength(QUESTIONS.length - 2);
});

test('a model that refuses one batch of pages fails the run at once, and the other batches are aborted', async () => {
  // The endpoint refuses the first four pages, first together and then each alone, and never answers page 5.
  model.behave((call) =>
    nameOfCall(call) === 'pages 5' ? { kind: 'hang' } : { kind: 'status', status: 400 },
  );
  const submission = await submitCopy();
  await expectReleased(service.api, behind, submission.id, 'grading_failed');
  await model.waitFor((calls) => calls.every(({ endedAt }) => endedAt !== null));
});

// Last test: this worker begins no other run for a minute.
test('a Retry-After past the deadline ends as timed_out, not as a paper of failed questions', async () => {
  model.behave([{ behaviour: { kind: 'status', status: 429, retryAfterSeconds: 3600 } }]);
  const submission = await submitTyped();
  await expectReleased(service.api, behind, submission.id, 'timed_out');
});
