import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { behind } from '../harness/behind.ts';
import { newTestExam, type TestExam } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';
import { codeOf, openStaff } from '../harness/staff.ts';
import { gradeRun } from '../harness/takeRun.ts';

/* Regrading after a changed model answer: the bill, the list, and the command (docs/internal-teams.md). */

const { service } = await restSuite();
const staff = closedAfterTests(await openStaff(service));

const regradeOf = (made: TestExam) => staff.as(made.tenant.instituteId).regrade;
const examOf = (made: TestExam) => ({ exam_id: made.exam.id });

test('the bill counts outdated results, their stored quotes, and what is left alone and why', async () => {
  const made = await newTestExam(service, { credits: 20 });
  const [plain, approved, marked, finalized, failed] = [
    await made.reach('graded'),
    await made.reach('graded'),
    await made.reach('graded'),
    await made.reach('graded'),
    await made.reach('failed'),
  ];
  await approved.approve();
  await marked.override('2', { reviewer: 'teacher', awarded: 1 });
  await made.finalize({ submission_ids: [finalized.id] });
  const grading = await made.reach('grading');
  expect(await regradeOf(made).preview.query(examOf(made))).toMatchObject({ outdated: 0, questions: [] });

  const version = await made.changeModelAnswers('2');
  const queued = await made.reach('queued');
  const before = await made.tenant.credits();
  expect(await regradeOf(made).preview.query(examOf(made))).toEqual({
    exam_id: made.exam.id,
    rubric_version: version,
    questions: [{ question_id: made.questionId('2'), label: '2', changed_in: version }],
    outdated: 2,
    approved: 1,
    credits: 4,
    available: before.balance - before.committed,
    sufficient: true,
    skipped: { teacher_marked: 1, unaffected: 0, finalized: 1, erased: 0 },
    in_progress: 1,
  });
  const listed = await regradeOf(made).outdated.query({ ...examOf(made), limit: 1 });
  const rest = await regradeOf(made).outdated.query({
    ...examOf(made),
    cursor: listed.next_cursor ?? undefined,
  });
  expect([...listed.data, ...rest.data]).toMatchObject([
    { submission_id: plain.id, rubric_version: version - 1, credits: 2, approved: false },
    { submission_id: approved.id, credits: 2, approved: true },
  ]);
  expect(rest.has_more).toBe(false);
  const book = await staff.as(made.tenant.instituteId).desk.exams.markBook.query({
    ...examOf(made),
    show: 'outdated',
  });
  expect(new Set(book.data.map(({ submission }) => submission?.id))).toEqual(
    new Set([plain.id, approved.id]),
  );
  expect(await made.tenant.credits()).toEqual(before);
  for (const untouched of [failed, grading, queued]) {
    expect((await untouched.read()).attempt_count).toBe(1);
  }
});

test('a change to a question that the candidate left blank makes nothing outdated', async () => {
  const made = await newTestExam(service);
  const graded = await made.reach('graded');
  await behind(
    service.database,
    `update question_results set status = 'not_answered', source = null
     where question_id = $1 and run_id = (select current_run_id from submissions where id = $2)`,
    [made.questionId('3'), graded.id],
  );
  await made.changeModelAnswers('3');
  expect(await regradeOf(made).preview.query(examOf(made))).toMatchObject({
    outdated: 0,
    skipped: { unaffected: 1 },
  });
});

test('the command grades each outdated submission again once and pays its quote, also with two callers', async () => {
  const made = await newTestExam(service);
  const outdated = [await made.reach('graded'), await made.reach('graded'), await made.reach('graded')];
  const version = await made.changeModelAnswers('2', '3');
  const current = await made.reach('graded');
  const before = await made.tenant.credits();
  const start = () => regradeOf(made).start.mutate({ ...examOf(made), rubric_version: version });
  const answers = await Promise.all([start(), start()]);
  expect(answers.flatMap(({ queued }) => queued).toSorted()).toEqual(outdated.map(({ id }) => id).toSorted());
  expect(await start()).toEqual({ queued: [], remaining: 0, stopped: null });
  expect((await made.tenant.credits()).committed - before.committed).toBe(6);

  for (const submission of outdated) {
    expect(await submission.read()).toMatchObject({ status: 'queued', attempt_count: 2 });
    await gradeRun(service, submission.id, 2);
    expect(await submission.read()).toMatchObject({ status: 'graded', rubric_version: version });
  }
  expect(await start()).toMatchObject({ queued: [] });
  expect(await made.tenant.credits()).toEqual({ ...before, balance: before.balance - 6 });
  expect((await current.read()).attempt_count).toBe(1);
});

