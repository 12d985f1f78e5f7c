import type { Deleted, Result, Submission } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import type { TestClaim } from '../../harness/testWorker.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import {
  expectError,
  expectPostRefused,
  expectRefused,
  newTenant,
  startIdleService,
  wholeFeed,
} from '../../harness/tenant.ts';
import { takeRun } from '../../harness/takeRun.ts';

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));
const ledger = closedAfterTests(lookBehind(service.database));

const PAPER = typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]);
const ANSWERS = [
  { question_label: '1', option_labels: ['B'] },
  { question_label: '2', text: 'Because of this.' },
  { question_label: '3', text: 'Because of that.' },
];

const submitted = async (options: Parameters<typeof newTenant>[1] = {}) => {
  const tenant = await newTenant(service, options);
  const exam = await createExam(tenant.api, PAPER);
  const body = { candidate: { external_id: 'asha' }, answers: ANSWERS };
  const submission = await submit(tenant.api, exam.id, body);
  const path = `/submissions/${submission.id}`;
  return {
    tenant,
    exam,
    body,
    id: submission.id,
    read: async () => (await tenant.api.get<Submission>(path)).body,
    cancel: () => tenant.api.post<Submission>(`${path}/cancel`),
    remove: () => tenant.api.delete<Deleted>(path),
    again: (sent?: object) => tenant.api.post<Submission>(`${path}/re-evaluate`, sent),
    replace: (change: object = {}) =>
      tenant.api.post<Submission>(`/exams/${exam.id}/submissions`, { ...body, replace: true, ...change }),
  };
};
type Submitted = Awaited<ReturnType<typeof submitted>>;

const REACH: Record<Submission['status'], (created: Submitted) => Promise<TestClaim | null>> = {
  queued: async () => null,
  processing: async ({ id }) => takeRun(service, id),
  reading: async ({ id }) => {
    const held = await takeRun(service, id);
    await held.step('reading');
    return held;
  },
  grading: async ({ id }) => {
    const held = await takeRun(service, id);
    await held.step('grading');
    await held.mark(1.5, ['2']);
    return held;
  },
  graded: async ({ id }) => {
    const held = await takeRun(service, id);
    await held.mark(1.5);
    await held.complete();
    return held;
  },
  partially_graded: async ({ id }) => {
    const held = await takeRun(service, id);
    await held.mark(1.5, ['2']);
    await held.mark('failed', ['3']);
    await held.complete();
    return held;
  },
  failed: async ({ id }) => {
    const held = await takeRun(service, id);
    await held.fail('copy_unreadable');
    return held;
  },
  cancelled: async ({ cancel }) => {
    await cancel();
    return null;
  },
};
const ACTIVE = ['queued', 'processing', 'reading', 'grading'] as const;
const OVER = ['graded', 'partially_graded', 'failed', 'cancelled'] as const;
const STATUSES = [...ACTIVE, ...OVER];
const reached = async (status: Submission['status'], options: Parameters<typeof newTenant>[1] = {}) => {
  const created = await submitted(options);
  const held = await REACH[status](created);
  expect(await created.read()).toMatchObject({ status });
  return { ...created, held };
};

const finalized = async (created: Submitted): Promise<void> => {
  await behind(service.database, 'update submissions set finalized_at = clock_timestamp() where id = $1', [
    created.id,
  ]);
  await behind(service.database, 'update exams set live_unfinalized = 0 where id = $1', [created.exam.id]);
};

