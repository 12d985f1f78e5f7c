import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SubmissionStatus, type Exam, type Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { newTestExam, type TestExam, type TestSubmission } from '../../harness/testExam.ts';
import {
  expectError,
  expectRefused,
  problemsIn,
  startIdleService,
  stored,
  wholeFeed,
} from '../../harness/tenant.ts';

/** An exam with a submission in each status, for tests that leave them unchanged or restore them. */
let every: TestExam & { by: TestSubmission[] };
let graded: TestExam & { by: TestSubmission[] };
const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));

beforeAll(async () => {
  every = await examWith(...STATUSES);
  graded = await examWith('graded');
  // Keeps the leases of the claimed runs from expiring, however long the tests take.
  await behind(service.database, `update runs set lease_until = lease_until + interval '1 day'`);
});

const STATUSES = SubmissionStatus.options;

const examWith = async (
  ...statuses: Submission['status'][]
): Promise<TestExam & { by: TestSubmission[] }> => {
  const hall = await newTestExam(service);
  const by: TestSubmission[] = [];
  for (const status of statuses) by.push(await hall.reach(status));
  return { ...hall, by };
};
const finalizedOf = async (submissions: readonly TestSubmission[]): Promise<boolean[]> =>
  Promise.all(submissions.map(async ({ read }) => (await read()).finalized));
/** Unfinalizes the submissions, so that the next test finds the original state. */
const takeBack = async (submissions: readonly TestSubmission[]): Promise<void> => {
  for (const submission of submissions) {
    if ((await submission.read()).finalized) expect((await submission.unfinalize()).status).toBe(200);
  }
};
const first = ([submission]: readonly TestSubmission[]): TestSubmission => {
  if (submission === undefined) throw new Error('there is no submission');
  return submission;
};

describe('POST /exams/{id}/finalize with submission_ids', () => {
  test('named graded submissions become final, and only their state changes', async () => {
    const { finalize, by } = await examWith('graded', 'graded');
    const [named, other] = by;
    const before = await named?.read();
    const result = await named?.result();
    const untouched = await other?.read();
    const answer = await finalize({ submission_ids: [named?.id] });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { skipped: [] } });
    const after = await named?.read();
    expect(after).toEqual({
      ...before,
      finalized: true,
      finalized_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect(after?.updated_at).not.toBe(before?.updated_at);
    expect(await named?.result()).toEqual({
      ...result,
      finalized: true,
      finalized_at: after?.finalized_at,
    });
    expect(await other?.read()).toEqual(untouched);
  });

  test.each([
    [undefined, ['graded']],
    [null, ['graded']],
    [false, ['graded']],
    [true, ['graded', 'partially_graded', 'failed']],
  ] as const)(
    'with allow_partial %s, %j become final, and every other one is skipped as not_graded',
    async (allow_partial, final) => {
      const { finalize, by } = every;
      onTestFinished(() => takeBack(by));
      const { status, body } = await finalize({ submission_ids: by.map(({ id }) => id), allow_partial });
      expect(status).toBe(200);
      const isFinal = STATUSES.map((one) => final.some((each) => each === one));
      expect(await finalizedOf(by)).toEqual(isFinal);
      const skipped = by.filter((_one, index) => !isFinal[index]);
      const byId = (a: { submission_id?: string | undefined }, b: { submission_id?: string | undefined }) =>
        (a.submission_id ?? '').localeCompare(b.submission_id ?? '');
      expect(body.skipped.toSorted(byId)).toEqual(
        skipped.map(({ id }) => ({ submission_id: id, reason: 'not_graded' })).toSorted(byId),
      );
    },
  );

  test('already_finalized and not_live submissions are skipped with that reason, and stay unchanged', async () => {
    const { tenant, finalize, by } = await examWith('graded', 'graded', 'graded');
    const [done, replaced, deleted] = by;
    await finalize({ submission_ids: [done?.id] });
    await replaced?.replace();
    await deleted?.remove();
    const before = (await wholeFeed(tenant.api)).map(stored);
    const { body } = await finalize({ submission_ids: by.map(({ id }) => id), allow_partial: true });
    expect(new Map(body.skipped.map(({ submission_id, reason }) => [submission_id, reason]))).toEqual(
      new Map([
        [done?.id, 'already_finalized'],
        [replaced?.id, 'not_live'],
        [deleted?.id, 'not_live'],
      ]),
    );
    expect((await wholeFeed(tenant.api)).map(stored)).toEqual(before);
  });

  test('a submission named twice, in any case of its id, is finalized once and skipped once', async () => {
    const { finalize, by, status } = await examWith('graded', 'queued');
    const ids = by.flatMap(({ id }) => [id, id.toUpperCase(), id]);
    expect((await finalize({ submission_ids: ids })).body).toEqual({
      skipped: [{ submission_id: by[1]?.id, reason: 'not_graded' }],
    });
    expect(await status()).toBe('open');
    await by[1]?.remove();
    expect(await status()).toBe('finalized');
  });

  test('a submission that is unknown, of another exam or of another institute answers 404, and nothing changes', async () => {
    const { tenant, finalize, by } = await examWith('graded');
    const { id } = first(by);
    const elsewhere = await createExam(tenant.api, typedExam([mcq('1')]));
    const other = await submit(tenant.api, elsewhere.id, { candidate: { external_id: 'a' }, answers: [] });
    const foreign = first((await examWith('graded')).by);
    for (const unknown of [randomUUID(), other.id, foreign.id]) {
      await expectRefused(tenant, () => finalize({ submission_ids: [id, unknown] }), 404, 'not_found');
    }
    expect((await foreign.read()).finalized).toBe(false);
  });
});