test('a regrade keeps the marks of teachers on other questions', async () => {
  const made = await newTestExam(service);
  const graded = await made.reach('graded');
  await graded.override('3', { reviewer: 'teacher', awarded: 0.5 });
  const version = await made.changeModelAnswers('2');
  await regradeOf(made).start.mutate({ ...examOf(made), rubric_version: version });
  await gradeRun(service, graded.id, 2);
  expect(await graded.question('2')).toMatchObject({ source: 'ai', awarded: 2 });
  expect(await graded.question('3')).toMatchObject({ source: 'ai_reviewed', awarded: 0.5 });
});

test('when the credits end the command says so, and continues after a grant', async () => {
  const made = await newTestExam(service, { credits: 8 });
  const outdated = [await made.reach('graded'), await made.reach('graded'), await made.reach('graded')];
  const version = await made.changeModelAnswers('2');
  const start = () => regradeOf(made).start.mutate({ ...examOf(made), rubric_version: version });
  expect(await regradeOf(made).preview.query(examOf(made))).toMatchObject({
    credits: 6,
    available: 2,
    sufficient: false,
  });
  const first = await start();
  expect(first).toMatchObject({
    remaining: 2,
    stopped: { code: 'insufficient_credits', details: { required: 2, available: 0 } },
  });
  expect(first.queued).toHaveLength(1);
  expect(await start()).toMatchObject({ queued: [], remaining: 2 });
  await service.control
    .as({})
    .control.grantCredits.mutate({ institute_id: made.tenant.instituteId, amount: 4 });
  const second = await start();
  expect(second).toMatchObject({ remaining: 0, stopped: null });
  expect([...first.queued, ...second.queued].toSorted()).toEqual(outdated.map(({ id }) => id).toSorted());
});

test('the daily quota ends a call in the same way', async () => {
  const made = await newTestExam(service, { dailyCopyQuota: 3 });
  await made.reach('graded');
  await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  expect(await regradeOf(made).start.mutate({ ...examOf(made), rubric_version: version })).toMatchObject({
    remaining: 1,
    stopped: { code: 'daily_quota_exceeded' },
  });
  expect((await made.tenant.credits()).committed).toBe(2);
});

test('a command for rubrics that changed since the preview is refused and queues nothing', async () => {
  const made = await newTestExam(service);
  const graded = await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  await made.changeModelAnswers('3');
  const call = regradeOf(made).start.mutate({ ...examOf(made), rubric_version: version });
  expect(await codeOf(call)).toBe('rubric_version_mismatch');
  expect(await graded.read()).toMatchObject({ status: 'graded', attempt_count: 1 });
});

test('an exam of another institute is missing, and the call needs the review scope', async () => {
  const made = await newTestExam(service);
  const other = await newTestExam(service);
  const foreign = staff.as(other.tenant.instituteId).regrade;
  expect(await codeOf(foreign.preview.query(examOf(made)))).toBe('exam_not_found');
  expect(await codeOf(foreign.outdated.query(examOf(made)))).toBe('exam_not_found');
  expect(await codeOf(foreign.start.mutate({ ...examOf(made), rubric_version: 1 }))).toBe('exam_not_found');
  expect(await codeOf(foreign.preview.query({ exam_id: 'x' }))).toBe('exam_not_found');
  const reader = staff.as(made.tenant.instituteId, ['evaluation:read', 'evaluation:write']).regrade;
  expect(await codeOf(reader.preview.query(examOf(made)))).toBe('insufficient_scope');
  expect(await codeOf(reader.start.mutate({ ...examOf(made), rubric_version: 1 }))).toBe(
    'insufficient_scope',
  );
});
