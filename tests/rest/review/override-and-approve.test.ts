import { beforeAll, describe, expect, test } from 'vitest';
import type { Result, ResultList, Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { registered } from '../../harness/candidates.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { newTestExam, type TestExam, type TestSubmission } from '../../harness/testExam.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import { expectRefused, newTenant, problemsIn, startIdleService } from '../../harness/tenant.ts';

const TEACHER = { reviewer: 'T-07' };
const IN_STATUS = async (status: Submission['status']) => {
  const testExam = await newTestExam(service);
  return { ...testExam, submission: await testExam.reach(status) };
};
const NOT_REVIEWED = ['queued', 'processing', 'reading', 'grading', 'failed', 'cancelled'] as const;

let graded: Awaited<ReturnType<typeof IN_STATUS>>;
let notReviewed: TestExam;
const inStatus = new Map<Submission['status'], TestSubmission>();
const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));

beforeAll(async () => {
  graded = await IN_STATUS('graded');
  notReviewed = await newTestExam(service);
  for (const status of NOT_REVIEWED) inStatus.set(status, await notReviewed.reach(status));
  // Keeps the leases of the claimed runs from expiring, however long the tests take.
  await behind(service.database, `update runs set lease_until = lease_until + interval '1 day'`);
});

const submissionIn = async (status: Submission['status']): Promise<TestSubmission> => {
  const submission = inStatus.get(status);
  if (submission === undefined) throw new Error(`no submission is ${status}`);
  expect(await submission.read()).toMatchObject({ status });
  return submission;
};