describe('cancel', () => {
  test.each(ACTIVE)('%s → cancelled: not charged, and its worker is refused', async (status) => {
    const { tenant, id, cancel, held } = await reached(status);
    const { status: http, body } = await cancel();
    expect(http).toBe(200);
    expect(body).toMatchObject({
      id,
      status: 'cancelled',
      state: 'live',
      queue: null,
      credits_charged: null,
      error: null,
    });
    expect(body.progress).not.toHaveProperty('estimated_ready_at');
    expect(await tenant.credits()).toMatchObject({ balance: 1000, committed: 0 });
    expect(await ledger.entriesOf(id)).toEqual([
      { kind: 'reserve', amount: 2 },
      { kind: 'release', amount: 2 },
    ]);
    if (held !== null) {
      expect(await held.mark(2)).toBe('lost');
      expect(await held.complete()).toBe('lost');
      expect(await held.fail('timed_out')).toBe('lost');
    }
  });

  test('cancelling a cancelled submission returns the same response, and refunds nothing twice', async () => {
    const { tenant, id, cancel } = await submitted();
    const first = await cancel();
    const second = await cancel();
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await ledger.entriesOf(id)).toHaveLength(2);
    expect(await tenant.credits()).toMatchObject({ committed: 0 });
  });

  test.each(['graded', 'partially_graded', 'failed'] as const)(
    '%s answers 409 already_completed',
    async (status) => {
      const created = await reached(status);
      await expectPostRefused(created.tenant, 409, 'already_completed', `/submissions/${created.id}/cancel`);
    },
  );

  test('a submission that was graded at once answers 409 to cancel', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    const { id } = await submit(tenant.api, exam.id, { candidate: { external_id: 'a' }, answers: [] });
    await expectRefused(tenant, () => tenant.api.post(`/submissions/${id}/cancel`), 409, 'already_completed');
  });

  test('fields in the body are ignored, and a body is optional', async () => {
    const { tenant, id } = await submitted();
    const { status } = await tenant.api.post(`/submissions/${id}/cancel`, { anything: 1 });
    expect(status).toBe(200);
  });
});

describe('delete', () => {
  test.each(STATUSES)('%s → state deleted; the result is no longer available', async (status) => {
    const created = await reached(status);
    const { status: http, body } = await created.remove();
    expect({ http, body }).toEqual({ http: 200, body: { id: created.id, deleted: true } });
    const stopped = ACTIVE.some((active) => active === status);
    expect(await created.read()).toMatchObject({
      state: 'deleted',
      status: stopped ? 'cancelled' : status,
      queue: null,
    });
    expectError(await created.tenant.api.get(`/submissions/${created.id}/result`), 404, 'not_found');
    expect(await created.tenant.credits()).toMatchObject({ committed: 0 });
    expect((await wholeFeed(created.tenant.api)).map(({ id, state }) => ({ id, state }))).toEqual([
      { id: created.id, state: 'deleted' },
    ]);
    if (created.held !== null && stopped) expect(await created.held.complete()).toBe('lost');
  });

  test('the candidate may submit again', async () => {
    const created = await submitted();
    await created.remove();
    const second = await submit(created.tenant.api, created.exam.id, created.body);
    expect(second).toMatchObject({ state: 'live', status: 'queued', attempt_count: 1 });
    expect(second.id).not.toBe(created.id);
  });

  test('a deleted submission answers 409 conflict to every change', async () => {
    const created = await submitted();
    await created.remove();
    const path = `/submissions/${created.id}`;
    await expectRefused(created.tenant, () => created.tenant.api.delete(path), 409, 'conflict');
    await expectRefused(created.tenant, () => created.tenant.api.post(`${path}/cancel`), 409, 'conflict');
    await expectPostRefused(created.tenant, 409, 'conflict', `${path}/re-evaluate`);
  });

  test('an exam whose submissions are all deleted can be deleted', async () => {
    const created = await submitted();
    expectError(await created.tenant.api.delete(`/exams/${created.exam.id}`), 409, 'conflict');
    await created.remove();
    expect((await created.tenant.api.delete(`/exams/${created.exam.id}`)).status).toBe(200);
  });

  test('a candidate whose submission is deleted can be unregistered', async () => {
    const created = await submitted();
    const { candidate } = await created.read();
    const path = `/exams/${created.exam.id}/candidates/${candidate.id}`;
    expectError(await created.tenant.api.delete(path), 409, 'candidate_has_submission');
    await created.remove();
    expect((await created.tenant.api.delete(path)).status).toBe(200);
  });

  test('deleting the last live submission that is not final makes the exam finalized', async () => {
    const created = await reached('graded');
    await finalized(created);
    const other = await submit(created.tenant.api, created.exam.id, {
      ...created.body,
      candidate: { external_id: 'b' },
    });
    const status = async () =>
      (await created.tenant.api.get<{ status: string }>(`/exams/${created.exam.id}`)).body.status;
    expect(await status()).toBe('open');
    expect((await created.tenant.api.delete(`/submissions/${other.id}`)).status).toBe(200);
    expect(await status()).toBe('finalized');
  });
});

