import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Candidate, CandidatesCreated, Deleted, Exam } from '@evaluation/rest-contract/schemas';
import { createExam, submit, type Answer, type ErrorBody } from '../../harness/api.ts';
import { behind, finalizeExam } from '../../harness/behind.ts';
import { listRegistered, newCandidates, register, registered, unregister } from '../../harness/candidates.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectInvalid, newTenant } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();
const other = await newTenant(service);

const newExam = (change: object = {}): Promise<Exam> =>
  createExam(tenant.api, typedExam([longAnswer('1')], change));
const refusedRegister = (examId: string, body: object) =>
  tenant.api.post<ErrorBody>(`/exams/${examId}/candidates`, body);
const registeredIds = async (examId: string): Promise<string[]> =>
  (await listRegistered(tenant.api, examId)).data.map(({ external_id }) => external_id).toSorted();
const submitAs = (exam: Exam, externalId: string) =>
  submit(tenant.api, exam.id, {
    candidate: { external_id: externalId },
    answers: [{ question_label: '1', text: 'Because.' }],
  });

describe('POST /exams/{examId}/candidates', () => {
  test('creates or updates candidates first, then registers them, and returns their registrations', async () => {
    const exam = await newExam();
    const [known = ''] = await newCandidates(tenant.api, 'known');
    const answer = await register(tenant.api, exam.id, {
      candidates: [
        { external_id: 'new', name: 'New' },
        { external_id: 'known', name: 'Known' },
      ],
    });
    expect(answer).toMatchObject({ registered: 2, already_registered: 0 });
    expect(answer.candidates.map(({ external_id }) => external_id)).toEqual(['new', 'known']);
    expect(answer.candidates[1]?.id).toBe(known);
    for (const { external_id, id, registration_id } of answer.candidates) {
      expect(await registered(tenant.api, exam.id, external_id)).toMatchObject({ id, registration_id });
    }
    expect((await tenant.api.get<Candidate>(`/candidates/${known}`)).body.name).toBe('Known');
  });

  test('registers candidates of the institute by candidate_ids; a repeated id is allowed', async () => {
    const exam = await newExam();
    const [a = '', b = ''] = await newCandidates(tenant.api, 'by-id-a', 'by-id-b');
    const answer = await register(tenant.api, exam.id, { candidate_ids: [b, a, b, a.toUpperCase()] });
    expect(answer).toEqual({
      registered: 2,
      already_registered: 0,
      candidates: [
        { id: b, external_id: 'by-id-b', registration_id: expect.any(String) },
        { id: a, external_id: 'by-id-a', registration_id: expect.any(String) },
      ],
    });
    expect(await registeredIds(exam.id)).toEqual(['by-id-a', 'by-id-b']);
  });

  test('repeating a registration is allowed: it is counted separately, and the registration stays unchanged', async () => {
    const exam = await newExam();
    const first = await register(tenant.api, exam.id, { candidates: [{ external_id: 'again' }] });
    const before = await registered(tenant.api, exam.id, 'again');
    const [fresh = ''] = await newCandidates(tenant.api, 'fresh');
    const ids = [...first.candidates.map(({ id }) => id), fresh];
    const second = await register(tenant.api, exam.id, { candidate_ids: ids });
    expect(second).toMatchObject({ registered: 1, already_registered: 1 });
    expect(second.candidates[0]).toEqual(first.candidates[0]);
    expect(await register(tenant.api, exam.id, { candidates: [{ external_id: 'again' }] })).toMatchObject({
      registered: 0,
      already_registered: 1,
    });
    expect(await registered(tenant.api, exam.id, 'again')).toEqual(before);
  });

  test('unknown candidate_ids fail the whole call with candidate_not_found and details.candidate_ids', async () => {
    const exam = await newExam();
    const [known = ''] = await newCandidates(tenant.api, 'whole-call');
    const foreign = (
      await other.api.post<CandidatesCreated>('/candidates', { candidates: [{ external_id: 'theirs' }] })
    ).body.candidates[0]?.id;
    const unknown = [randomUUID(), foreign ?? '', 'Not-An-Id'];
    const body = { candidate_ids: [unknown[0], known, unknown[1], unknown[0], unknown[2]] };
    const error = expectError(await refusedRegister(exam.id, body), 404, 'candidate_not_found');
    expect(error.details).toEqual({ candidate_ids: unknown });
    expect(await registeredIds(exam.id)).toEqual([]);
  });

  test.each([
    ['neither', {}, 'candidates: required'],
    ['nulls', { candidates: null, candidate_ids: null }, 'candidates: required'],
    [
      'both',
      { candidates: [{ external_id: 'both' }], candidate_ids: [randomUUID()] },
      'candidates: not_allowed',
    ],
    ['no candidates', { candidates: [] }, 'candidates: too_short'],
    ['no ids', { candidate_ids: [] }, 'candidate_ids: too_short'],
    [
      '2001 ids',
      { candidate_ids: Array.from({ length: 2001 }, () => randomUUID()) },
      'candidate_ids: too_long',
    ],
    [
      'a candidate twice',
      { candidates: [{ external_id: 'both' }, { external_id: 'both' }] },
      'candidates[1].external_id: duplicate',
    ],
  ])('exactly one of the two forms, with 1 to 2000 items: %s is refused', async (_name, body, problem) => {
    const exam = await newExam();
    expect(expectInvalid(await refusedRegister(exam.id, body))).toEqual([problem]);
    expect(await registeredIds(exam.id)).toEqual([]);
  });

  test('every problem of a registration is listed at once', async () => {
    const exam = await newExam();
    const candidates = [{ external_id: 'twin' }, { external_id: 'twin' }, { external_id: 'x', name: '<b>' }];
    const answer = await refusedRegister(exam.id, { candidates, candidate_ids: [randomUUID()] });
    expect(expectInvalid(answer).toSorted()).toEqual([
      'candidates: not_allowed',
      'candidates[1].external_id: duplicate',
      'candidates[2].name: invalid_characters',
    ]);
  });

  test('2000 candidates are registered in one call, in either form', async () => {
    const [first, second] = [await newExam(), await newExam()];
    const candidates = Array.from({ length: 2000 }, (_, index) => ({ external_id: `crowd-${index}` }));
    const made = await register(tenant.api, first.id, { candidates });
    expect(made).toMatchObject({ registered: 2000, already_registered: 0 });
    expect(
      await register(tenant.api, second.id, { candidate_ids: made.candidates.map(({ id }) => id) }),
    ).toMatchObject({
      registered: 2000,
    });
    expect(new Set(made.candidates.map(({ registration_id }) => registration_id)).size).toBe(2000);
  });

  test('candidates are registered on a draft and on an open exam', async () => {
    const body = { candidates: [{ external_id: 'by-status' }] };
    for (const open of [false, true]) {
      const exam = await newExam({ open });
      expect(exam.status).toBe(open ? 'open' : 'draft');
      expect(await register(tenant.api, exam.id, body)).toMatchObject({ registered: 1 });
    }
  });

  test('the state of the exam is checked before the body', async () => {
    const exam = await newExam();
    await finalizeExam(service.database, exam.id);
    expectError(await refusedRegister(exam.id, {}), 409, 'exam_finalized');
  });
});

