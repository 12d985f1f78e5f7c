import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit, uploadCopy, type ApiClient } from '../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { plainPdf, settled } from '../harness/pdfs.ts';
import { newTenant, startIdleService, stored, wholeFeed, type Tenant } from '../harness/tenant.ts';
import type { TestService } from '../harness/service.ts';

let service: TestService;
let mine: Tenant;
let theirs: Tenant;
let own: { typed: Exam; written: Exam };
let foreign: { exam: Exam; draft: Exam; submission: Submission; uploadId: string };
beforeAll(async () => {
  service = await startIdleService();
  [mine, theirs] = await Promise.all([newTenant(service), newTenant(service)]);
  own = {
    typed: await createExam(mine.api, typedExam([mcq('1'), longAnswer('2')])),
    written: await createExam(mine.api, handwrittenExam()),
  };
  const exam = await createExam(theirs.api, typedExam([mcq('1'), longAnswer('2')]));
  const submission = await submit(theirs.api, exam.id, {
    candidate: { external_id: 'theirs', name: 'Secret Name' },
    answers: [{ question_label: '1', option_labels: ['B'] }],
  });
  const uploadId = await uploadCopy(theirs.api, plainPdf(1));
  await settled(theirs.api, uploadId);
  const { body: draft } = await theirs.api.post<Exam>('/exams', typedExam([mcq('1')]));
  foreign = { exam, draft, submission, uploadId };
});
afterAll(() => service.close());

type Call = (api: ApiClient, id: string) => Promise<Response>;
const get =
  (path: (id: string) => string): Call =>
  (api, id) =>
    api.send(path(id), { method: 'GET' });
const post =
  (path: (id: string) => string, body: (id: string) => object): Call =>
  (api, id) =>
    api.send(path(id), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body(id)),
    });
const candidate = () => ({ external_id: 'probe' });

const calls: [name: string, call: Call, foreignId: () => string][] = [
  ['GET /exams/{id}', get((id) => `/exams/${id}`), () => foreign.exam.id],
  [
    'POST /exams/{id}/open',
    post(
      (id) => `/exams/${id}/open`,
      () => ({}),
    ),
    () => foreign.draft.id,
  ],
  [
    'POST /exams/{id}/submissions',
    post(
      (id) => `/exams/${id}/submissions`,
      () => ({ candidate: candidate(), answers: [] }),
    ),
    () => foreign.exam.id,
  ],
  ['GET /submissions/{id}', get((id) => `/submissions/${id}`), () => foreign.submission.id],
  ['GET /submissions/{id}/result', get((id) => `/submissions/${id}/result`), () => foreign.submission.id],
  [
    'GET /submissions/{id}/checked-copy',
    get((id) => `/submissions/${id}/checked-copy`),
    () => foreign.submission.id,
  ],
  ['GET /uploads/{id}', get((id) => `/uploads/${id}`), () => foreign.uploadId],
  [
    'candidate_id of a submission',
    post(
      () => `/exams/${own.typed.id}/submissions`,
      (candidate_id) => ({ candidate_id, answers: [] }),
    ),
    () => foreign.submission.candidate.id,
  ],
  [
    'upload_id of a submission',
    post(
      () => `/exams/${own.written.id}/submissions`,
      (upload_id) => ({ candidate: candidate(), upload_id }),
    ),
    () => foreign.uploadId,
  ],
  [
    'question_id of an answer',
    post(
      () => `/exams/${own.typed.id}/submissions`,
      (question_id) => ({ candidate: candidate(), answers: [{ question_id, option_labels: ['B'] }] }),
    ),
    () => foreign.exam.questions[0]?.id ?? '',
  ],
];

/** All that a client gets, but for what differs between any two answers. */
const seen = async (response: Response): Promise<{ status: number; headers: string; body: string }> => {
  const body = await response.text();
  const requestId = response.headers.get('x-request-id') ?? 'none';
  const changing = new Set(['date', 'x-request-id']);
  return {
    status: response.status,
    headers: JSON.stringify([...response.headers].filter(([name]) => !changing.has(name))),
    body: body.replaceAll(requestId, ''),
  };
};

test.each(calls)(
  '5.6 %s: another institute’s id answers byte for byte as one that does not exist',
  async (_name, call, foreignId) => {
    const before = {
      mine: (await wholeFeed(mine.api)).map(stored),
      theirs: (await wholeFeed(theirs.api)).map(stored),
    };
    const unknown = await seen(await call(mine.api, randomUUID()));
    expect(unknown.status).toBeGreaterThanOrEqual(404);
    expect(unknown.status).toBeLessThan(500);
    for (const id of [
      foreignId(),
      foreignId().toUpperCase(),
      'no-uuid',
      'x'.repeat(300),
      `${foreignId()}0`,
    ]) {
      expect(await seen(await call(mine.api, encodeURIComponent(id)))).toEqual(unknown);
    }
    expect({
      mine: (await wholeFeed(mine.api)).map(stored),
      theirs: (await wholeFeed(theirs.api)).map(stored),
    }).toEqual(before);
  },
);

test.each(calls.filter(([name]) => !/POST|_id/.test(name)))(
  '5.6 %s: the owner does see it',
  async (name, call, foreignId) => {
    const { status } = await seen(await call(theirs.api, foreignId()));
    // A typed submission has no checked copy: for the owner too.
    expect(status).toBe(name.includes('checked-copy') ? 404 : 200);
  },
);

test('5.6 the feed, candidates and external ids of two institutes do not meet', async () => {
  const submission = await submit(mine.api, own.typed.id, {
    candidate: { external_id: 'theirs' },
    answers: [],
  });
  expect(submission.candidate.id).not.toBe(foreign.submission.candidate.id);
  expect((await wholeFeed(theirs.api)).map(({ id }) => id)).toEqual([foreign.submission.id]);
  const { body } = await mine.api.get<{ candidate: { name: string | null } }>(
    `/submissions/${submission.id}/result`,
  );
  expect(body.candidate.name).toBeNull();
});
