import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { behind } from '../harness/behind.ts';
import { codeOf, openStaff } from '../harness/staff.ts';
import { gradeRun } from '../harness/takeRun.ts';
import { startIdleService } from '../harness/tenant.ts';
import { newTestExam, type TestExam } from '../harness/testExam.ts';

/* A few outdated copies, graded again for free before a regrade (docs/internal-teams.md). */

const service = closedAfterTests(await startIdleService({ REGRADE_SAMPLE_COPIES: '2' }));
const staff = closedAfterTests(await openStaff(service));

const regradeOf = (made: TestExam) => staff.as(made.tenant.instituteId).regrade;
const examOf = (made: TestExam) => ({ exam_id: made.exam.id });
const sampledOf = async (made: TestExam): Promise<{ sample: string; original: string }[]> =>
  behind<{ sample: string; original: string }>(
    service.database,
    `select sample_submission_id as sample, submission_id as original from regrade_samples
     where exam_id = $1 order by created_at, sample_submission_id`,
    [made.exam.id],
  );

test('a sample shows old and new marks, costs nothing, and changes no submission', async () => {
  const made = await newTestExam(service);
  const [first, second] = [await made.reach('graded'), await made.reach('graded')];
  await first.override('3', { reviewer: 'teacher', awarded: 2 });
  const results = [await first.result(), await second.result()];
  const version = await made.changeModelAnswers('2');
  const before = await made.tenant.credits();
  const regrade = regradeOf(made);
  const queued = await regrade.startSample.mutate({ ...examOf(made), rubric_version: version });
  expect(queued).toMatchObject({
    copies_left: 0,
    copies: [
      { status: 'queued', rubric_version: version, marks: [] },
      { status: 'queued', rubric_version: version, marks: [] },
    ],
  });

  for (const { sample } of await sampledOf(made)) await gradeRun(service, sample, 0.5);
  const { copies } = await regrade.sample.query(examOf(made));
  const marksOf = (id: string) => copies.find(({ submission_id }) => submission_id === id)?.marks;
  const question = (label: string) => ({ question_id: made.questionId(label), label, max: 2 });
  expect(marksOf(first.id)).toEqual([{ ...question('2'), before: 1.5, after: 0.5 }]);
  expect(marksOf(second.id)).toEqual([
    { ...question('2'), before: 1.5, after: 0.5 },
    { ...question('3'), before: 1.5, after: 0.5 },
  ]);
  expect(await made.tenant.credits()).toEqual(before);
  expect([await first.result(), await second.result()]).toEqual(results);
  expect(await regrade.preview.query(examOf(made))).toMatchObject({ outdated: 2 });
});

test('an exam gets no more sampled copies than the operator pays for, also with calls at once', async () => {
  const made = await newTestExam(service);
  for (let copies = 0; copies < 3; copies += 1) await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  const start = () => regradeOf(made).startSample.mutate({ ...examOf(made), rubric_version: version });
  await Promise.all([start(), start()]);
  expect(await start()).toMatchObject({ copies_left: 0 });
  const sampled = await sampledOf(made);
  expect(new Set(sampled.map(({ original }) => original)).size).toBe(2);
  expect(sampled).toHaveLength(2);
});

test('the copies of a sample are in no list of the API and answer to no id', async () => {
  const made = await newTestExam(service);
  await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  await regradeOf(made).startSample.mutate({ ...examOf(made), rubric_version: version });
  const [{ sample } = { sample: '' }] = await sampledOf(made);
  const { api } = made.tenant;
  const listed = [
    await api.get<{ data: { id: string }[] }>('/exams'),
    await api.get<{ data: { id: string }[] }>('/submissions'),
  ];
  expect(listed.map(({ body }) => body.data.length)).toEqual([1, 1]);
  for (const path of ['', '/result']) {
    expect((await api.get(`/submissions/${sample}${path}`)).status).toBe(404);
  }
  expect((await api.post(`/submissions/${sample}/cancel`)).status).toBe(404);
  const { submissions } = staff.as(made.tenant.instituteId);
  await expect(submissions.get.query({ submission_id: sample })).rejects.toThrow('Not found.');
});

test("a candidate's erasure stops and blanks the sample of the copy", async () => {
  const made = await newTestExam(service);
  await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  await regradeOf(made).startSample.mutate({ ...examOf(made), rubric_version: version });
  await service.control.as({}).control.eraseCandidate.mutate({
    institute_id: made.tenant.instituteId,
    external_id: 'candidate-1',
  });
  const [{ sample } = { sample: '' }] = await sampledOf(made);
  expect(
    await behind(
      service.database,
      `select s.status, s.erased_at is not null as erased, (select count(*)::int from answers a
         where a.submission_id = s.id) as answers from submissions s where s.id = $1`,
      [sample],
    ),
  ).toEqual([{ status: 'cancelled', erased: true, answers: 0 }]);
});

test('the books of an institute with samples reconcile', async () => {
  const made = await newTestExam(service);
  await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  await regradeOf(made).startSample.mutate({ ...examOf(made), rubric_version: version });
  const [{ sample } = { sample: '' }] = await sampledOf(made);
  await gradeRun(service, sample);
  const { control } = service.control.as({});
  expect(await control.reconcile.query({ institute_id: made.tenant.instituteId })).toMatchObject({
    findings: [],
  });
});

test('a sample of an exam of another institute, and of rubrics that have changed since, is refused', async () => {
  const made = await newTestExam(service);
  const other = await newTestExam(service);
  await made.reach('graded');
  const version = await made.changeModelAnswers('2');
  const foreign = staff.as(other.tenant.instituteId).regrade;
  expect(await codeOf(foreign.sample.query(examOf(made)))).toBe('exam_not_found');
  expect(await codeOf(foreign.startSample.mutate({ ...examOf(made), rubric_version: version }))).toBe(
    'exam_not_found',
  );
  await made.changeModelAnswers('3');
  expect(await codeOf(regradeOf(made).startSample.mutate({ ...examOf(made), rubric_version: version }))).toBe(
    'rubric_version_mismatch',
  );
});
