import { expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { codeOf } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';
import { markingCalls } from './markingCalls.ts';

const { service, staff, examiner, screenOf } = await markingCalls();

/** A graded copy with a reason of its own for a review, and what an examiner does with its approval. */
const copyToReview = async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  await behind(
    service.database,
    `update submissions set needs_review = true, review_reasons = '{unassigned_writing}' where id = $1`,
    [submission.id],
  );
  const who = examiner(made);
  const approve = async (seen?: number) =>
    who.submissions.approve.mutate({
      submission_id: submission.id,
      body: {},
      seen_marks_revision: seen ?? (await screenOf(who, submission)).marks_revision,
    });
  const unapprove = (seen: number) =>
    who.desk.marking.unapprove.mutate({ submission_id: submission.id, seen_marks_revision: seen });
  return { made, submission, who, approve, unapprove };
};

test('an approval is withdrawn: the copy needs a review for its reasons from before, and its questions are open', async () => {
  const { made, submission, who, approve, unapprove } = await copyToReview();
  await submission.override('2', { reviewer: 'T', awarded: 1 });
  await approve();
  // An approval that is repeated clears nothing more.
  await approve();
  const { marks_revision } = await screenOf(who, submission);
  expect(await unapprove(marks_revision)).toEqual({ approved: false });
  expect(await submission.read()).toMatchObject({
    needs_review: true,
    review_reasons: ['unassigned_writing'],
    finalized: false,
  });
  const { questions } = await submission.result();
  expect(questions.map(({ review }) => review.approved)).toEqual([false, false, false]);
  expect(await submission.question('2')).toMatchObject({ awarded: 1, source: 'ai_reviewed' });
  const head = staff.as(made.tenant.instituteId, ['evaluation:read', 'evaluation:review']);
  expect((await head.desk.audit.list.query({ exam_id: made.exam.id })).data[0]).toMatchObject({
    action: 'unapprove',
    before: { review_reasons: [] },
    after: { review_reasons: ['unassigned_writing'] },
  });
});

test('withdrawing an approval again withdraws no later one, and a final copy keeps its approval', async () => {
  const { made, submission, who, approve, unapprove } = await copyToReview();
  await approve();
  const { marks_revision: seen } = await screenOf(who, submission);
  await unapprove(seen);
  expect(await unapprove(seen)).toEqual({ approved: false });
  expect(await codeOf(approve(seen))).toBe('conflict');
  await approve();
  expect(await codeOf(unapprove(seen))).toBe('conflict');
  expect((await screenOf(who, submission)).approved).toBe(true);
  await made.finalize({ all_graded: true });
  expect(await codeOf(unapprove((await screenOf(who, submission)).marks_revision))).toBe(
    'submission_finalized',
  );
});