describe('replace', () => {
  test.each(STATUSES)(
    '%s → state replaced with `replaced_by`; the new submission is quoted separately',
    async (status) => {
      const created = await reached(status);
      const { status: http, body } = await created.replace({ answers: ANSWERS.slice(0, 2) });
      expect(http).toBe(202);
      expect(body).toMatchObject({
        state: 'live',
        status: 'queued',
        attempt_count: 1,
        quote: { unit: 'answer', credits: 1, rate_source: 'standard' },
      });
      const stopped = ACTIVE.some((active) => active === status);
      expect(await created.read()).toMatchObject({
        state: 'replaced',
        replaced_by: body.id,
        status: stopped ? 'cancelled' : status,
        queue: null,
      });
      // A cancelled run is not charged; the charge of a graded one stays.
      const charged = ['graded', 'partially_graded'].includes(status) ? 2 : 0;
      expect(await created.tenant.credits()).toMatchObject({ balance: 1000 - charged, committed: 1 });
      if (created.held !== null && stopped) expect(await created.held.complete()).toBe('lost');
    },
  );

  test('`replaced_by` is present only when replaced', async () => {
    const created = await submitted();
    expect(await created.read()).not.toHaveProperty('replaced_by');
  });

  test('without a live submission `replace` creates one as usual', async () => {
    const created = await submitted();
    await created.remove();
    expect((await created.replace()).body).toMatchObject({ state: 'live' });
    expect(await created.read()).toMatchObject({ state: 'deleted' });
  });

  test('without `replace`, or with false, the second answers submission_exists', async () => {
    const created = await submitted();
    for (const replace of [undefined, null, false]) {
      const error = await expectPostRefused(
        created.tenant,
        409,
        'submission_exists',
        `/exams/${created.exam.id}/submissions`,
        { ...created.body, replace },
      );
      expect(error.details).toEqual({ submission_id: created.id });
    }
  });

  test('the reservation of the old run pays for the new one, and stays if the new one is refused', async () => {
    const created = await submitted({ credits: 2 });
    expect((await created.replace()).status).toBe(202);
    expect(await created.tenant.credits()).toMatchObject({ balance: 2, committed: 2 });

    const poor = await submitted({ credits: 2 });
    await behind(service.database, 'update institutes set credits_per_answer = 2 where id = $1', [
      poor.tenant.instituteId,
    ]);
    const error = await expectPostRefused(
      poor.tenant,
      402,
      'insufficient_credits',
      `/exams/${poor.exam.id}/submissions`,
      { ...poor.body, replace: true },
    );
    expect(error.details).toMatchObject({ required: 4, available: 2, committed: 0 });
    expect(await poor.read()).toMatchObject({ state: 'live', status: 'queued' });
  });

  test('a replaced submission cannot be changed, and its result can still be read', async () => {
    const created = await reached('graded');
    const before = await resultOf(created.tenant.api, created.id);
    await created.replace();
    const path = `/submissions/${created.id}`;
    await expectRefused(created.tenant, () => created.tenant.api.delete(path), 409, 'conflict');
    await expectRefused(created.tenant, () => created.tenant.api.post(`${path}/cancel`), 409, 'conflict');
    await expectPostRefused(created.tenant, 409, 'conflict', `${path}/re-evaluate`);
    expect(await resultOf(created.tenant.api, created.id)).toEqual(before);
  });

  test('replacing keeps the number of live submissions', async () => {
    const created = await submitted();
    await created.replace();
    const [exam] = await behind<{ live_submissions: number; live_unfinalized: number }>(
      service.database,
      'select live_submissions, live_unfinalized from exams where id = $1',
      [created.exam.id],
    );
    expect(exam).toEqual({ live_submissions: 1, live_unfinalized: 1 });
  });
});

