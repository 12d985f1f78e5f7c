import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Account, Exam } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, submit } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectRefused, newTenant, type Tenant } from '../../harness/tenant.ts';

const { service } = await restSuite();

const someone = () => ({ candidate: { external_id: randomUUID() } });

describe('credits', () => {
  const long = [
    { question_label: '1', text: 'one' },
    { question_label: '2', text: 'two' },
    { question_label: '3', text: 'three' },
  ];
  const threeLong = (of: Tenant) =>
    createExam(of.api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));

  test('too few credits answer insufficient_credits with the amounts, and nothing is queued', async () => {
    const poor = await newTenant(service, { credits: 4 });
    const paper = await threeLong(poor);
    const path = `/exams/${paper.id}/submissions`;
    await submit(poor.api, paper.id, { ...someone(), answers: long.slice(1) });
    const who = someone();
    const error = await expectRefused(
      poor,
      () => poor.api.post(path, { ...who, answers: long }),
      402,
      'insufficient_credits',
    );
    expect(error.details).toEqual({ required: 3, available: 2, balance: 4, credit_limit: 0, committed: 2 });
    await submit(poor.api, paper.id, { ...who, answers: long.slice(1) });
    expect(await poor.credits()).toEqual({ balance: 4, credit_limit: 0, committed: 4 });
    const free = await submit(poor.api, paper.id, { ...someone(), answers: [] });
    expect(free).toMatchObject({ status: 'graded', credits_charged: 0 });
  });

  test('the credit limit can be used, and a contract price applies', async () => {
    const provision = service.control.as({}).control;
    const { institute_id } = await provision.createInstitute.mutate({
      name: 'Contract',
      credits: 1,
      credit_limit: 1,
      credits_per_answer: 0.65,
    });
    const { api_key } = await provision.createKey.mutate({ institute_id });
    const api = apiClient(service.baseUrl, api_key);
    const paper = await createExam(api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));
    const submission = await submit(api, paper.id, { ...someone(), answers: long });
    expect(submission.quote).toEqual({ unit: 'answer', credits: 1.95, rate_source: 'contract' });
    const refusal = await api.post(`/exams/${paper.id}/submissions`, {
      ...someone(),
      answers: long.slice(2),
    });
    expect(refusal.body.error).toMatchObject({
      code: 'insufficient_credits',
      details: { required: 0.65, available: 0.05, balance: 1, credit_limit: 1, committed: 1.95 },
    });
  });
});

describe('the daily quota', () => {
  const paperOf = (of: Tenant) => createExam(of.api, typedExam([mcq('1'), longAnswer('2')]));
  const post = (of: Tenant, paper: Exam, answers: object[] = []) =>
    of.api.post(`/exams/${paper.id}/submissions`, { ...someone(), answers });

  test('beyond the quota: daily_quota_exceeded with quota, limit, reset and Retry-After', async () => {
    const of = await newTenant(service, { dailyCopyQuota: 2 });
    const paper = await paperOf(of);
    await submit(of.api, paper.id, { ...someone(), answers: [] });
    await expectRefused(of, () => post(of, paper, [{ question_label: 'none' }]), 422, 'validation_failed');
    await submit(of.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
    let retryAfter = 0;
    const error = await expectRefused(
      of,
      async () => {
        const answer = await post(of, paper);
        retryAfter = Number(answer.headers.get('retry-after'));
        return answer;
      },
      429,
      'daily_quota_exceeded',
    );
    const resets = Date.parse(String(error.details?.['resets_at']));
    expect(error.details).toEqual({
      quota: 'daily_copy_quota',
      limit: 2,
      resets_at: expect.stringMatching(/T00:00:00(\.000)?Z$/),
    });
    expect(Math.abs(retryAfter - (resets - Date.now()) / 1000)).toBeLessThan(30);
  });

  test('a submission of objective answers alone counts one copy and needs no credits', async () => {
    const of = await newTenant(service, { credits: 0 });
    const paper = await paperOf(of);
    const used = async () => (await of.api.get<Account>('/me')).body.quota_used_today;
    const submission = await submit(of.api, paper.id, {
      ...someone(),
      answers: [{ question_label: '1', option_labels: ['B'] }],
    });
    expect(submission).toMatchObject({ status: 'graded', quote: { credits: 0 }, credits_charged: 0 });
    expect(await used()).toBe(1);
    await submit(of.api, paper.id, { ...someone(), answers: [] });
    expect(await used()).toBe(2);
    expect(await of.credits()).toEqual({ balance: 0, credit_limit: 0, committed: 0 });
  });

  test('a key’s own cap applies to that key only', async () => {
    const of = await newTenant(service);
    const paper = await paperOf(of);
    const { api_key } = await service.control.as({}).control.createKey.mutate({
      institute_id: of.instituteId,
      daily_copy_cap: 1,
    });
    const capped = { ...of, api: apiClient(service.baseUrl, api_key) };
    await submit(of.api, paper.id, { ...someone(), answers: [] });
    await submit(capped.api, paper.id, { ...someone(), answers: [] });
    const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
    expect(error.details).toMatchObject({ quota: 'daily_copy_cap', limit: 1 });
    await submit(of.api, paper.id, { ...someone(), answers: [] });
  });

  test('a request that exceeds both credits and quota answers 402, not 429', async () => {
    const of = await newTenant(service, { credits: 0, dailyCopyQuota: 0 });
    const paper = await paperOf(of);
    const long = [{ question_label: '2', text: 'x' }];
    await expectRefused(of, () => post(of, paper, long), 402, 'insufficient_credits');
    await expectRefused(of, () => post(of, paper), 429, 'daily_quota_exceeded');
  });

  test('refused requests count nothing', async () => {
    const of = await newTenant(service, { credits: 1, dailyCopyQuota: 1 });
    const paper = await paperOf(of);
    const refusals: [object, number, string][] = [
      [{ answers: [] }, 422, 'validation_failed'],
      [{ ...someone(), upload_id: randomUUID() }, 422, 'mode_mismatch'],
      [{ candidate_id: randomUUID(), answers: [] }, 404, 'candidate_not_found'],
    ];
    for (const [body, status, code] of refusals) {
      await expectRefused(of, () => of.api.post(`/exams/${paper.id}/submissions`, body), status, code);
    }
    await submit(of.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
  });
});