describe('PATCH /submissions/{id}/questions/{question_id}', () => {
  test('the mark counts at once, and the answer is the question result', async () => {
    const { submission } = await IN_STATUS('graded');
    const before = await submission.question('2');
    const answer = await submission.override('2', {
      ...TEACHER,
      awarded: 0.5,
      reason: 'Half of it is missing.',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...before,
      awarded: 0.5,
      source: 'ai_reviewed',
      review: {
        reviewer: { ref: 'T-07', name: null },
        reason: 'Half of it is missing.',
        edited: true,
        edited_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        approved: false,
      },
    });
    expect(await submission.question('2')).toEqual(answer.body);
  });

  test('totals follow, in the single result and in the exam’s list', async () => {
    const { tenant, exam, submission } = await IN_STATUS('graded');
    expect((await submission.result()).totals).toMatchObject({ awarded: 4, max: 5, percentage: 80 });
    await submission.override('2', { ...TEACHER, awarded: 2 });
    await submission.override('3', { ...TEACHER, awarded: 0 });
    await submission.override('1', { ...TEACHER, awarded: -0.5 });
    const single = await submission.result();
    expect(single.totals).toEqual({
      awarded: 1.5,
      max: 5,
      percentage: 30,
      questions_graded: 3,
      questions_failed: 0,
    });
    const list = await tenant.api.get<ResultList>(`/exams/${exam.id}/results`);
    expect(list.body.data).toEqual([single]);
  });

  test('`source` becomes ai_reviewed, also for a question marked by key; the others stay unchanged', async () => {
    const { submission } = await IN_STATUS('graded');
    const { questions } = await submission.result();
    expect(questions.map(({ source }) => source)).toEqual(['auto', 'ai', 'ai']);
    expect((await submission.override('1', { ...TEACHER, awarded: 0 })).body.source).toBe('ai_reviewed');
    expect((await submission.result()).questions.slice(1)).toEqual(questions.slice(1));
  });

  test('the last override counts; `reason` may be omitted or null, which clears an earlier one', async () => {
    const { submission } = await IN_STATUS('graded');
    await submission.override('2', { reviewer: 'first', awarded: 2, reason: 'Generous.' });
    const second = await submission.override('2', { reviewer: 'second', awarded: 1, reason: null });
    expect(second.body).toMatchObject({
      awarded: 1,
      review: { reviewer: { ref: 'second', name: null }, reason: null },
    });
    expect((await submission.result()).totals.awarded).toBe(3.5);
  });

  test('`updated_at` grows with every override, also a repeated one, and the feed shows each', async () => {
    const { tenant, submission } = await IN_STATUS('graded');
    for (let round = 0; round < 3; round += 1) {
      const { updated_at } = await submission.read();
      await submission.override('2', { ...TEACHER, awarded: 1 });
      const after = await submission.read();
      expect(after.updated_at > updated_at).toBe(true);
      const feed = await tenant.api.get<SubmissionList>(`/submissions?updated_since=${after.updated_at}`);
      expect(feed.body.data).toEqual([after]);
    }
  });

  test.each(NOT_REVIEWED)('%s answers 409 conflict, with any body', async (status) => {
    const submission = await submissionIn(status);
    const before = await submission.result();
    for (const body of [
      { ...TEACHER, awarded: 1 },
      { awarded: 'none', unknown: 1 },
    ]) {
      await expectRefused(notReviewed.tenant, () => submission.override('2', body), 409, 'conflict');
    }
    expect(await submission.result()).toEqual(before);
  });

  test('finalized answers 409 submission_finalized; replaced or deleted answers 409 conflict', async () => {
    const { tenant, finalize, submission } = await IN_STATUS('graded');
    const override = () => submission.override('2', { ...TEACHER, awarded: 0 });
    await finalize({ submission_ids: [submission.id] });
    await expectRefused(tenant, override, 409, 'submission_finalized');
    await submission.unfinalize();
    await submission.replace();
    await expectRefused(tenant, override, 409, 'conflict');
    expect((await submission.result()).totals.awarded).toBe(4);

    const gone = await IN_STATUS('graded');
    await gone.submission.remove();
    await expectRefused(
      gone.tenant,
      () => gone.submission.override('2', { ...TEACHER, awarded: 0 }),
      409,
      'conflict',
    );
  });

  test('overriding the failed question makes the copy graded, and removes its error and flag', async () => {
    const { tenant, exam, submission } = await IN_STATUS('partially_graded');
    expect(await submission.read()).toMatchObject({ needs_review: true });
    expect(await submission.question('3')).toMatchObject({
      status: 'failed',
      needs_review: true,
      review_reasons: ['failed'],
    });
    const before = await registered(tenant.api, exam.id, 'candidate-1');
    expect((await submission.override('3', { ...TEACHER, awarded: 1 })).body).toMatchObject({
      status: 'graded',
      awarded: 1,
      source: 'ai_reviewed',
      needs_review: false,
      review_reasons: [],
      error: null,
    });
    const result = await submission.result();
    expect(result).toMatchObject({ status: 'graded', needs_review: false, error: null });
    expect(result.totals).toMatchObject({ awarded: 3.5, questions_graded: 3, questions_failed: 0 });
    const after = await registered(tenant.api, exam.id, 'candidate-1');
    expect(after.submission_status).toBe('graded');
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  test('with another failed question the copy stays partially graded, until each is overridden', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));
    const { id } = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'a' },
      answers: ['1', '2', '3'].map((question_label) => ({ question_label, text: 'So.' })),
    });
    const held = await takeRun(service, id);
    await held.complete({ 1: 1, 2: 'failed', 3: 'failed' });
    const seen = [];
    for (const { id: questionId } of exam.questions) {
      await tenant.api.patch(`/submissions/${id}/questions/${questionId}`, { ...TEACHER, awarded: 1 });
      const { body } = await tenant.api.get<Submission>(`/submissions/${id}`);
      seen.push([body.status, body.needs_review]);
    }
    expect(seen).toEqual([
      ['partially_graded', true],
      ['partially_graded', true],
      ['graded', false],
    ]);
  });

  test('the flag stays while the copy has another reason', async () => {
    const { submission } = await IN_STATUS('queued');
    const held = await submission.take();
    await held.complete({ 2: 'failed', 3: 1 }, ['unassigned_ink']);
    await submission.override('2', { ...TEACHER, awarded: 1 });
    expect(await submission.read()).toMatchObject({
      status: 'graded',
      needs_review: true,
      review_reasons: ['unassigned_ink'],
    });
  });

  test('a mark of a handwritten copy is overridden too, and its charge stays', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(
      tenant.api,
      handwrittenExam({ questions: [longAnswer('1'), mcq('2', { negative_marks: 1 })] }),
    );
    const { id } = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'a' },
      upload_id: await uploadCopy(tenant.api, plainPdf(2)),
    });
    await gradeRun(service, id);
    const path = (index: number) => `/submissions/${id}/questions/${exam.questions[index]?.id}`;
    expect((await tenant.api.patch(path(0), { ...TEACHER, awarded: 2 })).status).toBe(200);
    // Handwritten exams have no negative marks, so overrides start at 0.
    const refused = await expectRefused(
      tenant,
      () => tenant.api.patch(path(1), { ...TEACHER, awarded: -0.5 }),
      422,
      'validation_failed',
    );
    expect(problemsIn(refused)).toEqual(['awarded: out_of_range']);
    const { body } = await tenant.api.get<Result>(`/submissions/${id}/result`);
    expect(body).toMatchObject({ status: 'graded', credits_charged: 2, totals: { awarded: 3, max: 3 } });
    expect(await tenant.credits()).toMatchObject({ balance: 998, committed: 0 });
  });
});

