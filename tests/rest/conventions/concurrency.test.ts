import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Account, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, uploadCopy, type Answer, type ErrorBody } from '../../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, newTenant, wholeFeed, type Tenant } from '../../harness/tenant.ts';

const { service } = await restSuite();

type Tried = Answer<Submission & ErrorBody>;
const atOnce = async (
  { api }: Tenant,
  examId: string,
  bodies: object[],
): Promise<{ accepted: Tried[]; refused: Tried[] }> => {
  const answers = await Promise.all(
    bodies.map((body) => api.post<Submission & ErrorBody>(`/exams/${examId}/submissions`, body)),
  );
  return {
    accepted: answers.filter(({ status }) => status === 202),
    refused: answers.filter(({ status }) => status !== 202),
  };
};
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test('of twenty simultaneous submissions of one candidate exactly one is accepted', async () => {
  const tenant = await newTenant(service, { credits: 100 });
  const exam = await createExam(tenant.api, typedExam([longAnswer('1')]));
  const answers = [{ question_label: '1', text: 'x' }];
  const { accepted, refused } = await atOnce(
    tenant,
    exam.id,
    times(20, () => ({ candidate: { external_id: 'one' }, answers })),
  );
  expect(accepted).toHaveLength(1);
  for (const answer of refused) {
    expect(expectError(answer, 409, 'submission_exists').details).toEqual({
      submission_id: accepted[0]?.body.id,
    });
  }
  expect(await tenant.credits()).toMatchObject({ balance: 100, committed: 1 });
  expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(1);
  expect(await wholeFeed(tenant.api)).toHaveLength(1);
});

test('of twenty simultaneous submissions with one upload exactly one is accepted', async () => {
  const tenant = await newTenant(service, { credits: 100 });
  const exam = await createExam(tenant.api, handwrittenExam());
  const upload_id = await uploadCopy(tenant.api, plainPdf(2));
  const { accepted, refused } = await atOnce(
    tenant,
    exam.id,
    times(20, (index) => ({ candidate: { external_id: `c${index}` }, upload_id })),
  );
  expect(accepted).toHaveLength(1);
  for (const answer of refused) expectError(answer, 409, 'conflict');
  expect(await tenant.credits()).toMatchObject({ committed: 2 });
  expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(1);
});

test('of twenty simultaneous submissions with one upload on two exams exactly one is accepted', async () => {
  const tenant = await newTenant(service, { credits: 100 });
  const exams = [
    await createExam(tenant.api, handwrittenExam()),
    await createExam(tenant.api, handwrittenExam()),
  ];
  const upload_id = await uploadCopy(tenant.api, plainPdf(1));
  const both = await Promise.all(
    exams.map(({ id }) =>
      atOnce(
        tenant,
        id,
        times(10, (index) => ({ candidate: { external_id: `c${index}` }, upload_id })),
      ),
    ),
  );
  expect(both.flatMap(({ accepted }) => accepted)).toHaveLength(1);
  expect(await tenant.credits()).toMatchObject({ committed: 1 });
});

test('with credits for exactly three, three of ten simultaneous submissions are accepted', async () => {
  const tenant = await newTenant(service, { credits: 7 });
  const exam = await createExam(tenant.api, typedExam([longAnswer('1'), longAnswer('2')]));
  const answers = [
    { question_label: '1', text: 'x' },
    { question_label: '2', text: 'y' },
  ];
  const { accepted, refused } = await atOnce(
    tenant,
    exam.id,
    times(10, (index) => ({ candidate: { external_id: `c${index}` }, answers })),
  );
  expect(accepted).toHaveLength(3);
  for (const answer of refused) {
    expect(expectError(answer, 402, 'insufficient_credits').details).toMatchObject({
      required: 2,
      available: 1,
    });
  }
  expect(await tenant.credits()).toEqual({ balance: 7, credit_limit: 0, committed: 6 });
  expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(3);
  expect(await wholeFeed(tenant.api)).toHaveLength(3);
});

test('with a quota of three, three of ten simultaneous submissions over two exams are accepted', async () => {
  const tenant = await newTenant(service, { dailyCopyQuota: 3 });
  const exams = [
    await createExam(tenant.api, typedExam([mcq('1')])),
    await createExam(tenant.api, typedExam([mcq('1')])),
  ];
  const tried = await Promise.all(
    exams.map(({ id }) =>
      atOnce(
        tenant,
        id,
        times(5, () => ({ candidate: { external_id: randomUUID() }, answers: [] })),
      ),
    ),
  );
  expect(tried.flatMap(({ accepted }) => accepted)).toHaveLength(3);
  for (const answer of tried.flatMap(({ refused }) => refused))
    expectError(answer, 429, 'daily_quota_exceeded');
  expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(3);
});

test('candidates named on many exams at the same time are created once, and no request fails', async () => {
  const tenant = await newTenant(service);
  const candidates = times(50, (index) => ({ external_id: `c${index}`, name: `Name ${index}` }));
  const exams = await Promise.all(
    times(10, (index) =>
      createExam(
        tenant.api,
        typedExam([mcq('1')], { candidates: index % 2 === 0 ? candidates : candidates.toReversed() }),
      ),
    ),
  );
  const submissions = await Promise.all(
    exams.map(({ id }) =>
      tenant.api.post<Submission>(`/exams/${id}/submissions`, {
        candidate: { external_id: 'c7' },
        answers: [],
      }),
    ),
  );
  expect(submissions.map(({ status }) => status)).toEqual(exams.map(() => 202));
  expect(new Set(submissions.map(({ body }) => body.candidate.id)).size).toBe(1);
});
