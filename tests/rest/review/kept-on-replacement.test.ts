import { describe, expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { behind } from '../../harness/behind.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { newTestExam, type TestSubmission } from '../../harness/testExam.ts';
import type { Marks } from '../../harness/testWorker.ts';
import { expectPostRefused, expectRefused, startIdleService } from '../../harness/tenant.ts';

/* Human decisions persist across runs (docs/api/lifecycle.md#submissions), and are recorded in the audit. */
const service = closedAfterTests(await startIdleService());
const ledger = closedAfterTests(lookBehind(service.database));

const graded = async (options: Parameters<typeof newTestExam>[1] = {}) => {
  const testExam = await newTestExam(service, options);
  return { ...testExam, submission: await testExam.reach('graded') };
};
const runAgain = async (submission: TestSubmission, marks: Marks): Promise<void> => {
  const held = await submission.take();
  expect(await held.complete(marks)).toBe('ok');
};
const marks = async (submission: TestSubmission) =>
  (await submission.result()).questions.map(({ awarded, source }) => [awarded, source]);

describe('a re-evaluation keeps or drops overrides', () => {
  test.each([[undefined], [{}], [{ keep_overrides: null }], [{ keep_overrides: true }]])(
    'with %j the override replaces the new run’s mark',
    async (body) => {
      const { submission } = await graded();
      await submission.override('1', { reviewer: 'T', awarded: 0 });
      await submission.override('2', { reviewer: 'T', awarded: 0.5, reason: 'Why.' });
      const { review } = await submission.question('2');
      expect((await submission.reEvaluate(body)).status).toBe(202);
      await runAgain(submission, 2);
      expect(await marks(submission)).toEqual([
        [0, 'ai_reviewed'],
        [0.5, 'ai_reviewed'],
        [2, 'ai'],
      ]);
      expect((await submission.question('2')).review).toEqual(review);
      expect((await submission.result()).totals).toMatchObject({ awarded: 2.5, questions_graded: 3 });
    },
  );

  test('with keep_overrides false the new run’s marks count, and no trace of the override is shown', async () => {
    const { submission } = await graded();
    await submission.override('1', { reviewer: 'T', awarded: 0 });
    await submission.override('2', { reviewer: 'T', awarded: 0.5, reason: 'Why.' });
    await submission.reEvaluate({ keep_overrides: false });
    await runAgain(submission, 2);
    expect(await marks(submission)).toEqual([
      [1, 'auto'],
      [2, 'ai'],
      [2, 'ai'],
    ]);
    for (const { review } of (await submission.result()).questions) {
      expect(review).toEqual({
        reviewer: { ref: null, name: null },
        reason: null,
        edited: false,
        edited_at: null,
        approved: false,
      });
    }
  });

  test('a refused re-evaluation drops nothing', async () => {
    const { tenant, submission } = await graded({ credits: 3 });
    await submission.override('2', { reviewer: 'T', awarded: 0.5 });
    const before = await submission.result();
    await expectPostRefused(tenant, 402, 'insufficient_credits', `${submission.path}/re-evaluate`, {
      keep_overrides: false,
    });
    expect(await submission.result()).toEqual(before);
    expect((await auditOf(submission)).map(({ action }) => action)).toEqual(['override']);
  });

  test('a re-evaluation clears the approval, also if the overrides stay', async () => {
    const { submission } = await graded();
    await submission.override('2', { reviewer: 'T', awarded: 0.5 });
    await submission.approve({ reviewer: 'head' });
    await submission.reEvaluate();
    const cleared = async () =>
      (await submission.result()).questions.map(({ review }) => [review.approved, review.reviewer.ref]);
    expect(await cleared()).toEqual([
      [false, null],
      [false, 'T'],
      [false, null],
    ]);
    await runAgain(submission, 1);
    expect((await cleared()).map(([approved]) => approved)).toEqual([false, false, false]);
  });

  test('an overridden question that fails in the new run is graded, and does not make the copy partial', async () => {
    const { submission } = await graded();
    await submission.override('2', { reviewer: 'T', awarded: 0.5 });
    await submission.reEvaluate();
    await runAgain(submission, { 2: 'failed', 3: 1 });
    expect(await submission.read()).toMatchObject({
      status: 'graded',
      needs_review: false,
      credits_charged: 2,
    });
    expect(await submission.question('2')).toMatchObject({
      status: 'graded',
      awarded: 0.5,
      source: 'ai_reviewed',
      needs_review: false,
      error: null,
    });
  });

  test('after a failed run the override is still there, and after the next run too', async () => {
    const { tenant, questionId, submission } = await graded();
    await submission.override('2', { reviewer: 'T', awarded: 0.5 });
    await submission.reEvaluate();
    await (await submission.take()).fail('timed_out');
    expect(await submission.read()).toMatchObject({ status: 'failed', credits_charged: null });
    expect(await submission.question('2')).toMatchObject({ status: 'graded', awarded: 0.5 });
    expect(await submission.question('3')).toMatchObject({ status: 'failed', awarded: null });
    await expectRefused(
      tenant,
      () =>
        tenant.api.patch(`${submission.path}/questions/${questionId('2')}`, { reviewer: 'T', awarded: 1 }),
      409,
      'conflict',
    );
    await submission.reEvaluate();
    await runAgain(submission, 2);
    expect((await submission.result()).totals.awarded).toBe(3.5);
  });

  test('a replacement starts without the overrides of the replaced submission', async () => {
    const { wrap, submission } = await graded();
    await submission.override('1', { reviewer: 'T', awarded: 0 });
    const next = wrap((await submission.replace()).body, 'candidate-1');
    expect(await next.question('1')).toMatchObject({ source: 'auto', review: { edited: false } });
    expect(await submission.question('1')).toMatchObject({ source: 'ai_reviewed', awarded: 0 });
  });
});

describe('a teacher’s mark is never overwritten', () => {
  test('of a simultaneous override and re-evaluation, the override came first and stays, or is refused', async () => {
    const testExam = await newTestExam(service, { credits: 1000 });
    const submission = await testExam.reach('graded');
    const came = { first: 0, refused: 0 };
    let last: number | null = null;
    for (let round = 0; round < 40; round += 1) {
      const awarded = (round % 5) / 2;
      const ask = [
        () => submission.override('2', { reviewer: `T${round}`, awarded }),
        () => submission.reEvaluate({ keep_overrides: true }),
      ];
      if (round % 2 === 1) ask.reverse();
      const answers = await Promise.all(ask.map((call) => call()));
      const [override, again] = round % 2 === 1 ? answers.toReversed() : answers;
      expect(again?.status).toBe(202);
      if (override?.status === 200) {
        came.first += 1;
        last = awarded;
      } else {
        came.refused += 1;
        expect({ status: override?.status, body: override?.body }).toMatchObject({
          status: 409,
          body: { error: { code: 'conflict' } },
        });
      }
      const held = await submission.take();
      const [late] = await Promise.all([
        submission.override('2', { reviewer: 'late', awarded: 2 }),
        held.complete(1),
      ]);
      if (late.status === 200) last = 2;
      else expect(late.body.error.code).toBe('conflict');
      expect(await submission.question('2')).toMatchObject(
        last === null ? { awarded: 1, source: 'ai' } : { awarded: last, source: 'ai_reviewed' },
      );
    }
    expect(came.first).toBeGreaterThan(0);
    expect(came.refused).toBeGreaterThan(0);
  });

  test('of two simultaneous overrides the later one counts, and the audit has both in that order', async () => {
    const { submission } = await graded();
    const tried = [0, 0.5, 1, 1.5, 2].map((awarded) => ({ reviewer: `T${awarded}`, awarded }));
    const answers = await Promise.all(tried.map((body) => submission.override('2', body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const entries = await auditOf(submission);
    expect(entries).toHaveLength(5);
    for (const [index, entry] of entries.entries()) {
      expect(entry.before['awarded']).toBe(index === 0 ? 1.5 : entries[index - 1]?.after['awarded']);
    }
    expect((await submission.question('2')).awarded).toBe(entries.at(-1)?.after['awarded']);
  });
});

interface AuditEntry {
  institute_id: string;
  exam_id: string;
  submission_id: string;
  question_id: string | null;
  action: string;
  key_id: string;
  reviewer: string | null;
  reason: string | null;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  created_at: Date;
}
const auditOf = ({ id }: { id: string }) =>
  ledger.query<AuditEntry>(
    `select institute_id, exam_id, submission_id, question_id, action, key_id, reviewer, reason, before, after, created_at
     from audit_entries where submission_id = $1 and action::text !~ '^(submission_|re_evaluate)' order by id`,
    [id],
  );

describe('the audit of human decisions', () => {
  test('records who, with which key, when, before, after and why, for each kind of decision', async () => {
    const since = Date.now();
    const { tenant, exam, finalize, questionId, submission } = await graded();
    await submission.override('2', { reviewer: 'T-07', awarded: 0.5, reason: 'Half is missing.' });
    await submission.approve({ reviewer: 'head' });
    await finalize({ all_graded: true });
    await submission.unfinalize({ reason: 'A page was missed.' });
    await submission.reEvaluate({ keep_overrides: false });
    const entries = await auditOf(submission);
    const [key] = await behind<{ id: string }>(
      service.database,
      'select id from api_keys where institute_id = $1',
      [tenant.instituteId],
    );
    for (const entry of entries) {
      expect(entry).toMatchObject({
        institute_id: tenant.instituteId,
        exam_id: exam.id,
        submission_id: submission.id,
        key_id: key?.id,
      });
      expect(Math.abs(entry.created_at.getTime() - since)).toBeLessThan(60_000);
    }
    const question_id = questionId('2');
    const none = { question_id: null, reviewer: null, reason: null };
    expect(
      entries.map(({ action, question_id: question, reviewer, reason, before, after }) => ({
        action,
        question_id: question,
        reviewer,
        reason,
        before,
        after,
      })),
    ).toEqual([
      {
        action: 'override',
        question_id,
        reviewer: 'T-07',
        reason: 'Half is missing.',
        before: { status: 'graded', awarded: 1.5, source: 'ai', needs_review: false },
        after: { status: 'graded', awarded: 0.5, source: 'ai_reviewed', needs_review: false },
      },
      {
        ...none,
        action: 'approve',
        reviewer: 'head',
        before: { needs_review: false, review_reasons: [] },
        after: { needs_review: false, review_reasons: [] },
      },
      {
        ...none,
        action: 'finalize',
        before: { finalized: false, status: 'graded' },
        after: { finalized: true, status: 'graded' },
      },
      {
        ...none,
        action: 'unfinalize',
        reason: 'A page was missed.',
        before: { finalized: true },
        after: { finalized: false },
      },
      {
        ...none,
        action: 'override_dropped',
        question_id,
        before: { awarded: 0.5, reviewer: 'T-07', reason: 'Half is missing.' },
        after: { awarded: null },
      },
    ]);
  });

  test('an override that a re-evaluation keeps is not recorded again, and a refused one is not recorded', async () => {
    const { finalize, submission } = await graded();
    await submission.override('2', { reviewer: 'T', awarded: 1 });
    await submission.reEvaluate();
    await submission.approve();
    await submission.override('2', { reviewer: 'T', awarded: 0 });
    await finalize({ submission_ids: [submission.id], allow_partial: true });
    expect((await auditOf(submission)).map(({ action }) => action)).toEqual(['override']);
  });

  test('a replayed request is one decision', async () => {
    const { tenant, submission } = await graded();
    for (let round = 0; round < 3; round += 1) {
      const response = await tenant.api.send(`${submission.path}/approve`, {
        method: 'POST',
        headers: { 'idempotency-key': 'approve-once' },
      });
      expect(response.status).toBe(200);
    }
    expect(await auditOf(submission)).toHaveLength(1);
  });

  test('entries cannot be changed or deleted', async () => {
    const { submission } = await graded();
    await submission.approve();
    for (const statement of [
      `update audit_entries set reviewer = 'another' where submission_id = $1`,
      'delete from audit_entries where submission_id = $1',
    ]) {
      await expect(behind(service.database, statement, [submission.id])).rejects.toThrow('append-only');
    }
    expect(await auditOf(submission)).toHaveLength(1);
  });
});
