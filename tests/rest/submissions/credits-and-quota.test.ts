import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Account, Exam } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, submit } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectPostRefused, expectRefused, newTenant, type Tenant } from '../../harness/tenant.ts';

const { service } = await restSuite();

const someone = () => ({ candidate: { external_id: randomUUID() } });

describe('credits', () => {
  const long = [
    { question_label: '1', text: 'one' },
    { question_label: '2', text: 'two' },
    { question_label: '3', text: 'three' },
  ];
  const threeLong = (owner: Tenant) =>
    createExam(owner.api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));

  test('too few credits answer insufficient_credits with the amounts, and nothing is queued', async () => {
    const poor = await newTenant(service, { credits: 4 });
    const paper = await threeLong(poor);
    const path = `/exams/${paper.id}/submissions`;
    await submit(poor.api, paper.id, { ...someone(), answers: long.slice(1) });
    const who = someone();
    const error = await expectPostRefused(poor, 402, 'insufficient_credits', path, { ...who, answers: long });
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
  const paperOf = (owner: Tenant) => createExam(owner.api, typedExam([mcq('1'), longAnswer('2')]));
  const post = (owner: Tenant, paper: Exam, answers: object[] = []) =>
    owner.api.post(`/exams/${paper.id}/submissions`, { ...someone(), answers });

  test('beyond the quota: daily_quota_exceeded with quota, limit, reset and Retry-After', async () => {
    const owner = await newTenant(service, { dailyCopyQuota: 2 });
    const paper = await paperOf(owner);
    await submit(owner.api, paper.id, { ...someone(), answers: [] });
    await expectRefused(
      owner,
      () => post(owner, paper, [{ question_label: 'none' }]),
      422,
      'validation_failed',
    );
    await submit(owner.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
    let retryAfter = 0;
    const error = await expectRefused(
      owner,
      async () => {
        const answer = await post(owner, paper);
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
    const owner = await newTenant(service, { credits: 0 });
    const paper = await paperOf(owner);
    const used = async () => (await owner.api.get<Account>('/me')).body.quota_used_today;
    const submission = await submit(owner.api, paper.id, {
      ...someone(),
      answers: [{ question_label: '1', option_labels: ['B'] }],
    });
    expect(submission).toMatchObject({ status: 'graded', quote: { credits: 0 }, credits_charged: 0 });
    expect(await used()).toBe(1);
    await submit(owner.api, paper.id, { ...someone(), answers: [] });
    expect(await used()).toBe(2);
    expect(await owner.credits()).toEqual({ balance: 0, credit_limit: 0, committed: 0 });
  });

  test('a key’s own cap applies to that key only', async () => {
    const owner = await newTenant(service);
    const paper = await paperOf(owner);
    const { api_key } = await service.control.as({}).control.createKey.mutate({
      institute_id: owner.instituteId,
      daily_copy_cap: 1,
    });
    const capped = { ...owner, api: apiClient(service.baseUrl, api_key) };
    await submit(owner.api, paper.id, { ...someone(), answers: [] });
    await submit(capped.api, paper.id, { ...someone(), answers: [] });
    const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
    expect(error.details).toMatchObject({ quota: 'daily_copy_cap', limit: 1 });
    await submit(owner.api, paper.id, { ...someone(), answers: [] });
  });

  test('a request that exceeds both credits and quota answers 402, not 429', async () => {
    const owner = await newTenant(service, { credits: 0, dailyCopyQuota: 0 });
    const paper = await paperOf(owner);
    const long = [{ question_label: '2', text: 'x' }];
    await expectRefused(owner, () => post(owner, paper, long), 402, 'insufficient_credits');
    await expectRefused(owner, () => post(owner, paper), 429, 'daily_quota_exceeded');
  });

  test('refused requests count nothing', async () => {
    const owner = await newTenant(service, { credits: 1, dailyCopyQuota: 1 });
    const paper = await paperOf(owner);
    const refusals: [object, number, string][] = [
      [{ answers: [] }, 422, 'validation_failed'],
      [{ ...someone(), upload_id: randomUUID() }, 422, 'mode_mismatch'],
      [{ candidate_id: randomUUID(), answers: [] }, 404, 'candidate_not_found'],
    ];
    for (const [body, status, code] of refusals) {
      await expectRefused(owner, () => owner.api.post(`/exams/${paper.id}/submissions`, body), status, code);
    }
    await submit(owner.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
  });
});
