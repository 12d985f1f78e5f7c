import { describe, expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { newTestExam, type TestExam, type TestSubmission } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';
import { codeOf, openStaff } from '../harness/staff.ts';

/* Marks of the last completed run after a re-evaluation that was cancelled or failed. */

const { service } = await restSuite();
const staff = closedAfterTests(await openStaff(service));

const restore = (made: TestExam, { id }: TestSubmission) =>
  staff.as(made.tenant.instituteId).regrade.restore.mutate({ submission_id: id });

const reEvaluate = async (made: TestExam, { path }: TestSubmission, body = {}): Promise<void> => {
  expect((await made.tenant.api.post(`${path}/re-evaluate`, body)).status).toBe(202);
};

const cancel = async (made: TestExam, { path }: TestSubmission): Promise<void> => {
  expect((await made.tenant.api.post(`${path}/cancel`)).status).toBe(200);
};

const fail = async ({ take }: TestSubmission): Promise<void> => {
  await (await take()).fail('timed_out');
};

describe('the marks of the last completed run', () => {
  test.each(['cancelled', 'failed'] as const)(
    'come back without a charge after a re-evaluation that is %s',
    async (outcome) => {
      const made = await newTestExam(service, { credits: 20 });
      const submission = await made.reach('graded');
      await submission.override('2', { reviewer: 'teacher', awarded: 1.5 });
      const before = await submission.result();
      const { credits_charged, rubric_version } = await submission.read();

      await reEvaluate(made, submission, { keep_overrides: false });
      await (outcome === 'failed' ? fail(submission) : cancel(made, submission));
      const credits = await made.tenant.credits();
      expect((await submission.result()).totals).not.toEqual(before.totals);

      expect(await restore(made, submission)).toMatchObject({
        status: 'graded',
        attempt_count: 2,
        error: null,
        credits_charged,
        rubric_version,
      });
      expect(await submission.result()).toEqual(before);
      expect(await made.tenant.credits()).toEqual(credits);
      expect((await submission.override('3', { reviewer: 'teacher', awarded: 1 })).status).toBe(200);
    },
  );

  test('survive a second re-evaluation that is cancelled too', async () => {
    const made = await newTestExam(service, { credits: 20 });
    const submission = await made.reach('graded');
    const before = await submission.result();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await reEvaluate(made, submission);
      await cancel(made, submission);
    }
    await restore(made, submission);
    expect(await submission.result()).toEqual(before);
  });

  test('are refused while marks are shown, while a run is active, if there are none, and to other institutes', async () => {
    const made = await newTestExam(service, { credits: 20 });
    const submission = await made.reach('graded');
    expect(await codeOf(restore(made, submission))).toBe('conflict');
    await reEvaluate(made, submission);
    expect(await codeOf(restore(made, submission))).toBe('evaluation_in_progress');
    await cancel(made, submission);
    const other = await newTestExam(service);
    expect(await codeOf(restore(other, submission))).toBe('not_found');
    expect(await codeOf(restore(made, await made.reach('cancelled')))).toBe('conflict');
  });
});