describe('re-evaluate', () => {
  test.each(OVER)('%s → a new run: 202, queued, attempt_count + 1, reserved again', async (status) => {
    const created = await reached(status);
    const before = await created.read();
    const charged = ['graded', 'partially_graded'].includes(status) ? 2 : 0;
    const { status: http, body } = await created.again();
    expect(http).toBe(202);
    expect(body).toMatchObject({
      status: 'queued',
      attempt_count: before.attempt_count + 1,
      queue: { position: 0 },
      progress: { questions_done: 0, questions_total: 2 },
      credits_charged: null,
      error: null,
      needs_review: false,
      review_reasons: [],
      rubric_version: null,
    });
    expect(await created.tenant.credits()).toMatchObject({ balance: 1000 - charged, committed: 2 });

    const held = await takeRun(service, created.id);
    await held.mark(2);
    await held.complete();
    expect(await created.read()).toMatchObject({ status: 'graded', credits_charged: 2, attempt_count: 2 });
    expect(await created.tenant.credits()).toMatchObject({ balance: 1000 - charged - 2, committed: 0 });
    expect((await resultOf(created.tenant.api, created.id)).totals).toMatchObject({ awarded: 5, max: 5 });
  });

  test.each(ACTIVE)('%s answers 409 evaluation_in_progress', async (status) => {
    const created = await reached(status);
    await expectPostRefused(
      created.tenant,
      409,
      'evaluation_in_progress',
      `/submissions/${created.id}/re-evaluate`,
    );
  });

  test('it is charged again at the same price, whatever the current price is', async () => {
    const created = await reached('graded');
    await behind(service.database, 'update institutes set credits_per_answer = 7 where id = $1', [
      created.tenant.instituteId,
    ]);
    expect((await created.again()).body.quote).toEqual({
      unit: 'answer',
      credits: 2,
      rate_source: 'standard',
    });
    expect(await created.tenant.credits()).toMatchObject({ balance: 998, committed: 2 });
  });

  test('without credits it answers 402, beyond the quota 429, and nothing changes', async () => {
    const poor = await reached('graded', { credits: 3 });
    const error = await expectPostRefused(
      poor.tenant,
      402,
      'insufficient_credits',
      `/submissions/${poor.id}/re-evaluate`,
    );
    expect(error.details).toMatchObject({ required: 2, available: 1, balance: 1, committed: 0 });

    const busy = await reached('graded', { dailyCopyQuota: 1 });
    await expectPostRefused(busy.tenant, 429, 'daily_quota_exceeded', `/submissions/${busy.id}/re-evaluate`);
  });

  test('an accepted re-evaluation counts one copy', async () => {
    const created = await reached('graded');
    await created.again();
    expect((await created.tenant.api.get<{ quota_used_today: number }>('/me')).body.quota_used_today).toBe(2);
  });

  test('single-question re-evaluation answers feature_not_available', async () => {
    const created = await reached('graded');
    await expectPostRefused(
      created.tenant,
      422,
      'feature_not_available',
      `/submissions/${created.id}/re-evaluate`,
      {
        question_ids: [created.exam.questions[1]?.id],
      },
    );
  });

  test('`keep_overrides` is a boolean, true by default', async () => {
    const created = await reached('graded');
    await expectPostRefused(
      created.tenant,
      422,
      'validation_failed',
      `/submissions/${created.id}/re-evaluate`,
      { keep_overrides: 'yes' },
    );
    expect((await created.again({ keep_overrides: true, unknown: 1 })).status).toBe(202);
  });

  test('a typed paper without long answers is marked again at once, without a charge', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, PAPER);
    const { id } = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'a' },
      answers: ANSWERS.slice(0, 1),
    });
    const before = await resultOf(tenant.api, id);
    const { status, body } = await tenant.api.post<Submission>(`/submissions/${id}/re-evaluate`);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'graded',
      attempt_count: 2,
      credits_charged: 0,
      progress: null,
      queue: null,
    });
    const { graded_at: _first, ...then } = before;
    const { graded_at: _second, ...now } = await resultOf(tenant.api, id);
    expect(now).toEqual(then);
  });

  test('marks of an earlier run are not shown during a new one, nor after it is cancelled', async () => {
    const created = await reached('graded');
    await created.again();
    const running = await resultOf(created.tenant.api, created.id);
    expect(running).toMatchObject({ status: 'queued', graded_at: null, credits_charged: null });
    expect(running.questions.map(({ status, awarded }) => ({ status, awarded }))).toEqual([
      { status: 'graded', awarded: 1 },
      { status: 'pending', awarded: null },
      { status: 'pending', awarded: null },
    ]);
    await created.cancel();
    const cancelled = await resultOf(created.tenant.api, created.id);
    expect(cancelled.questions.map(({ status }) => status)).toEqual(['graded', 'cancelled', 'cancelled']);
    expect(await created.tenant.credits()).toMatchObject({ balance: 998, committed: 0 });
  });
});