describe('POST /exams/{id}/finalize with all_graded', () => {
  test.each([
    [undefined, ['graded']],
    [true, ['graded', 'partially_graded', 'failed']],
  ] as const)(
    'with allow_partial %s, %j become final, and every other one is omitted from the answer',
    async (allow_partial, final) => {
      const { finalize, by } = every;
      onTestFinished(() => takeBack(by));
      const { status, body } = await finalize({ all_graded: true, allow_partial });
      expect({ status, body }).toEqual({ status: 200, body: { skipped: [] } });
      expect(await finalizedOf(by)).toEqual(STATUSES.map((one) => final.some((each) => each === one)));
    },
  );

  test('replaced and deleted submissions, and those of other exams, stay unchanged', async () => {
    const { finalize, by } = await examWith('graded', 'graded', 'graded');
    const [replaced, deleted] = by;
    const elsewhere = first((await examWith('graded')).by);
    await replaced?.replace();
    await deleted?.remove();
    await finalize({ all_graded: true, allow_partial: true });
    expect(await finalizedOf([...by, elsewhere])).toEqual([false, false, true, false]);
  });

  test('without a submission to finalize, before or after, the answer is the same', async () => {
    const { tenant, finalize } = await examWith();
    expect(await finalize({ all_graded: true })).toMatchObject({ status: 200, body: { skipped: [] } });
    const once = await examWith('graded');
    await once.finalize({ all_graded: true });
    const before = (await wholeFeed(once.tenant.api)).map(stored);
    expect(await once.finalize({ all_graded: true })).toMatchObject({ status: 200, body: { skipped: [] } });
    expect((await wholeFeed(once.tenant.api)).map(stored)).toEqual(before);
    expect(await wholeFeed(tenant.api)).toEqual([]);
  });

  test('thousands of results are finalized in one call', async () => {
    const { tenant, exam, finalize, by } = await examWith('graded');
    const { id } = first(by);
    // More than fit into one statement with a parameter for each value.
    await multiply(id, 8_000);
    const answer = await finalize({ all_graded: true });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { skipped: [] } });
    const [left] = await behind<{ finalized: number; audited: number; unfinalized: number }>(
      service.database,
      `select (select count(*)::int from submissions where exam_id = $1 and finalized_at is not null) as finalized,
         (select count(distinct submission_id)::int from audit_entries where exam_id = $1 and action = 'finalize') as audited,
         (select live_unfinalized from exams where id = $1) as unfinalized`,
      [exam.id],
    );
    expect(left).toEqual({ finalized: 8_001, audited: 8_001, unfinalized: 0 });
    expect((await tenant.api.get<Exam>(`/exams/${exam.id}`)).body.status).toBe('finalized');
  });
});

/** Copies a submission for other candidates, since the API would take too long. */
const multiply = (submissionId: string, count: number): Promise<object[]> =>
  behind(
    service.database,
    `with one as (select * from submissions where id = $1),
     made as (
       insert into candidates (id, institute_id, external_id)
       select gen_random_uuid(), one.institute_id, 'many-' || n from one, generate_series(1, $2::int) n
       returning id, institute_id),
     sat as (
       insert into submissions
       select row.* from one, made, jsonb_populate_record(null::submissions,
         to_jsonb(one) || jsonb_build_object('id', gen_random_uuid(), 'candidate_id', made.id)) as row
       returning exam_id)
     update exams set live_submissions = live_submissions + $2, live_unfinalized = live_unfinalized + $2
     where id = (select exam_id from one)`,
    [submissionId, count],
  );

