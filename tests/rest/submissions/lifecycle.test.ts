import type { Submission } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { submit } from '../../harness/api.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { newTestExam, type TestExam, type TestSubmission } from '../../harness/testExam.ts';
import { expectError, expectRefused, startIdleService, wholeFeed } from '../../harness/tenant.ts';
import { gradeRun } from '../../harness/takeRun.ts';

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));
const ledger = closedAfterTests(lookBehind(service.database));

const ACTIVE = ['queued', 'processing', 'reading', 'grading'] as const;
const OVER = ['graded', 'partially_graded', 'failed', 'cancelled'] as const;
const STATUSES = [...ACTIVE, ...OVER];
const reached = async (
  status: Submission['status'],
  options: Parameters<typeof newTestExam>[1] = {},
): Promise<TestExam & TestSubmission> => {
  const made = await newTestExam(service, options);
  return { ...made, ...(await made.reach(status)) };
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
    const { tenant, id, cancel } = await reached('queued');
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
      const { tenant, cancel } = await reached(status);
      await expectRefused(tenant, () => cancel(), 409, 'already_completed');
    },
  );

  test('a submission that was graded at once answers 409 to cancel', async () => {
    const { tenant, exam, wrap } = await newTestExam(service);
    const submission = await submit(tenant.api, exam.id, { candidate: { external_id: 'a' }, answers: [] });
    await expectRefused(tenant, () => wrap(submission, 'a').cancel(), 409, 'already_completed');
  });

  test('fields in the body are ignored, and a body is optional', async () => {
    const { cancel } = await reached('queued');
    expect((await cancel({ anything: 1 })).status).toBe(200);
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
    expectError(await created.tenant.api.get(`${created.path}/result`), 404, 'not_found');
    expect(await created.tenant.credits()).toMatchObject({ committed: 0 });
    expect((await wholeFeed(created.tenant.api)).map(({ id, state }) => ({ id, state }))).toEqual([
      { id: created.id, state: 'deleted' },
    ]);
    if (created.held !== null && stopped) expect(await created.held.complete()).toBe('lost');
  });

  test('the candidate may submit again', async () => {
    const created = await reached('queued');
    await created.remove();
    const { body: second } = await created.replace({ replace: false });
    expect(second).toMatchObject({ state: 'live', status: 'queued', attempt_count: 1 });
    expect(second.id).not.toBe(created.id);
  });

  test('an exam whose submissions are all deleted can be deleted', async () => {
    const created = await reached('queued');
    expectError(await created.tenant.api.delete(`/exams/${created.exam.id}`), 409, 'conflict');
    await created.remove();
    expect((await created.tenant.api.delete(`/exams/${created.exam.id}`)).status).toBe(200);
  });
});

describe('replace', () => {
  test.each(STATUSES)(
    '%s → state replaced with `replaced_by`; the new submission is quoted separately',
    async (status) => {
      const created = await reached(status);
      const { status: http, body } = await created.replace({
        answers: [{ question_label: '2', text: 'Because of this.' }],
      });
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
    const created = await reached('queued');
    expect(await created.read()).not.toHaveProperty('replaced_by');
  });

  test('without a live submission `replace` creates one as usual', async () => {
    const created = await reached('queued');
    await created.remove();
    expect((await created.replace()).body).toMatchObject({ state: 'live' });
    expect(await created.read()).toMatchObject({ state: 'deleted' });
  });

  test('without `replace`, or with false, the second answers submission_exists', async () => {
    const created = await reached('queued');
    for (const replace of [undefined, null, false]) {
      const call = () => created.replace({ replace });
      const error = await expectRefused(created.tenant, call, 409, 'submission_exists');
      expect(error.details).toEqual({ submission_id: created.id });
    }
  });

  test('the reservation of the old run pays for the new one, and stays if the new one is refused', async () => {
    const created = await reached('queued', { credits: 2 });
    expect((await created.replace()).status).toBe(202);
    expect(await created.tenant.credits()).toMatchObject({ balance: 2, committed: 2 });

    const poor = await reached('queued', { credits: 2 });
    await poor.tenant.edit({ credits_per_answer: 2 });
    const error = await expectRefused(poor.tenant, () => poor.replace(), 402, 'insufficient_credits');
    expect(error.details).toMatchObject({ required: 4, available: 2, committed: 0 });
    expect(await poor.read()).toMatchObject({ state: 'live', status: 'queued' });
  });

  test('the result of a replaced submission can still be read', async () => {
    const created = await reached('graded');
    const before = await created.result();
    await created.replace();
    expect(await created.result()).toEqual(before);
  });
});

