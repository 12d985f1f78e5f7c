import { failureOf } from '@evaluation/core-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { Submission, Upload } from '@evaluation/rest-contract/schemas';
import { rejectReason } from '@evaluation/rest-contract/upload-rejections';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { NOTHING_USED, recordedResult, type TestClaim } from '../harness/testWorker.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { releasedInspection } from '../harness/releasedInspection.ts';
import { eventually } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { takeRun } from '../harness/takeRun.ts';
import { newTenant, startIdleService } from '../harness/tenant.ts';

/*
 * A claim belongs to one worker. Another worker has the service token and the lanes, so it knows ids, fences and
 * deliveries, but not the token of the claim.
 */

const service = closedAfterTests(
  await startIdleService({ INSPECT_CONCURRENCY: '0', INSPECTION_WAIT_SECONDS: '0' }),
);
const tenant = await newTenant(service);

const core = () => service.grading.as({}).grading;
const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'taken',
    (error: unknown) => failureOf(error)?.code ?? String(error),
  );

const FORGED = 'A'.repeat(43);

describe('a run', () => {
  let submission: Submission;
  let run: TestClaim;
  let candidates = 0;
  beforeEach(async () => {
    const exam = await createExam(tenant.api, typedExam([longAnswer('1')]));
    candidates += 1;
    submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: `r${candidates}` },
      answers: [{ question_label: '1', text: 'x' }],
    });
    run = await takeRun(service, submission.id);
  });

  const callsOf = (held: TestClaim['held'], question_id: string) => {
    const rubric = { criteria: [{ name: 'All', marks: 2 }] };
    const completion = { checked_copy: null, review_reasons: ['by_a_stranger'], ...NOTHING_USED };
    return {
      heartbeat: () => core().heartbeat.mutate({ held }),
      record: () =>
        core().record.mutate({
          held,
          step: 'grading',
          pages: [{ first_page: 1, pages: [], evidence: {} }],
          questions: [{ result: recordedResult(question_id, 1), evidence: {} }],
          find: ['0'.repeat(64)],
          completion,
        }),
      beginRubric: () => core().beginRubric.mutate({ held, question_id, failures: null }),
      recordRubric: () =>
        core().recordRubric.mutate({ held, question_id, rubric, evidence: {}, used: NOTHING_USED }),
      giveUpRubric: () => core().giveUpRubric.mutate({ held, question_id, used: NOTHING_USED }),
      presignCheckedCopy: () => core().presignCheckedCopy.mutate({ held, size_bytes: 1 }),
      handBack: () => core().handBack.mutate({ held }),
      fail: () => core().fail.mutate({ held, reason: 'nothing_readable', used: NOTHING_USED }),
    };
  };

  test('refuses calls with another token and the right fence; its holder continues', async () => {
    const question = run.material.questions[0]?.id ?? '';
    const before = await stateOf(submission.id);
    const calls = callsOf({ ...run.held, token: FORGED }, question);
    for (const [name, call] of Object.entries(calls))
      expect([name, await codeOf(call())]).toEqual([name, 'conflict']);
    expect(await stateOf(submission.id)).toEqual(before);

    expect(await run.complete(1)).toBe('ok');
    const { body } = await tenant.api.get<Submission>(`/submissions/${submission.id}`);
    expect(body).toMatchObject({ status: 'graded', error: null, review_reasons: [] });
  });

  const stateOf = (id: string) =>
    behind(
      service.database,
      `select s.status, s.error, s.questions_done, s.review_reasons, r.status as run, r.fence, r.alignment, r.evidence_since,
         (select count(*) from question_results q where q.run_id = r.id)::int as results
       from submissions s join runs r on r.id = s.current_run_id where s.id = $1`,
      [id],
    );

  test('that fails for an unknown reason is shown with a text of core', async () => {
    const sent = { held: run.held, reason: '<b>Pay here</b>', used: NOTHING_USED };
    expect(await codeOf(core().fail.mutate(sent))).toBe('taken');
    const { body } = await tenant.api.get<Submission>(`/submissions/${submission.id}`);
    expect(body.error).toEqual(gradingError('broke_down'));
  });

  test('with a failed question shows core’s text for it', async () => {
    const question = run.material.questions[0]?.id ?? '';
    const failed = {
      ...recordedResult(question, 1),
      status: 'failed' as const,
      awarded: null,
      error: { reason: '<b>Pay here</b>' },
    };
    await core().record.mutate({ held: run.held, questions: [{ result: failed }] });
    await run.complete();
    const { body } = await tenant.api.get<Submission>(`/submissions/${submission.id}`);
    expect(body).toMatchObject({ status: 'failed', error: gradingError('question_not_graded') });
  });

  test.each([
    ['a reading that is too long', { extracted_answer: 'x'.repeat(100_001) }],
    ['feedback that is too long', { feedback: 'x'.repeat(8001) }],
    ['a sentence as a reason', { review_reasons: ['Pay here: https://example.com'] }],
    ['reasons without end', { review_reasons: Array.from({ length: 51 }, () => 'failed') }],
  ])('accepts no result with %s', async (_name, change) => {
    const result = { ...recordedResult(run.material.questions[0]?.id ?? '', 1), ...change };
    const refused = core().record.mutate({ held: run.held, questions: [{ result }] });
    expect(await codeOf(refused)).toMatch(/BAD_REQUEST/);
  });

  test('accepts at most 32 MiB per call', async () => {
    const evidence = 'x'.repeat(32 * 1024 * 1024);
    const call = core().record.mutate({ held: run.held, pages: [{ first_page: 1, pages: [], evidence }] });
    expect(await codeOf(call)).toMatch(/PAYLOAD_TOO_LARGE/);
  });

  test('has a new token for each claim: a worker that gave it back is refused', async () => {
    expect(await run.handBack()).toBe('ok');
    const next = await takeRun(service, submission.id);
    expect(next.held.token).not.toBe(run.held.token);
    const stale = { ...next.held, token: run.held.token };
    expect(await codeOf(core().heartbeat.mutate({ held: stale }))).toBe('conflict');
    expect(await codeOf(core().heartbeat.mutate({ held: next.held }))).toBe('taken');
  });

  test('is stored with the hash of its token, and no row contains the token', async () => {
    const { token } = run.held;
    expect(token).toMatch(/^[\w-]{43}$/);
    const [row] = await behind<{ run: Record<string, unknown> }>(
      service.database,
      'select to_jsonb(r) as run from runs r where id = $1',
      [run.held.run_id],
    );
    expect(row?.run['claim_token_sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(token);
  });
});