describe('the body of finalize', () => {
  test.each<[what: string, body: unknown, problem: string]>([
    ['neither', {}, 'submission_ids: required'],
    ['neither, with allow_partial', { allow_partial: true }, 'submission_ids: required'],
    ['both null', { submission_ids: null, all_graded: null }, 'submission_ids: required'],
    ['both', { submission_ids: [randomUUID()], all_graded: true }, 'submission_ids: not_allowed'],
    ['an empty list', { submission_ids: [] }, 'submission_ids: too_short'],
    ['a malformed id', { submission_ids: [randomUUID(), 'x'] }, 'submission_ids[1]: invalid_value'],
    ['an id that is a number', { submission_ids: [7] }, 'submission_ids[0]: invalid_type'],
    ['too many', { submission_ids: Array(10_001).fill(randomUUID()) }, 'submission_ids: too_long'],
    ['no list', { submission_ids: 'all' }, 'submission_ids: invalid_type'],
    ['all_graded that is text', { all_graded: 'true' }, 'all_graded: invalid_value'],
    ['all_graded false', { all_graded: false }, 'all_graded: invalid_value'],
    ['allow_partial that is text', { all_graded: true, allow_partial: 'yes' }, 'allow_partial: invalid_type'],
  ])('%s answers 422, and nothing changes', async (_what, body, problem) => {
    const { tenant, finalize } = graded;
    const error = await expectRefused(tenant, () => finalize(body), 422, 'validation_failed');
    expect(problemsIn(error)).toEqual([problem]);
  });

  test('an unknown field is ignored', async () => {
    const { finalize, by } = await examWith('graded');
    expect((await finalize({ all_graded: true, publish: true })).status).toBe(200);
    expect(await finalizedOf(by)).toEqual([true]);
  });

  test('a draft has no results and answers 409 conflict before its body is checked; a deleted exam answers 404', async () => {
    const { tenant } = await examWith();
    const draft = await createExam(tenant.api, { ...typedExam([longAnswer('1')]), open: false });
    const call = () => tenant.api.post(`/exams/${draft.id}/finalize`, { all_graded: 'no' });
    expectError(await call(), 409, 'conflict');
    await tenant.api.delete(`/exams/${draft.id}`);
    expectError(await call(), 404, 'exam_not_found');
    expectError(
      await tenant.api.post(`/exams/${randomUUID()}/finalize`, { all_graded: 'no' }),
      404,
      'exam_not_found',
    );
  });
});

describe('POST /submissions/{id}/unfinalize', () => {
  test('the submission is as it was before it was finalized, and is the answer', async () => {
    const { finalize, by } = await examWith('graded');
    const one = first(by);
    const before = await one.read();
    await finalize({ all_graded: true });
    const final = await one.read();
    const answer = await one.unfinalize({ reason: 'A page was missed.' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, updated_at: expect.any(String) });
    expect(answer.body.updated_at > final.updated_at).toBe(true);
    expect(await one.read()).toEqual(answer.body);
    expect((await one.override('2', { reviewer: 'T', awarded: 0 })).status).toBe(200);
    expect((await finalize({ submission_ids: [one.id] })).body).toEqual({ skipped: [] });
    expect((await one.read()).finalized).toBe(true);
  });

  test.each<[body: unknown, problem: string]>([
    [{}, 'reason: required'],
    [{ reason: null }, 'reason: invalid_type'],
    [{ reason: '' }, 'reason: required'],
    [{ reason: ' \n' }, 'reason: required'],
    [{ reason: 7 }, 'reason: invalid_type'],
    [{ reason: 'x'.repeat(2001) }, 'reason: too_long'],
  ])('requires a reason: %j answers 422', async (body, problem) => {
    const { tenant, finalize, by } = graded;
    await finalize({ all_graded: true });
    onTestFinished(() => takeBack(by));
    const error = await expectRefused(tenant, () => first(by).unfinalize(body), 422, 'validation_failed');
    expect(problemsIn(error)).toEqual([problem]);
  });

  test.each(STATUSES)('%s and not finalized answers 409 conflict, with any body', async (status) => {
    const { tenant, by } = every;
    const submission = first(by.slice(STATUSES.indexOf(status)));
    expect(await submission.read()).toMatchObject({ status, finalized: false });
    for (const body of [{ reason: 'So.' }, {}]) {
      await expectRefused(tenant, () => submission.unfinalize(body), 409, 'conflict');
    }
  });

  test('replaced or deleted answers 409 conflict', async () => {
    const { tenant, by } = await examWith('graded', 'graded');
    await by[0]?.replace();
    await by[1]?.remove();
    for (const { unfinalize } of by) await expectRefused(tenant, () => unfinalize(), 409, 'conflict');
  });
});
