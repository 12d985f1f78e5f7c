import { randomUUID } from 'node:crypto';
import { staffActor } from '@evaluation/platform/signed-actor';
import { afterAll, expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, type ErrorBody } from '../harness/api.ts';
import { longAnswer, mcq, numeric, typedExam } from '../harness/papers.ts';
import { restSuite } from '../harness/restSuite.ts';
import { openStaff } from '../harness/staff.ts';
import { expectOk, newTenant } from '../harness/tenant.ts';
import { newTestExam } from '../harness/testExam.ts';

/* Every act has a person (docs/desk/administration.md#audit). */

const { service } = await restSuite();
const staff = await openStaff(service);
afterAll(() => staff.close());

/** People of an institute with accounts, and the audit as its first admin reads it. */
const peopleOf = async (instituteId: string) => {
  const { control } = service.control.as({});
  const join = async (name: string, role: 'admin' | 'examiner') => {
    const invited = await control.staff.invite.mutate({
      institute_id: instituteId,
      email: `${randomUUID()}@example.org`,
      name,
      role,
      password: 'a long enough password',
    });
    const { id } = invited.staff;
    const actor = staffActor({
      institute_id: instituteId,
      staff_id: id,
      role,
      scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review'],
    });
    return { id, calls: staff.access.as({ actor }).public };
  };
  const [asha, ben, chitra] = [
    await join('Asha', 'admin'),
    await join('Ben', 'admin'),
    await join('Chitra', 'examiner'),
  ];
  const actsOf = async (query: Parameters<typeof asha.calls.desk.audit.list.query>[0]) =>
    (await asha.calls.desk.audit.list.query(query)).data
      .toReversed()
      .map(({ action, person }) => `${person.kind === 'key' ? 'a key' : person.name}: ${action}`);
  return { asha, ben, chitra, actsOf };
};

test('of a finalized mark the audit tells who did what, from the creation of the exam on', async () => {
  const tenant = await newTenant(service);
  const { asha, ben, chitra, actsOf } = await peopleOf(tenant.instituteId);
  const { id: exam_id } = await createExam(tenant.api, typedExam([mcq('1')], { open: false }));
  const { questions } = await asha.calls.questions.list.query({ exam_id, query: {} });
  const question_id = questions[0]?.id ?? '';
  await ben.calls.questions.edit.mutate({ exam_id, question_id, body: { correct_options: ['C'] } });
  await asha.calls.exams.open.mutate({ exam_id, body: {} });

  const candidate = { external_id: 'c-1', name: 'Devi' };
  const answers = [{ question_label: '1', option_labels: ['A'] }];
  const { id: first } = expectOk(
    await tenant.api.post<Submission & ErrorBody>(`/exams/${exam_id}/submissions`, { candidate, answers }),
    202,
  );
  const body = { candidate, answers, replace: true };
  const { id: submission_id } = await ben.calls.submissions.create.mutate({ exam_id, body });
  await chitra.calls.submissions.override.mutate({
    submission_id,
    question_id,
    body: { reviewer: 'x', awarded: 1, reason: 'Read again.' },
    seen: { awarded: 0, edited_at: null, approved: false },
  });
  await ben.calls.exams.finalize.mutate({ exam_id, body: { all_graded: true } });

  expect(await actsOf({ exam_id })).toEqual([
    'a key: exam_create',
    'Ben: paper_edit',
    'Asha: exam_open',
    'a key: submission_create',
    'Ben: submission_replace',
    'Chitra: override',
    'Ben: finalize',
  ]);
  expect(await actsOf({ submission_id })).toEqual([
    'a key: exam_create',
    'Ben: paper_edit',
    'Asha: exam_open',
    'Ben: submission_replace',
    'Chitra: override',
    'Ben: finalize',
  ]);
  const { data } = await asha.calls.desk.audit.list.query({ exam_id });
  expect(data.find(({ action }) => action === 'paper_edit')).toMatchObject({
    before: { 1: { correct_options: ['B'] } },
    after: { 1: { correct_options: ['C'] } },
  });
  expect(data.find(({ action }) => action === 'submission_replace')).toMatchObject({
    submission: { id: submission_id, candidate: 'Devi' },
    before: { submission_id: first },
  });
});