describe('DELETE /exams/{id}/candidates/{candidate_id}', () => {
  test('removes the registration; the candidate stays and may be registered again', async () => {
    const exam = await newExam({ candidates: [{ external_id: 'leaves' }, { external_id: 'remains' }] });
    const row = await registered(tenant.api, exam.id, 'leaves');
    expect(await unregister<Deleted>(tenant.api, exam.id, row.id)).toMatchObject({
      status: 200,
      body: { id: row.id, deleted: true },
    });
    expect(await registeredIds(exam.id)).toEqual(['remains']);
    expect((await tenant.api.get(`/candidates/${row.id}`)).status).toBe(200);
    expectError(await unregister(tenant.api, exam.id, row.id), 404, 'candidate_not_found');
    const again = await register(tenant.api, exam.id, { candidate_ids: [row.id] });
    expect(again.registered).toBe(1);
    expect(again.candidates[0]?.registration_id).not.toBe(row.registration_id);
  });

  test('a candidate who is not registered answers candidate_not_found, also on a finalized exam', async () => {
    const exam = await newExam();
    const { candidate } = await submitAs(exam, 'only');
    const [elsewhere = ''] = await newCandidates(tenant.api, 'elsewhere');
    await finalizeExam(service.database, exam.id);
    for (const id of [elsewhere, randomUUID(), 'only']) {
      expectError(await unregister(tenant.api, exam.id, id), 404, 'candidate_not_found');
    }
    expectError(await unregister(tenant.api, exam.id, candidate.id), 409, 'exam_finalized');
  });

  test('a candidate with a live submission answers candidate_has_submission; a deleted submission does not count', async () => {
    const exam = await newExam();
    const submission = await submitAs(exam, 'submitted');
    expectError(
      await unregister(tenant.api, exam.id, submission.candidate.id),
      409,
      'candidate_has_submission',
    );
    expect(await registered(tenant.api, exam.id, 'submitted')).toMatchObject({
      submission_id: submission.id,
    });
    await behind(service.database, `update submissions set state = 'deleted' where id = $1`, [submission.id]);
    expect((await unregister(tenant.api, exam.id, submission.candidate.id)).status).toBe(200);
    expect(await registeredIds(exam.id)).toEqual([]);
  });

  test('candidates of a draft exam can be unregistered', async () => {
    const body = typedExam([mcq('1')], { candidates: [{ external_id: 'draft' }] });
    const draft = (await tenant.api.post<Exam>('/exams', body)).body;
    expect(
      (await unregister(tenant.api, draft.id, (await registered(tenant.api, draft.id, 'draft')).id)).status,
    ).toBe(200);
  });

  test('unregistering waits for a submission that is being accepted, and is then refused', async () => {
    const exam = await newExam();
    const submission = await submitAs(exam, 'contested');
    await behind(service.database, `update submissions set state = 'deleted' where id = $1`, [submission.id]);

    const accepting = new pg.Client({ connectionString: service.database.superuserUrl });
    await accepting.connect();
    try {
      await accepting.query('begin');
      await accepting.query('select from exams where id = $1 for no key update', [exam.id]);
      await accepting.query(`update submissions set state = 'live' where id = $1`, [submission.id]);
      const left = unregister(tenant.api, exam.id, submission.candidate.id);
      await vi.waitUntil(async () => {
        const [waiting] = await behind<{ any: boolean }>(
          service.database,
          `select count(*) > 0 as any from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting?.any === true;
      }, 10_000);
      await accepting.query('commit');
      expectError(await left, 409, 'candidate_has_submission');
    } finally {
      await accepting.end();
    }
    expect(await registeredIds(exam.id)).toEqual(['contested']);
  });
});

test('registering and unregistering need the write scope, the list needs the read scope', async () => {
  const reader = await newTenant(service, { scopes: ['evaluation:read'] });
  const writer = await newTenant(service, { scopes: ['evaluation:write'] });
  const path = `/exams/${randomUUID()}/candidates`;
  const needs = (answer: Answer<ErrorBody>, scope: string) =>
    expect(expectError(answer, 403, 'insufficient_scope').details).toEqual({ required_scope: scope });
  needs(await reader.api.post(path, {}), 'evaluation:write');
  needs(await reader.api.delete(`${path}/${randomUUID()}`), 'evaluation:write');
  needs(await writer.api.get(path), 'evaluation:read');
  expectError(await writer.api.post(path, {}), 404, 'exam_not_found');
  expectError(await reader.api.get(path), 404, 'exam_not_found');
});
