import { randomUUID } from 'node:crypto';
import { staffActor } from '@evaluation/platform/signed-actor';
import { afterAll, expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { restSuite } from '../harness/restSuite.ts';
import { codeOf, openStaff } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';

/* Exams that are assigned to examiners (docs/desk/roles.md#assigned-exams). */

const { service } = await restSuite();
const staff = await openStaff(service);
afterAll(() => staff.close());

/** An exam with a copy that needs a review, in an institute with two examiners. */
const examWithExaminers = async () => {
  const made = await newTestExam(service);
  const { instituteId } = made.tenant;
  const submission = await made.reach('graded');
  await behind(service.database, 'update submissions set needs_review = true where id = $1', [submission.id]);
  const join = async (name: string) => {
    const { staff: person } = await service.control.as({}).control.staff.invite.mutate({
      institute_id: instituteId,
      email: `${randomUUID()}@example.org`,
      name,
      role: 'examiner',
    });
    const scopes = ['evaluation:read', 'evaluation:review'];
    const actor = staffActor({ institute_id: instituteId, staff_id: person.id, role: 'examiner', scopes });
    return { id: person.id, calls: staff.access.as({ actor }).public };
  };
  const admin = staff.as(instituteId, ['evaluation:read', 'evaluation:write', 'evaluation:review']);
  const assignOnly = (assigned_only: boolean, seen: number) =>
    admin.desk.settings.change.mutate({ blind: false, guide_target: 0.95, assigned_only, seen });
  return {
    exam_id: made.exam.id,
    question_id: made.questionId('2'),
    submission_id: submission.id,
    admin,
    assignOnly,
    asha: await join('Asha'),
    ben: await join('Ben'),
  };
};

test('with the setting an examiner sees assigned exams only, in every list and by id; admins see all', async () => {
  const { exam_id, question_id, submission_id, admin, assignOnly, asha, ben } = await examWithExaminers();
  const seenBy = async ({ calls }: typeof asha) => ({
    listed: (await calls.exams.list.query({ query: {} })).data.length,
    desk: (await calls.desk.exams.list.query({})).data.length,
    feed: (await calls.submissions.feed.query({ query: {} })).data.length,
    review: (await calls.desk.review.queue.query({})).data.length,
    counted: (await calls.desk.review.counts.query()).counted,
    exam: await codeOf(calls.exams.get.query({ exam_id })),
    paper: await codeOf(calls.questions.list.query({ exam_id, query: {} })),
    rubrics: await codeOf(calls.rubrics.list.query({ exam_id })),
    screen: await codeOf(calls.desk.marking.screen.query({ submission_id })),
    next: await codeOf(calls.desk.marking.next.query({ exam_id, question_id })),
    approve: await codeOf(calls.submissions.approve.mutate({ submission_id, body: { reviewer: 'r' } })),
  });
  const nothing = {
    listed: 0,
    desk: 0,
    feed: 0,
    review: 0,
    counted: 0,
    exam: 'exam_not_found',
    paper: 'exam_not_found',
    rubrics: 'exam_not_found',
    screen: 'not_found',
    next: 'exam_not_found',
    approve: 'not_found',
  };
  expect((await asha.calls.exams.list.query({ query: {} })).data).toHaveLength(1);
  await assignOnly(true, 0);
  expect(await seenBy(asha)).toEqual(nothing);
  await admin.desk.exams.assign.mutate({ exam_id, staff_ids: [asha.id] });
  expect(await seenBy(asha)).toMatchObject({ listed: 1, desk: 1, feed: 1, review: 1, exam: 'answered' });
  expect(await seenBy(ben)).toEqual(nothing);
  expect((await admin.exams.list.query({ query: {} })).data).toHaveLength(1);
  await assignOnly(false, 1);
  expect(await seenBy(ben)).toMatchObject({ listed: 1, exam: 'answered' });
});

test('an assignment replaces the one before, names people of the institute only, and is in the audit', async () => {
  const { exam_id, admin, asha, ben } = await examWithExaminers();
  await admin.desk.exams.assign.mutate({ exam_id, staff_ids: [asha.id] });
  const after = await admin.desk.exams.assign.mutate({ exam_id, staff_ids: [ben.id] });
  expect(after).toEqual({
    assigned_only: false,
    data: [
      { staff_id: asha.id, name: 'Asha', is_assigned: false },
      { staff_id: ben.id, name: 'Ben', is_assigned: true },
    ],
  });
  const other = await examWithExaminers();
  const foreign = admin.desk.exams.assign.mutate({ exam_id, staff_ids: [other.asha.id] });
  expect(await codeOf(foreign)).toBe('not_found');
  expect(await admin.desk.exams.examiners.query({ exam_id })).toEqual(after);
  expect((await admin.desk.audit.list.query({ exam_id })).data[0]).toMatchObject({
    action: 'exam_edit',
    before: { examiners: ['Asha'] },
    after: { examiners: ['Ben'] },
  });
});