test('edits, cancelled and deleted copies, and copies that are graded again are in the audit', async () => {
  const made = await newTestExam(service);
  const { asha, actsOf } = await peopleOf(made.tenant.instituteId);
  const exam_id = made.exam.id;
  const [cancelled, deleted, again] = [
    await made.reach('queued'),
    await made.reach('graded'),
    await made.reach('graded'),
  ];
  await asha.calls.submissions.cancel.mutate({ submission_id: cancelled.id });
  await asha.calls.submissions.cancel.mutate({ submission_id: cancelled.id });
  await asha.calls.submissions.delete.mutate({ submission_id: deleted.id });
  await asha.calls.submissions.reEvaluate.mutate({ submission_id: again.id, body: {} });
  await asha.calls.exams.edit.mutate({ exam_id, body: { title: 'Renamed' } });
  await asha.calls.exams.edit.mutate({ exam_id, body: { title: 'Renamed' } });
  const rubric = { criteria: [{ name: 'Cause', marks: 2 }] };
  await asha.calls.rubrics.edit.mutate({
    exam_id,
    body: { questions: { [made.questionId('2')]: { rubric } } },
  });
  const acts = await actsOf({ exam_id, person: asha.id });
  expect(acts).toEqual([
    'Asha: submission_cancel',
    'Asha: submission_delete',
    'Asha: re_evaluate',
    'Asha: exam_edit',
    'Asha: paper_edit',
  ]);
});

test('an exam that is saved as a whole has one entry for its fields and one for its questions', async () => {
  const { instituteId } = await newTenant(service);
  const { asha } = await peopleOf(instituteId);
  const { id: exam_id } = await asha.calls.exams.create.mutate({
    body: typedExam([mcq('1'), longAnswer('2')], { title: 'Before' }),
  });
  const form = await asha.calls.desk.exams.form.query({ exam_id });
  const [first] = form.questions;
  await asha.calls.desk.exams.save.mutate({
    exam_id,
    seen: form.revision,
    body: {
      ...typedExam([]),
      title: 'After',
      questions: [{ ...mcq('1', { max_marks: 3 }), id: first?.id }, numeric('3')],
    },
  });
  const { data } = await asha.calls.desk.audit.list.query({ exam_id, limit: 2 });
  expect(data).toMatchObject([
    {
      action: 'paper_edit',
      before: { 1: { max_marks: 1 }, 2: { max_marks: 2 }, 3: null },
      after: { 1: { max_marks: 3 }, 2: null, 3: { max_marks: 1 } },
    },
    { action: 'exam_edit', before: { title: 'Before' }, after: { title: 'After' } },
  ]);
  await asha.calls.exams.delete.mutate({ exam_id });
  expect((await asha.calls.desk.audit.list.query({ exam_id })).data[0]).toMatchObject({
    action: 'exam_delete',
    exam: { title: 'After' },
  });
});

test('keys, settings and accounts: each change names the admin, and a key its maker', async () => {
  const { instituteId } = await newTenant(service);
  const { asha, ben, chitra, actsOf } = await peopleOf(instituteId);
  const { desk } = ben.calls;
  const { key_id } = await desk.keys.create.mutate({ scopes: ['evaluation:read'] });
  await desk.keys.edit.mutate({ key_id, daily_copy_cap: 5 });
  await desk.keys.edit.mutate({ key_id, daily_copy_cap: 5 });
  expect((await desk.keys.list.query({ made_by: ben.id })).data).toMatchObject([{ key_id, maker: 'Ben' }]);
  await desk.settings.change.mutate({ blind: true, guide_target: 0.9, seen: 0 });
  await desk.settings.changeRetention.mutate({
    files_days: 10,
    evidence_days: null,
    readings_days: null,
    seen: 1,
  });
  await desk.people.disable.mutate({ staff_id: chitra.id });
  await desk.keys.revoke.mutate({ key_id });
  expect((await desk.keys.list.query({ made_by: ben.id })).data).toEqual([]);
  expect(await actsOf({ person: ben.id })).toEqual([
    'Ben: key_create',
    'Ben: key_edit',
    'Ben: settings_edit',
    'Ben: retention_edit',
    'Ben: staff_disable',
    'Ben: key_revoke',
  ]);
  const { data } = await asha.calls.desk.audit.list.query({ person: ben.id });
  expect(data.find(({ action }) => action === 'key_edit')).toMatchObject({
    subject: { kind: 'key', id: key_id },
    before: { daily_copy_cap: null },
    after: { daily_copy_cap: 5 },
  });
  const settings = data.find(({ action }) => action === 'settings_edit');
  expect([settings?.before, settings?.after]).toEqual([
    { blind: false, guide_target: 0.95 },
    { blind: true, guide_target: 0.9 },
  ]);
  expect(data.find(({ action }) => action === 'retention_edit')).toMatchObject({
    before: { files_days: null },
    after: { files_days: 10 },
  });
  expect(data.find(({ action }) => action === 'staff_disable')).toMatchObject({
    subject: { kind: 'staff', id: chitra.id, name: 'Chitra' },
  });
});
