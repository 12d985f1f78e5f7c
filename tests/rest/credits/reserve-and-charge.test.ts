import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Credits, Exam, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import { expectPostRefused, newTenant, startIdleService, type Tenant } from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());
const ledger = closedAfterTests(lookBehind(service.database));

const paperOf = ({ api }: Tenant): Promise<Exam> =>
  createExam(api, typedExam([mcq('0'), longAnswer('1'), longAnswer('2'), longAnswer('3')]));
const answersTo = (...labels: string[]): object[] =>
  labels.map((label) => ({ question_label: label, text: 'Because of this.' }));
const handIn = (owner: Tenant, paper: Exam, answers: object[]): Promise<Submission> =>
  submit(owner.api, paper.id, { candidate: { external_id: randomUUID() }, answers });
const balanceOf = async ({ api }: Tenant) => {
  const { balance, committed, available } = (await api.get<Credits>('/credits')).body;
  return { balance, committed, available };
};
const grade = ({ id }: Submission) => gradeRun(service, id);
const read = async (owner: Tenant, { id }: Submission): Promise<Submission> =>
  (await owner.api.get<Submission>(`/submissions/${id}`)).body;

test('too few credits answer insufficient_credits with the amounts, and a free submission is accepted', async () => {
  const owner = await newTenant(service, { credits: 4 });
  const paper = await paperOf(owner);
  await handIn(owner, paper, answersTo('1', '2'));
  const body = { candidate: { external_id: 'asha' }, answers: answersTo('1', '2', '3') };
  const path = `/exams/${paper.id}/submissions`;
  const error = await expectPostRefused(owner, 402, 'insufficient_credits', path, body);
  expect(error.details).toEqual({ required: 3, available: 2, balance: 4, credit_limit: 0, committed: 2 });
  await submit(owner.api, paper.id, { ...body, answers: answersTo('1', '2') });
  expect(await balanceOf(owner)).toEqual({ balance: 4, committed: 4, available: 0 });
  expect(await handIn(owner, paper, [])).toMatchObject({ status: 'graded', credits_charged: 0 });
});

test('the price is fixed by the quote: a new contract changes neither reserved nor charged credits', async () => {
  const owner = await newTenant(service, { credits: 10 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2'));
  await owner.edit({ credits_per_answer: 5 });
  expect((await read(owner, submission)).quote).toEqual(submission.quote);
  await grade(submission);
  expect(await read(owner, submission)).toMatchObject({ credits_charged: 2, quote: submission.quote });
  expect(await balanceOf(owner)).toEqual({ balance: 8, committed: 0, available: 8 });
  const later = await handIn(owner, await paperOf(owner), answersTo('1'));
  expect(later.quote).toEqual({ unit: 'answer', credits: 5, rate_source: 'contract' });
});

test('credits are reserved on acceptance and charged once, when grading completes', async () => {
  const owner = await newTenant(service, { credits: 5 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2', '3'));
  expect(await balanceOf(owner)).toEqual({ balance: 5, committed: 3, available: 2 });
  const run = await takeRun(service, submission.id);
  await run.step('grading');
  await run.mark({ 1: 1, 2: 1 });
  expect(await balanceOf(owner)).toEqual({ balance: 5, committed: 3, available: 2 });
  expect([await run.complete({ 3: 1 }), await run.complete({ 3: 1 })]).toEqual(['ok', 'lost']);
  expect(await balanceOf(owner)).toEqual({ balance: 2, committed: 0, available: 2 });
  expect((await ledger.entriesOf(submission.id)).map(({ kind }) => kind)).toEqual(['reserve', 'charge']);
});

test('a failed submission is not charged, and its credits are available again', async () => {
  const owner = await newTenant(service, { credits: 3 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2', '3'));
  expect(await (await takeRun(service, submission.id)).fail('timed_out')).toBe('ok');
  expect(await read(owner, submission)).toMatchObject({ status: 'failed', credits_charged: null });
  expect(await balanceOf(owner)).toEqual({ balance: 3, committed: 0, available: 3 });
  expect((await ledger.entriesOf(submission.id)).map(({ kind }) => kind)).toEqual(['reserve', 'release']);
});

test('a re-evaluation reserves and is charged again, at the price of the first quote', async () => {
  const owner = await newTenant(service, { credits: 10 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2'));
  await grade(submission);
  await owner.edit({ credits_per_answer: 0 });
  const again = await owner.api.post<Submission>(`/submissions/${submission.id}/re-evaluate`);
  expect(again).toMatchObject({ status: 202, body: { quote: submission.quote } });
  expect(await balanceOf(owner)).toEqual({ balance: 8, committed: 2, available: 6 });
  await grade(submission);
  expect(await balanceOf(owner)).toEqual({ balance: 6, committed: 0, available: 6 });
  expect(await ledger.entriesOf(submission.id)).toEqual(
    ['reserve', 'charge', 'reserve', 'charge'].map((kind) => ({ kind, amount: 2 })),
  );
});

test('a price of 0 needs no credits and no ledger entry; the copy is graded and charged 0', async () => {
  const owner = await newTenant(service, { credits: 0 });
  await owner.edit({ credits_per_answer: 0 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2'));
  expect(submission.quote).toEqual({ unit: 'answer', credits: 0, rate_source: 'contract' });
  await grade(submission);
  expect(await read(owner, submission)).toMatchObject({ status: 'graded', credits_charged: 0 });
  expect(await ledger.entriesOf(submission.id)).toEqual([]);
});

test('the credit limit lets the balance go below 0, down to the limit and no further', async () => {
  const owner = await newTenant(service, { credits: 1 });
  await owner.edit({ credit_limit: 2 });
  const paper = await paperOf(owner);
  await grade(await handIn(owner, paper, answersTo('1', '2', '3')));
  expect(await balanceOf(owner)).toEqual({ balance: -2, committed: 0, available: 0 });
  const error = await expectPostRefused(
    owner,
    402,
    'insufficient_credits',
    `/exams/${paper.id}/submissions`,
    {
      candidate: { external_id: randomUUID() },
      answers: answersTo('1'),
    },
  );
  expect(error.details).toEqual({ required: 1, available: 0, balance: -2, credit_limit: 2, committed: 0 });
});