describe('a finalized submission', () => {
  test('re-evaluate, replace and delete answer submission_finalized; cancel answers already_completed', async () => {
    const created = await reached('graded');
    await finalized(created);
    const path = `/submissions/${created.id}`;
    const { api } = created.tenant;
    await expectRefused(created.tenant, () => api.post(`${path}/re-evaluate`), 409, 'submission_finalized');
    await expectRefused(created.tenant, () => api.delete(path), 409, 'submission_finalized');
    await expectPostRefused(
      created.tenant,
      409,
      'submission_finalized',
      `/exams/${created.exam.id}/submissions`,
      { ...created.body, replace: true },
    );
    await expectRefused(created.tenant, () => api.post(`${path}/cancel`), 409, 'already_completed');
  });
});

describe('marks that were not charged are not shown', () => {
  const statuses = ({ questions }: Result) =>
    questions.map(({ label, status, awarded, feedback }) => ({ label, status, awarded, feedback }));
  const byKey = { label: '1', status: 'graded', awarded: 1, feedback: null };

  test('while a run is active its AI marks are pending', async () => {
    const created = await reached('grading');
    expect(await created.read()).toMatchObject({ progress: { questions_done: 1 } });
    expect(statuses(await resultOf(created.tenant.api, created.id))).toEqual([
      byKey,
      { label: '2', status: 'pending', awarded: null, feedback: null },
      { label: '3', status: 'pending', awarded: null, feedback: null },
    ]);
  });

  test('a cancelled run shows none of its marks', async () => {
    const created = await reached('grading');
    await created.cancel();
    expect(statuses(await resultOf(created.tenant.api, created.id))).toEqual([
      byKey,
      { label: '2', status: 'cancelled', awarded: null, feedback: null },
      { label: '3', status: 'cancelled', awarded: null, feedback: null },
    ]);
  });

  test('a failed run shows none of its marks', async () => {
    const created = await reached('grading');
    await created.held?.fail('timed_out');
    const result = await resultOf(created.tenant.api, created.id);
    expect(result.error?.code).toBe('timed_out');
    expect(statuses(result)).toEqual([
      byKey,
      { label: '2', status: 'failed', awarded: null, feedback: null },
      { label: '3', status: 'failed', awarded: null, feedback: null },
    ]);
  });
});
