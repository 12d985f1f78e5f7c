import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Credits, Exam, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { takeRun } from '../../harness/takeRun.ts';
import { expectPostRefused, newTenant, startIdleService, type Tenant } from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());
const ledger = closedAfterTests(lookBehind(service.database));

const paperOf = ({ api }: Tenant): Promise<Exam> =>
  createExam(api, typedExam([mcq('0'), longAnswer('1'), longAnswer('2'), longAnswer('3')]));
const answersTo = (...labels: string[]): object[] =>
  labels.map((label) => ({ question_label: label, text: 'Because of this.' }));
const handIn = (owner: Tenant, paper: Exam, answers: object[]): Promise<Submission> =>
  submit(owner.api, paper.id, { candidate: { external_id: randomUUID() }, answers });
const edit = (owner: Tenant, change: object) =>
  service.control.as({}).control.editInstitute.mutate({ institute_id: owner.instituteId, ...change });
const balanceOf = async ({ api }: Tenant) => {
  const { balance, committed, available } = (await api.get<Credits>('/credits')).body;
  return { balance, committed, available };
};
const grade = async ({ id }: Submission): Promise<void> => {
  const run = await takeRun(service, id);
  expect([await run.mark(1), await run.complete()]).toEqual(['ok', 'ok']);
};
const read = async (owner: Tenant, { id }: Submission): Promise<Submission> =>
  (await owner.api.get<Submission>(`/submissions/${id}`)).body;

test('every page of a handwritten copy is charged, also blank ones', async () => {
  const owner = await newTenant(service);
  const exam = await createExam(owner.api, handwrittenExam());
  const upload_id = await uploadCopy(owner.api, blankPages(3));
  const submission = await submit(owner.api, exam.id, { candidate: { external_id: 'a' }, upload_id });
  expect(submission.quote).toEqual({ unit: 'page', pages: 3, credits: 3, rate_source: 'standard' });
});

const blankPages = (pages: number): Buffer =>
  Buffer.from(
    plainPdf(pages)
      .toString('latin1')
      .replaceAll(/\(Page \d of \d\)/g, (line) => `(${' '.repeat(line.length - 2)})`),
    'latin1',
  );

test('objective questions are free, each non-blank long answer is charged, and a blank one is not', async () => {
  const owner = await newTenant(service);
  const paper = await paperOf(owner);
  const blank = { question_label: '3', text: ' \n ' };
  const submission = await handIn(owner, paper, [
    { question_label: '0', option_labels: ['B'] },
    ...answersTo('1', '2'),
    blank,
  ]);
  expect(submission.quote).toEqual({ unit: 'answer', credits: 2, rate_source: 'standard' });
  expect(await balanceOf(owner)).toMatchObject({ committed: 2 });
});

test('the price is fixed by the quote: a new contract changes neither reserved nor charged credits', async () => {
  const owner = await newTenant(service, { credits: 10 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2'));
  await edit(owner, { credits_per_answer: 5 });
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
  await run.mark(1);
  expect(await balanceOf(owner)).toEqual({ balance: 5, committed: 3, available: 2 });
  expect([await run.complete(), await run.complete()]).toEqual(['ok', 'lost']);
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
  await edit(owner, { credits_per_answer: 0 });
  expect((await owner.api.post(`/submissions/${submission.id}/re-evaluate`)).status).toBe(202);
  expect(await balanceOf(owner)).toEqual({ balance: 8, committed: 2, available: 6 });
  await grade(submission);
  expect(await balanceOf(owner)).toEqual({ balance: 6, committed: 0, available: 6 });
  expect(await ledger.entriesOf(submission.id)).toEqual(
    ['reserve', 'charge', 'reserve', 'charge'].map((kind) => ({ kind, amount: 2 })),
  );
});

test('a price of 0 needs no credits and no ledger entry; the copy is graded and charged 0', async () => {
  const owner = await newTenant(service, { credits: 0 });
  await edit(owner, { credits_per_answer: 0 });
  const submission = await handIn(owner, await paperOf(owner), answersTo('1', '2'));
  expect(submission.quote).toEqual({ unit: 'answer', credits: 0, rate_source: 'contract' });
  await grade(submission);
  expect(await read(owner, submission)).toMatchObject({ status: 'graded', credits_charged: 0 });
  expect(await ledger.entriesOf(submission.id)).toEqual([]);
});

test('the credit limit lets the balance go below 0, down to the limit and no further', async () => {
  const owner = await newTenant(service, { credits: 1 });
  await edit(owner, { credit_limit: 2 });
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

test('a replacement refunds the old reservation before it reserves the new one', async () => {
  const owner = await newTenant(service, { credits: 3 });
  const paper = await paperOf(owner);
  const { candidate } = await handIn(owner, paper, answersTo('1', '2', '3'));
  await submit(owner.api, paper.id, {
    candidate_id: candidate.id,
    replace: true,
    answers: answersTo('1', '2'),
  });
  expect(await balanceOf(owner)).toEqual({ balance: 3, committed: 2, available: 1 });
});
