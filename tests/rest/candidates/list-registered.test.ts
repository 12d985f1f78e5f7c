import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Candidate, Exam } from '@evaluation/rest-contract/schemas';
import { createExam, submit } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { listRegistered, newCandidates, register, registered } from '../../harness/candidates.ts';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();

const newExam = (change: object = {}): Promise<Exam> =>
  createExam(tenant.api, typedExam([longAnswer('1')], change));
const submitAs = (exam: Exam, externalId: string) =>
  submit(tenant.api, exam.id, {
    candidate: { external_id: externalId },
    answers: [{ question_label: '1', text: 'Because.' }],
  });

test('lists registered candidates, each with registration_id and no submission yet', async () => {
  const candidate = {
    external_id: 'full',
    name: 'Full Name',
    roll_number: '9',
    section_or_class: 'C',
    metadata: { k: 1 },
  };
  const exam = await newExam({ candidates: [candidate] });
  const { data, next_cursor, has_more } = await listRegistered(tenant.api, exam.id, '');
  const stored = (await tenant.api.get<Candidate>(`/candidates/${data[0]?.id}`)).body;
  expect(data).toEqual([
    {
      ...stored,
      ...candidate,
      registration_id: expect.any(String),
      submission_id: null,
      submission_status: null,
      updated_at: expect.any(String),
    },
  ]);
  expect({ next_cursor, has_more }).toEqual({ next_cursor: null, has_more: false });
});

test('creating a submission registers its candidate; submission_id is the live submission, or null', async () => {
  const exam = await newExam();
  const submission = await submitAs(exam, 'submits');
  expect(await registered(tenant.api, exam.id, 'submits')).toMatchObject({
    id: submission.candidate.id,
    submission_id: submission.id,
    submission_status: 'queued',
  });
  const elsewhere = await newExam();
  await register(tenant.api, elsewhere.id, { candidate_ids: [submission.candidate.id] });
  expect(await registered(tenant.api, elsewhere.id, 'submits')).toMatchObject({
    submission_id: null,
    submission_status: null,
  });

  for (const state of ['replaced', 'deleted']) {
    await behind(service.database, 'update submissions set state = $2::"SubmissionState" where id = $1', [
      submission.id,
      state,
    ]);
    expect(await registered(tenant.api, exam.id, 'submits')).toMatchObject({
      submission_id: null,
      submission_status: null,
    });
  }
});

test('updated_at grows, and the row moves to the end, when candidate or submission change a shown field', async () => {
  const exam = await newExam({ candidates: [{ external_id: 'moves' }, { external_id: 'stays' }] });
  const still = await registered(tenant.api, exam.id, 'stays');
  let last = await registered(tenant.api, exam.id, 'moves');
  const expectMoved = async (change: object): Promise<void> => {
    const rows = (await listRegistered(tenant.api, exam.id)).data;
    expect(rows.map(({ external_id }) => external_id)).toEqual(['stays', 'moves']);
    const row = rows[1] ?? last;
    expect(row).toMatchObject(change);
    expect(Date.parse(row.updated_at)).toBeGreaterThan(Date.parse(last.updated_at));
    expect(row.registration_id).toBe(last.registration_id);
    last = row;
    expect(rows[0]).toEqual(still);
    // `updated_since` is inclusive: it returns the row of that moment, and not earlier rows.
    expect((await listRegistered(tenant.api, exam.id, `updated_since=${row.updated_at}`)).data).toEqual([
      row,
    ]);
  };

  await newCandidates(tenant.api, 'moves');
  expect(await registered(tenant.api, exam.id, 'moves'), 'nothing changed').toEqual(last);
  await tenant.api.post('/candidates', { candidates: [{ external_id: 'moves', name: 'Renamed' }] });
  await expectMoved({ name: 'Renamed', submission_status: null });
  const submission = await submitAs(exam, 'moves');
  await expectMoved({ submission_id: submission.id, submission_status: 'queued' });
  await behind(service.database, `update submissions set status = 'graded' where id = $1`, [submission.id]);
  await expectMoved({ submission_status: 'graded' });
  await behind(service.database, `update submissions set state = 'deleted' where id = $1`, [submission.id]);
  await expectMoved({ submission_id: null, submission_status: null });
});

test('on a blind exam every name is null', async () => {
  const exam = await newExam({
    blind: true,
    candidates: [{ external_id: 'hidden', name: 'Hidden Name', roll_number: '3' }],
  });
  expect(await registered(tenant.api, exam.id, 'hidden')).toMatchObject({ name: null, roll_number: '3' });
  const open = await newExam({ candidates: [{ external_id: 'hidden' }] });
  expect(await registered(tenant.api, open.id, 'hidden')).toMatchObject({ name: 'Hidden Name' });
});

test('limit is 1 to 200, default 50; pages follow next_cursor and have every row once, in order', async () => {
  const candidates = Array.from({ length: 201 }, (_, index) => ({ external_id: `page-${index}` }));
  const exam = await newExam({ candidates });
  expect((await listRegistered(tenant.api, exam.id, '')).data).toHaveLength(50);
  const whole = await listRegistered(tenant.api, exam.id, 'limit=200');
  expect(whole).toMatchObject({ has_more: true });
  expect(whole.data).toHaveLength(200);
  const rest = await listRegistered(tenant.api, exam.id, `limit=1&cursor=${whole.next_cursor}`);
  expect(rest).toMatchObject({ has_more: false, next_cursor: null });
  const all = [...whole.data, ...rest.data];
  expect(new Set(all.map(({ id }) => id)).size).toBe(201);
  const order = all.map((row) => [row.updated_at, row.registration_id].join(' '));
  expect(order).toEqual(order.toSorted());

  for (const bad of ['limit=0', 'limit=201', 'limit=1e2', 'updated_since=yesterday']) {
    expect(expectInvalid(await tenant.api.get(`/exams/${exam.id}/candidates?${bad}`))).toHaveLength(1);
  }
  const unknown = await tenant.api.get(`/exams/${randomUUID()}/candidates?limit=0`);
  expectError(unknown, 404, 'exam_not_found');
  // A cursor is valid for its own exam and filters only.
  const elsewhere = await newExam();
  for (const path of [
    `/exams/${elsewhere.id}/candidates?cursor=${whole.next_cursor}`,
    `/exams/${exam.id}/candidates?cursor=${whole.next_cursor}&updated_since=2026-01-01T00:00:00Z`,
    `/exams/${exam.id}/candidates?cursor=nonsense`,
  ]) {
    expectError(await tenant.api.get(path), 400, 'invalid_cursor');
  }
});
