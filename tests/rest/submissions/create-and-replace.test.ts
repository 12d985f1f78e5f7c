import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { listRegistered, newCandidates } from '../../harness/candidates.ts';
import { everyTypeExam, handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectRefused, newTenant, problemsIn } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();
const exam = await createExam(tenant.api, everyTypeExam());

const someone = () => ({ candidate: { external_id: randomUUID() } });
const refused = (body: object, status: number, code: string, target: { id: string } = exam) =>
  expectRefused(tenant, () => tenant.api.post(`/exams/${target.id}/submissions`, body), status, code);
const submitted = (answers: object[], more: object = {}): Promise<Submission> =>
  submit(tenant.api, exam.id, { ...someone(), answers, ...more });

describe('checks of exam and mode', () => {
  test('a body for the other mode answers mode_mismatch', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    const upload_id = await uploadCopy(tenant.api, plainPdf(1));
    await refused({ ...someone(), upload_id }, 422, 'mode_mismatch');
    await refused({ ...someone(), answers: [], upload_id }, 422, 'mode_mismatch');
    await refused({ ...someone(), answers: [] }, 422, 'mode_mismatch', paper);
    await refused({ ...someone(), answers: [], upload_id }, 422, 'mode_mismatch', paper);
    await submit(tenant.api, paper.id, { ...someone(), upload_id });
  });

  test('a body without upload and answers lacks a required field', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    expect(problemsIn(await refused(someone(), 422, 'validation_failed'))).toEqual(['answers: required']);
    expect(problemsIn(await refused(someone(), 422, 'validation_failed', paper))).toEqual([
      'upload_id: required',
    ]);
  });

  test('a second submission of a candidate answers submission_exists with the id of the first', async () => {
    const who = someone();
    const first = await submit(tenant.api, exam.id, { ...who, answers: [] });
    for (const body of [
      { ...who, answers: [] },
      { candidate_id: first.candidate.id, answers: [] },
      { ...who, answers: [{ question_label: 'none' }] },
    ]) {
      const error = await refused(body, 409, 'submission_exists');
      expect(error.details).toEqual({ submission_id: first.id });
    }
    const other = await createExam(tenant.api, typedExam([mcq('1')]));
    await submit(tenant.api, other.id, { ...who, answers: [] });
  });

  test('a repeated handwritten submission answers submission_exists, not that its upload is used', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    const body = { ...someone(), upload_id: await uploadCopy(tenant.api, plainPdf(1)) };
    const first = await submit(tenant.api, paper.id, body);
    const error = await refused(body, 409, 'submission_exists', paper);
    expect(error.details).toEqual({ submission_id: first.id });
  });
});