describe('POST /submissions/{id}/approve', () => {
  test('clears flag and reasons of the submission, and answers the submission', async () => {
    const { submission } = await IN_STATUS('queued');
    const held = await submission.take();
    await held.complete(1, ['unassigned_ink']);
    const before = await submission.read();
    expect(before).toMatchObject({ needs_review: true, review_reasons: ['unassigned_ink'] });
    const answer = await submission.approve({ reviewer: 'T-07' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...before,
      needs_review: false,
      review_reasons: [],
      updated_at: expect.any(String),
    });
    expect(answer.body.updated_at > before.updated_at).toBe(true);
    expect(await submission.read()).toEqual(answer.body);
    expect(await submission.result()).toMatchObject({ needs_review: false, review_reasons: [] });
  });

  test('`source` stays, `review.approved` is true with the reviewer, and no mark changes', async () => {
    const { submission } = await IN_STATUS('graded');
    const before = await submission.result();
    await submission.approve({ reviewer: 'T-07' });
    const after = await submission.result();
    expect(after.totals).toEqual(before.totals);
    expect(after.questions).toEqual(
      before.questions.map((question) => ({
        ...question,
        review: { ...question.review, approved: true, reviewer: { ref: 'T-07', name: null } },
      })),
    );
    expect(after.questions.map(({ source }) => source)).toEqual(['auto', 'ai', 'ai']);
  });

  test('body and reviewer are optional; unknown fields are ignored', async () => {
    for (const body of [undefined, {}, { reviewer: null }, { anything: 1 }]) {
      const { submission } = await IN_STATUS('graded');
      expect((await submission.approve(body)).status).toBe(200);
      expect((await submission.question('2')).review).toMatchObject({
        approved: true,
        edited: false,
        reviewer: { ref: null },
      });
    }
  });

  test.each([
    [{ reviewer: '' }, 'reviewer: required'],
    [{ reviewer: 7 }, 'reviewer: invalid_type'],
    [{ reviewer: 'x'.repeat(129) }, 'reviewer: too_long'],
  ])('%j answers 422', async (body, problem) => {
    const { tenant, submission } = graded;
    const error = await expectRefused(tenant, () => submission.approve(body), 422, 'validation_failed');
    expect(problemsIn(error)).toEqual([problem]);
  });

  test.each(NOT_REVIEWED)('%s is not graded and answers 409 conflict', async (status) => {
    const submission = await submissionIn(status);
    await expectRefused(notReviewed.tenant, () => submission.approve(), 409, 'conflict');
  });

  test('finalized answers 409 submission_finalized; replaced or deleted answers 409 conflict', async () => {
    const { tenant, finalize, submission } = await IN_STATUS('graded');
    await finalize({ all_graded: true });
    await expectRefused(tenant, () => submission.approve(), 409, 'submission_finalized');
    await submission.unfinalize();
    await submission.remove();
    await expectRefused(tenant, () => submission.approve(), 409, 'conflict');
  });

  test('a partially graded copy can be approved, and its failed questions stay failed', async () => {
    const { submission } = await IN_STATUS('partially_graded');
    expect((await submission.approve()).body).toMatchObject({
      status: 'partially_graded',
      needs_review: false,
    });
    expect(await submission.question('3')).toMatchObject({ status: 'failed', needs_review: true });
  });

  test('an approved copy can be overridden; it stays approved and is not flagged again', async () => {
    const { submission } = await IN_STATUS('partially_graded');
    await submission.approve({ reviewer: 'head' });
    const { body } = await submission.override('2', { ...TEACHER, awarded: 2 });
    expect(body.review).toMatchObject({ approved: true, edited: true, reviewer: { ref: 'T-07' } });
    expect(await submission.read()).toMatchObject({ status: 'partially_graded', needs_review: false });
    expect((await submission.question('3')).review).toMatchObject({
      edited: false,
      reviewer: { ref: 'head' },
    });
  });

  test('approving again is allowed, and stores the last reviewer', async () => {
    const { submission } = await IN_STATUS('graded');
    for (const reviewer of ['first', 'second']) {
      expect((await submission.approve({ reviewer })).status).toBe(200);
      expect((await submission.question('2')).review.reviewer.ref).toBe(reviewer);
    }
  });

  test('the list of submissions that need review follows', async () => {
    const { tenant, exam, submission } = await IN_STATUS('partially_graded');
    const flagged = async () =>
      (await tenant.api.get<SubmissionList>(`/exams/${exam.id}/submissions?needs_review=true`)).body.data;
    expect((await flagged()).map(({ id }) => id)).toEqual([submission.id]);
    await submission.approve();
    expect(await flagged()).toEqual([]);
  });
});
