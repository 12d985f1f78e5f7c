import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Credits, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { gradeRun } from '../../harness/takeRun.ts';
import { expectOk, newTenant, startIdleService, type Tenant } from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());

const creditsOf = async ({ api }: Tenant): Promise<Credits> => expectOk(await api.get<Credits>('/credits'));

const handIn = async ({ api }: Tenant, answers: number): Promise<Submission> => {
  const labels = Array.from({ length: answers }, (_, index) => String(index + 1));
  const exam = await createExam(api, typedExam(labels.map((label) => longAnswer(label))));
  return submit(api, exam.id, {
    candidate: { external_id: randomUUID() },
    answers: labels.map((label) => ({ question_label: label, text: 'Because of this.' })),
  });
};

const grade = ({ id }: Submission) => gradeRun(service, id);

test('GET /credits answers balance, committed, available, rate card and spent credits, and no other field', async () => {
  expect(await creditsOf(await newTenant(service, { credits: 12.25 }))).toEqual({
    balance: 12.25,
    committed: 0,
    available: 12.25,
    rate_card: {
      page: { unit: 'page', credits_per_page: 1, rate_source: 'standard' },
      answer: { unit: 'answer', credits_per_page: 1, rate_source: 'standard' },
    },
    spent_30d: 0,
  });
});

test('credits of queued copies are committed and not available; once charged they are spent', async () => {
  const owner = await newTenant(service, { credits: 10 });
  const submission = await handIn(owner, 3);
  expect(await creditsOf(owner)).toMatchObject({ balance: 10, committed: 3, available: 7, spent_30d: 0 });
  await grade(submission);
  expect(await creditsOf(owner)).toMatchObject({ balance: 7, committed: 0, available: 7, spent_30d: 3 });
});

test('credits of cancelled submissions are available again and not spent', async () => {
  const owner = await newTenant(service, { credits: 10 });
  const { id } = await handIn(owner, 2);
  expect((await owner.api.post(`/submissions/${id}/cancel`)).status).toBe(200);
  expect(await creditsOf(owner)).toMatchObject({ balance: 10, committed: 0, available: 10, spent_30d: 0 });
});

test('the rate card shows contract prices, also 0, each unit with its own rate source', async () => {
  const owner = await newTenant(service);
  await owner.edit({ credits_per_page: 0, credits_per_answer: null });
  expect((await creditsOf(owner)).rate_card).toEqual({
    page: { unit: 'page', credits_per_page: 0, rate_source: 'contract' },
    answer: { unit: 'answer', credits_per_page: 1, rate_source: 'standard' },
  });
});

test('the credit limit is available; available is negative if the limit was lowered below the used credits', async () => {
  const owner = await newTenant(service, { credits: 1 });
  await owner.edit({ credit_limit: 4 });
  await handIn(owner, 5);
  expect(await creditsOf(owner)).toMatchObject({ balance: 1, committed: 5, available: 0 });
  await owner.edit({ credit_limit: 0.5 });
  expect(await creditsOf(owner)).toMatchObject({ balance: 1, committed: 5, available: -3.5 });
});

test('spent credits count for exactly 30 days', async () => {
  const owner = await newTenant(service, { credits: 100 });
  const [before, within] = [await handIn(owner, 5), await handIn(owner, 2)];
  await grade(before);
  await grade(within);
  const charged = (submission: Submission, ago: string) =>
    behind(
      service.database,
      `set session_replication_role = replica;
       update credit_entries set created_at = clock_timestamp() - interval '${ago}'
       where kind = 'charge' and run_id = (select current_run_id from submissions where id = '${submission.id}')`,
    );
  await charged(before, '30 days 1 second');
  await charged(within, '29 days 23 hours 59 minutes');
  expect(await creditsOf(owner)).toMatchObject({ balance: 93, spent_30d: 2 });
});

test('an institute sees its own credits only', async () => {
  const [one, other] = [await newTenant(service, { credits: 3 }), await newTenant(service, { credits: 50 })];
  await grade(await handIn(other, 4));
  expect(await creditsOf(one)).toMatchObject({ balance: 3, available: 3, spent_30d: 0 });
});

test('amounts are exact: prices without a binary fraction add up exactly', async () => {
  const owner = await newTenant(service, { credits: 1 });
  await owner.edit({ credits_per_answer: 0.1 });
  await grade(await handIn(owner, 3));
  await handIn(owner, 1);
  expect(await creditsOf(owner)).toMatchObject({
    balance: 0.7,
    committed: 0.1,
    available: 0.6,
    spent_30d: 0.3,
  });
});