test.each([
  ['deleted', 'queued'],
  ['replaced', 'graded'],
] as const)('a %s submission (it was %s) answers 409 conflict to every change', async (state, status) => {
  const { tenant, remove, replace, cancel, reEvaluate } = await reached(status);
  await (state === 'deleted' ? remove() : replace());
  for (const change of [remove, cancel, reEvaluate]) {
    await expectRefused(tenant, () => change(), 409, 'conflict');
  }
});

describe('re-evaluate', () => {
  test.each(OVER)('%s → a new run: 202, queued, attempt_count + 1, reserved again', async (status) => {
    const created = await reached(status);
    const before = await created.read();
    const charged = ['graded', 'partially_graded'].includes(status) ? 2 : 0;
    const { status: http, body } = await created.reEvaluate();
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

    await gradeRun(service, created.id, 2);
    expect(await created.read()).toMatchObject({ status: 'graded', credits_charged: 2, attempt_count: 2 });
    expect(await created.tenant.credits()).toMatchObject({ balance: 1000 - charged - 2, committed: 0 });
    expect((await created.result()).totals).toMatchObject({ awarded: 5, max: 5 });
  });

  test.each(ACTIVE)('%s answers 409 evaluation_in_progress', async (status) => {
    const { tenant, reEvaluate } = await reached(status);
    await expectRefused(tenant, () => reEvaluate(), 409, 'evaluation_in_progress');
  });

  test('without credits it answers 402, beyond the quota 429, and nothing changes', async () => {
    const poor = await reached('graded', { credits: 3 });
    const error = await expectRefused(poor.tenant, () => poor.reEvaluate(), 402, 'insufficient_credits');
    expect(error.details).toMatchObject({ required: 2, available: 1, balance: 1, committed: 0 });

    const busy = await reached('graded', { dailyCopyQuota: 1 });
    await expectRefused(busy.tenant, () => busy.reEvaluate(), 429, 'daily_quota_exceeded');
  });

  test('an accepted re-evaluation counts one copy', async () => {
    const created = await reached('graded');
    await created.reEvaluate();
    expect((await created.tenant.api.get<{ quota_used_today: number }>('/me')).body.quota_used_today).toBe(2);
  });

  test('single-question re-evaluation answers feature_not_available', async () => {
    const { tenant, questionId, reEvaluate } = await reached('graded');
    const call = () => reEvaluate({ question_ids: [questionId('2')] });
    await expectRefused(tenant, call, 422, 'feature_not_available');
  });

  test('`keep_overrides` is a boolean, true by default', async () => {
    const { tenant, reEvaluate } = await reached('graded');
    await expectRefused(tenant, () => reEvaluate({ keep_overrides: 'yes' }), 422, 'validation_failed');
    expect((await reEvaluate({ keep_overrides: true, unknown: 1 })).status).toBe(202);
  });

  test('a typed paper without long answers is marked again at once, without a charge', async () => {
    const { tenant, exam, wrap } = await newTestExam(service);
    const answers = [{ question_label: '1', option_labels: ['B'] }];
    const submission = wrap(
      await submit(tenant.api, exam.id, { candidate: { external_id: 'a' }, answers }),
      'a',
    );
    const before = await submission.result();
    const { status, body } = await submission.reEvaluate();
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'graded',
      attempt_count: 2,
      credits_charged: 0,
      progress: null,
      queue: null,
    });
    const { graded_at: _first, ...then } = before;
    const { graded_at: _second, ...now } = await submission.result();
    expect(now).toEqual(then);
  });
});