describe('candidate and metadata', () => {
  test('exactly one of candidate and candidate_id is required', async () => {
    const neither = await refused({ answers: [] }, 422, 'validation_failed');
    expect(problemsIn(neither)).toEqual(['candidate: required']);
    const both = await refused(
      { ...someone(), candidate_id: randomUUID(), answers: [] },
      422,
      'validation_failed',
    );
    expect(problemsIn(both)).toEqual(['candidate: not_allowed']);
  });

  test.each([randomUUID(), 'no-uuid', ''])(
    'a candidate_id that does not exist (%s) answers candidate_not_found',
    async (candidate_id) => {
      await refused({ candidate_id, answers: [] }, 404, 'candidate_not_found');
    },
  );

  test('metadata comes back as sent, or null', async () => {
    const metadata = { z: 1, a: [null, 1.5, 'é', { deep: true }], '': '' };
    const submission = await submitted([], { metadata });
    expect(submission.metadata).toEqual(metadata);
    expect((await tenant.api.get<Submission>(`/submissions/${submission.id}`)).body.metadata).toEqual(
      metadata,
    );
    expect((await submitted([])).metadata).toBeNull();
  });

  test.each([[[]], ['text'], [1], [true]])(
    'metadata that is %j and no object is refused',
    async (metadata) => {
      const error = await refused({ ...someone(), answers: [], metadata }, 422, 'validation_failed');
      expect(problemsIn(error)).toEqual(['metadata: invalid_type']);
    },
  );

  test('a candidate_id of the institute is accepted, and registered on the exam', async () => {
    const [id = ''] = await newCandidates(tenant.api, randomUUID());
    const paper = await createExam(tenant.api, typedExam([mcq('1')]));
    expect((await listRegistered(tenant.api, paper.id)).data).toEqual([]);
    const submission = await submit(tenant.api, paper.id, { candidate_id: id.toUpperCase(), answers: [] });
    expect(submission.candidate.id).toBe(id);
    expect((await listRegistered(tenant.api, paper.id)).data).toMatchObject([
      { id, submission_id: submission.id, submission_status: 'graded' },
    ]);
  });

  test('an inline candidate is updated if known, and otherwise created and registered', async () => {
    const paper = await createExam(tenant.api, typedExam([mcq('1')]));
    const external_id = randomUUID();
    const [id = ''] = await newCandidates(tenant.api, external_id);
    const known = {
      external_id,
      name: 'Asha Rao',
      roll_number: '7',
      section_or_class: '10-A',
      metadata: { a: 1 },
    };
    const added = { ...known, external_id: randomUUID() };
    expect((await submit(tenant.api, paper.id, { candidate: known, answers: [] })).candidate).toEqual({
      id,
      external_id,
    });
    await submit(tenant.api, paper.id, { candidate: added, candidate_id: null, answers: [] });
    expect((await listRegistered(tenant.api, paper.id)).data).toMatchObject([known, added]);
  });

  test('images are reserved, whatever other fields are sent or missing; null and an empty list are accepted', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    const images = [{ upload_id: randomUUID() }];
    const error = await refused({ ...someone(), images }, 422, 'feature_not_available');
    expect(problemsIn(error)).toEqual(['images: feature_not_available']);
    await refused({ ...someone(), images }, 422, 'feature_not_available', paper);
    await refused({ ...someone(), images, upload_id: randomUUID() }, 422, 'feature_not_available', paper);
    for (const one of ['', 'x', 0, false, {}, [null], [[]], ['x']]) {
      await refused({ ...someone(), answers: [], images: one }, 422, 'feature_not_available');
    }
    for (const none of [null, []]) expect((await submitted([], { images: none })).state).toBe('live');
  });
});

describe('the queue', () => {
  test('positions count the institute’s own earlier submissions in the same lane', async () => {
    const owner = await newTenant(service);
    const typed = await createExam(owner.api, typedExam([longAnswer('1'), mcq('2')]));
    const written = await createExam(owner.api, handwrittenExam());
    const answers = [{ question_label: '1', text: 'x' }];
    const inTyped: Submission[] = [];
    for (let index = 0; index < 3; index += 1) {
      inTyped.push(await submit(owner.api, typed.id, { ...someone(), answers }));
    }
    const upload_id = await uploadCopy(owner.api, plainPdf(1));
    const inCopy = await submit(owner.api, written.id, { ...someone(), upload_id });
    expect(inTyped.map(({ queue }) => queue?.position)).toEqual([0, 1, 2]);
    expect(inCopy).toMatchObject({ lane: 'copy', queue: { position: 0 } });
    expect(inTyped[0]).toMatchObject({
      status: 'queued',
      credits_charged: null,
      rubric_version: null,
      progress: { questions_done: 0, questions_total: 1 },
    });
    expect(inTyped[0]?.progress).not.toHaveProperty('estimated_ready_at');

    for (const [index, { id, updated_at }] of inTyped.entries()) {
      const now = Date.now();
      const { body } = await owner.api.get<Submission>(`/submissions/${id}`);
      expect(body.queue?.position).toBe(index);
      expect(Date.parse(body.queue?.estimated_ready_at ?? '')).toBeGreaterThanOrEqual(now + 30_000);
      expect(body.updated_at).toBe(updated_at);
    }
    const stranger = await newTenant(service);
    const paper = await createExam(stranger.api, typedExam([longAnswer('1')]));
    expect((await submit(stranger.api, paper.id, { ...someone(), answers })).queue?.position).toBe(0);
  });
});