describe('an inspection', () => {
  const released = () => releasedInspection(service, tenant, plainPdf(1));
  const sha256 = '0'.repeat(64);
  const ready = { status: 'ready' as const, pages: 1, sha256, repaired: false };
  const rejected = { status: 'rejected' as const, code: 'by a stranger' };
  const statusOf = async (id: string) =>
    (await tenant.api.get<{ status: string }>(`/uploads/${id}`)).body.status;

  test('cannot be recorded or counted with another token', async () => {
    const job = await released();
    const claimed = await core().claimInspection.mutate(job);
    expect(claimed?.token).toMatch(/^[\w-]{43}$/);
    expect(await core().claimInspection.mutate(job), 'claimed once').toBeNull();
    const forged = { ...job, token: FORGED };
    expect(await codeOf(core().countOpening.mutate(forged))).toBe('conflict');
    expect(await codeOf(core().recordInspection.mutate({ ...forged, outcome: rejected }))).toBe('conflict');
    expect(await statusOf(job.upload_id)).toBe('pending');

    const own = { ...job, token: claimed?.token ?? '' };
    expect(await codeOf(core().countOpening.mutate(own))).toBe('taken');
    expect(await codeOf(core().recordInspection.mutate({ ...own, outcome: ready }))).toBe('taken');
    expect(await statusOf(job.upload_id)).toBe('ready');
  });

  test('that rejects is shown with a text of core', async () => {
    const job = await released();
    const claimed = await core().claimInspection.mutate(job);
    const own = { ...job, token: claimed?.token ?? '' };
    await core().recordInspection.mutate({ ...own, outcome: { ...rejected, code: 'page_damaged', page: 3 } });
    const { body } = await tenant.api.get<Upload>(`/uploads/${job.upload_id}`);
    expect(body).toMatchObject({ status: 'rejected', reject_reason: rejectReason('page_damaged', 3) });
  });

  test('that is slow is still recorded after it was delivered again', async () => {
    const job = await released();
    const slow = await core().claimInspection.mutate(job);
    await behind(service.database, 'update uploads set inspect_delivery = 2 where id = $1', [job.upload_id]);
    const second = { ...job, delivery: 2 };
    expect(await core().claimInspection.mutate(second)).not.toBeNull();
    const own = { ...job, token: slow?.token ?? '' };
    expect(await codeOf(core().recordInspection.mutate({ ...own, outcome: ready }))).toBe('taken');
    expect(await statusOf(job.upload_id)).toBe('ready');
  });
});

describe('a drawing', () => {
  let candidates = 0;
  /** Ids of a drawing to be made after an override, as in its message. */
  const released = async () => {
    const exam = await createExam(tenant.api, { ...typedExam([longAnswer('1')]), mode: 'handwritten' });
    candidates += 1;
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: `d${candidates}` },
      upload_id: await uploadInspected(tenant.api, service.database, 1),
    });
    const run = await takeRun(service, submission.id);
    await run.complete(1);
    const question = run.material.questions[0]?.id ?? '';
    await tenant.api.patch(`/submissions/${submission.id}/questions/${question}`, {
      reviewer: 'teacher',
      awarded: 2,
    });
    return eventually('the drawing is released', async () => {
      const [drawing] = await behind<{ submission_id: string; institute_id: string; delivery: number }>(
        service.database,
        `select submission_id, institute_id, delivery from copy_drawings
         where submission_id = $1 and released_at is not null`,
        [submission.id],
      );
      return drawing;
    });
  };

  test('cannot be stored or given back with another token', async () => {
    const job = await released();
    const claimed = await core().claimDrawing.mutate(job);
    if (claimed === null) throw new Error('nothing to draw');
    expect(await core().claimDrawing.mutate(job), 'claimed once').toBeNull();
    const { attempt, revision } = claimed;
    const forged = { ...job, attempt, token: FORGED };
    const own = { ...job, attempt, token: claimed.token };
    const pdf = plainPdf(1);
    const put = await core().presignDrawing.mutate({ drawing: own, size_bytes: pdf.byteLength });
    await fetch(put.url, { method: 'PUT', headers: put.headers, body: Uint8Array.from(pdf) });

    expect(await codeOf(core().presignDrawing.mutate({ drawing: forged, size_bytes: 1 }))).toBe('conflict');
    expect(await codeOf(core().recordDrawing.mutate({ drawing: forged, revision, pictures: [] }))).toBe(
      'conflict',
    );
    expect(await codeOf(core().handBackDrawing.mutate({ drawing: forged }))).toBe('conflict');
    const result = () =>
      tenant.api.get<{ checked_copy: { available: boolean } }>(`/submissions/${job.submission_id}/result`);
    expect((await result()).body.checked_copy.available).toBe(false);
    expect(await codeOf(core().recordDrawing.mutate({ drawing: own, revision, pictures: [] }))).toBe('taken');
    expect((await result()).body.checked_copy.available).toBe(true);
  });
});
