import { objectStore } from '@evaluation/object-store';
import { closedAfterTests, commitsOf } from '@evaluation/test-services';
import { expect, test } from 'vitest';
import { createExam, submit } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { startWithModel } from '../harness/service.ts';

/*
 * Transactions and objects of one submission from the request to its marks, with a model that answers at once. The
 * whole service runs in this process, so its transactions can be counted. The dispatcher does not tick meanwhile.
 */

const { service } = await startWithModel({
  TICK_MS: '60000',
  // No heartbeat, however busy the machine is.
  LEASE_SECONDS: '300',
  INSPECT_CONCURRENCY: '0',
});
closedAfterTests(service);
const behind = closedAfterTests(lookBehind(service.database));

/** Core measures the speed of its lanes now and then. */
const MEASURING = /with recursive\s+last as/;

let candidates = 0;

/** Submits, and waits for the marks without a request, which would be a transaction too. */
const graded = async (examId: string, body: object): Promise<string> => {
  candidates += 1;
  const { id } = await submit(service.api, examId, {
    candidate: { external_id: `C-${candidates}` },
    ...body,
  });
  await eventually('the submission is graded', async () => {
    const [row] = await behind.query<{ status: string }>('select status from submissions where id = $1', [
      id,
    ]);
    return row?.status === 'graded';
  });
  return id;
};

/** Transactions of the cheapest of `tries` submissions: on a busy machine a run's records are sent in more batches. */
const costOf = async (examId: string, body: () => object, tries = 3) => {
  const { url } = service.database;
  // The first submission opens connections and stores data that later submissions reuse.
  await graded(examId, body());
  const costs: { transactions: number; seconds: number; id: string }[] = [];
  while (costs.length < tries) {
    const started = performance.now();
    let id = '';
    const transactions = await commitsOf(
      url,
      async () => {
        id = await graded(examId, body());
      },
      MEASURING,
    );
    costs.push({ transactions, id, seconds: (performance.now() - started) / 1000 });
  }
  const [least] = costs.toSorted((one, other) => one.transactions - other.transactions);
  if (least === undefined) throw new Error('nothing was submitted');
  return { ...least, evidence: await evidenceOf(least.id) };
};

const evidenceOf = async (submissionId: string) => {
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_BUCKET } = service.environment;
  const store = objectStore({
    endpoint: S3_ENDPOINT ?? '',
    region: 'us-east-1',
    bucket: S3_BUCKET ?? '',
    accessKeyId: S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: S3_SECRET_ACCESS_KEY ?? '',
  });
  let objects = 0;
  for await (const key of store.list('institutes/')) {
    if (key.includes(`/evidence/${submissionId}/`)) objects += 1;
  }
  store.close();
  const [row] = await behind.query<{ parts: number }>(
    `select count(*)::int as parts from evidence_parts e join runs r on r.id = e.run_id where r.submission_id = $1`,
    [submissionId],
  );
  return { objects, parts: row?.parts ?? 0 };
};

const typed = (count: number) => Array.from({ length: count }, (_, index) => longAnswer(String(index + 1)));
const longAnswers = (count: number) => () => ({
  answers: typed(count).map(({ label }) => ({
    question_label: label,
    text: `Answer ${label} of candidate ${candidates}.`,
  })),
});

test('a typed submission takes 5 transactions and one object with 1 and 10 long answers, and at most one more a second', async () => {
  for (const count of [1, 10]) {
    const exam = await createExam(service.api, typedExam(typed(count)));
    const cost = await costOf(exam.id, longAnswers(count));
    const seconds = Math.floor(cost.seconds);
    expect(cost.transactions).toBeLessThanOrEqual(5 + seconds);
    expect(cost.evidence.parts).toBe(count);
    expect(cost.evidence.objects).toBeLessThanOrEqual(1 + seconds);
  }
});

test('a submission that its keys mark takes one transaction and no object', async () => {
  const questions = Array.from({ length: 30 }, (_, index) => mcq(String(index + 1)));
  const exam = await createExam(service.api, typedExam(questions));
  const cost = await costOf(exam.id, () => ({
    answers: questions.map(({ label }) => ({ question_label: label, option_labels: ['B'] })),
  }));
  expect(cost).toMatchObject({ transactions: 1, evidence: { objects: 0, parts: 0 } });
});

const PAGES = 10;
const BATCHES = 3;

test('a copy of 10 pages takes at most 5 transactions, one for each batch of pages, and one a second', async () => {
  const exam = await createExam(service.api, handwrittenExam({ questions: typed(10) }));
  const uploads: string[] = [];
  while (uploads.length < 2) uploads.push(await uploadInspected(service.api, service.database, PAGES));
  const cost = await costOf(exam.id, () => ({ upload_id: uploads.pop() }), 1);
  expect(cost.transactions).toBeLessThanOrEqual(5 + BATCHES + Math.ceil(cost.seconds));
  expect(cost.evidence.parts).toBeGreaterThanOrEqual(BATCHES + 1);
  expect(cost.evidence.objects).toBeLessThan(cost.evidence.parts);
});
