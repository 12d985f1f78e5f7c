import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { beforeAll, expect, test } from 'vitest';
import type { QuestionResult, Submission } from '@evaluation/rest-contract/schemas';
import { copyPdf, copyTruth, examBody, typedSamples } from '../fixtures/fixtures.ts';
import {
  apiClient,
  createExam,
  resultOf,
  submit,
  untilOver,
  uploadCopy,
  type ApiClient,
} from '../harness/api.ts';
import { eventually } from '../harness/ledger.ts';
import { truthFor } from '../harness/perfectReader.ts';
import { textOfPages } from '../harness/pdfs.ts';
import { startSplitService } from '../harness/processes.ts';
import { EVERY_SCOPE } from '../harness/service.ts';

/*
 * Both journeys through facade, core and two workers as separate processes, each worker with its own lanes, as the
 * chart deploys them. Nothing can be shared in memory here.
 */

let api: ApiClient;
const model = closedAfterTests(await startModelServer());
const service = closedAfterTests(
  await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-not-a-real-key',
    GRADER_MODEL: 'perfect-reader-1',
    DRAIN_SECONDS: '20',
  }),
);

beforeAll(async () => {
  const { api_key } = await service.newKey(EVERY_SCOPE);
  api = apiClient(service.facade.name, api_key);
  await Promise.all([
    service.startWorker({ TYPED_CONCURRENCY: '0' }),
    service.startWorker({ COPY_CONCURRENCY: '0', INSPECT_CONCURRENCY: '0', DRAW_CONCURRENCY: '0' }),
  ]);
});

test('a scanned copy is uploaded, graded as the examiner did, overridden, drawn again and finalized', async () => {
  const truth = copyTruth('weak');
  model.know(truthFor(truth));
  const exam = await createExam(api, examBody('science'));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'candidate-1' },
    upload_id: await uploadCopy(api, copyPdf('weak')),
  });
  expect(await untilOver(api, id)).toMatchObject({ status: 'graded' });
  const { questions } = await resultOf(api, id);
  const marks = Object.fromEntries(questions.map(({ label, awarded }) => [label, awarded]));
  for (const { label, awarded } of truth.questions)
    expect({ label, marks: marks[label] }).toEqual({ label, marks: awarded });

  const [first] = questions;
  if (first === undefined) throw new Error('the paper has questions');
  const changed = await api.patch<QuestionResult>(`/submissions/${id}/questions/${first.question_id}`, {
    reviewer: 'teacher-1',
    awarded: 0.5,
  });
  expect(changed).toMatchObject({ status: 200, body: { awarded: 0.5, source: 'ai_reviewed' } });
  const text = await eventually('the checked copy shows the teacher’s mark', async () => {
    const response = await api.send(`/submissions/${id}/checked-copy`, {});
    if (response.status !== 200) {
      await response.arrayBuffer();
      return undefined;
    }
    return (await textOfPages(new Uint8Array(await response.arrayBuffer()))).join(' ');
  });
  expect(text).toContain(`Q${first.label} 0.5/${first.max}`);
  expect(await api.post(`/exams/${exam.id}/finalize`, { all_graded: true })).toMatchObject({ status: 200 });
  expect((await api.get<Submission>(`/submissions/${id}`)).body.finalized).toBe(true);
});

test('typed answers are marked: objective ones by key, long ones by the model, charged once', async () => {
  model.reset();
  const [strong] = typedSamples();
  const exam = await createExam(api, examBody('history-typed'));
  const { id } = await submit(api, exam.id, { candidate: strong.candidate, answers: strong.answers });
  expect(await untilOver(api, id)).toMatchObject({
    status: 'graded',
    credits_charged: strong.expected.non_blank_long_answers,
  });
  for (const question of (await resultOf(api, id)).questions) {
    const expected = strong.expected.objective[question.label];
    if (expected === undefined) expect(question).toMatchObject({ source: 'ai', awarded: question.max });
    else expect(question).toMatchObject({ source: 'auto', awarded: expected });
  }
});
