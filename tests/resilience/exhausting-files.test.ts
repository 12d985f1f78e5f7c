import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Exam, Submission, Upload } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, uploadCopy } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { startService } from '../harness/service.ts';
import { newTenant, startIdleService, type Tenant } from '../harness/tenant.ts';
import { takeRun } from '../harness/takeRun.ts';

/* States of a file that used up a limit: tried ──▶ remembered ──a day──▶ forgotten. */

const service = closedAfterTests(
  await startIdleService({ INSPECT_CONCURRENCY: '0', INSPECTION_WAIT_SECONDS: '0' }),
);
const behind = closedAfterTests(lookBehind(service.database));

const hashOf = (file: Buffer): string => createHash('sha256').update(file).digest('hex');

const submitCopy = async (
  tenant: Tenant,
  exam: Exam,
  pages: number,
  candidate: string,
): Promise<Submission> =>
  submit(tenant.api, exam.id, {
    candidate: { external_id: candidate },
    upload_id: await uploadInspected(tenant.api, service.database, pages),
  });

/** Claims the run and fails it, as a worker does whose time for the file is used up after these seconds. */
const useUp = async (submission: Submission, seconds: number): Promise<void> => {
  const { held } = await takeRun(service, submission.id);
  await service.grading.as({}).grading.fail.mutate({
    held,
    error: { code: 'copy_unreadable', message: 'Too slow.' },
    exhausted: { used_up: 'time', seconds },
  });
};

const read = async (tenant: Tenant, { id }: Submission): Promise<Submission> =>
  (await tenant.api.get<Submission>(`/submissions/${id}`)).body;

const isGivenToAWorker = async ({ id }: Submission): Promise<boolean> => {
  await behind.query(`update runs set status = 'released' where submission_id = $1 and status = 'queued'`, [
    id,
  ]);
  const [run] = await behind.query<{ run_id: string; institute_id: string }>(
    `select id as run_id, institute_id from runs where submission_id = $1 order by attempt desc limit 1`,
    [id],
  );
  if (run === undefined) throw new Error('no run');
  const material = await service.grading.as({}).grading.claim.mutate({ ...run, worker: 'by hand' });
  return material !== null;
};

const passADay = () => behind.query(`update exhausting_files set last_at = last_at - interval '25 hours'`);

/** Asks core for permission to open a downloaded file. */
const mayOpen = async (tenant: Tenant, file: Buffer): Promise<{ id: string; open: boolean | undefined }> => {
  const id = await uploadCopy(tenant.api, file);
  await tenant.api.get(`/uploads/${id}`);
  const job = { upload_id: id, institute_id: tenant.instituteId };
  const { grading } = service.grading.as({});
  await grading.claimInspection.mutate(job);
  const answer = await grading.countOpening.mutate({ ...job, sha256: hashOf(file) });
  return { id, open: answer?.open };
};

test('a copy that used up its time fails at once when evaluated again, is not charged, and is tried after a day', async () => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, handwrittenExam());
  const submission = await submitCopy(tenant, exam, 2, 'C1');
  await useUp(submission, 300);

  const again = await tenant.api.post(`/submissions/${submission.id}/re-evaluate`, {});
  expect(again.status).toBe(202);
  expect(await isGivenToAWorker(submission)).toBe(false);
  expect(await read(tenant, submission)).toMatchObject({
    status: 'failed',
    attempt_count: 2,
    error: {
      code: 'copy_unreadable',
      message: expect.stringMatching(/not tried again for a day.*submit the new file/),
    },
  });
  expect(await tenant.credits()).toMatchObject({ balance: 1000, committed: 0 });

  await passADay();
  await tenant.api.post(`/submissions/${submission.id}/re-evaluate`, {});
  expect(await isGivenToAWorker(submission)).toBe(true);
});

test('the same bytes uploaded again are rejected before they are opened, for that institute only', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const file = plainPdf(3);
  const exam = await createExam(tenant.api, handwrittenExam());
  await useUp(await submitCopy(tenant, exam, 3, 'C1'), 300);

  const refused = await mayOpen(tenant, file);
  expect(refused.open).toBe(false);
  expect((await tenant.api.get<Upload>(`/uploads/${refused.id}`)).body).toMatchObject({
    status: 'rejected',
    reject_reason: expect.stringContaining('not tried again for a day'),
  });
  expect((await mayOpen(other, file)).open).toBe(true);
  expect((await mayOpen(tenant, plainPdf(4))).open).toBe(true);
});

test('a file whose inspection used up its time is remembered too', async () => {
  const tenant = await newTenant(service);
  const file = plainPdf(5);
  const first = await mayOpen(tenant, file);
  expect(first.open).toBe(true);
  await service.grading.as({}).grading.recordInspection.mutate({
    upload_id: first.id,
    institute_id: tenant.instituteId,
    outcome: {
      status: 'rejected',
      reject_reason: 'Too complex.',
      exhausted: { sha256: hashOf(file), used_up: 'time', seconds: 30 },
    },
  });
  expect((await mayOpen(tenant, file)).open).toBe(false);
});

test('an institute that used up half an hour in a day has no new file opened until the day is over; graded copies still are', async () => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, handwrittenExam());
  const graded = await submitCopy(tenant, exam, 6, 'graded');
  const held = await takeRun(service, graded.id);
  await held.mark(1);
  await held.complete();
  const waiting = await submitCopy(tenant, exam, 7, 'waiting');
  for (const pages of [8, 9, 10]) await useUp(await submitCopy(tenant, exam, pages, `C${pages}`), 600);

  expect(await isGivenToAWorker(waiting)).toBe(false);
  expect(await read(tenant, waiting)).toMatchObject({
    status: 'failed',
    error: { code: 'copy_unreadable', message: expect.stringContaining('tomorrow') },
  });
  expect((await mayOpen(tenant, plainPdf(11))).open).toBe(false);
  await tenant.api.post(`/submissions/${graded.id}/re-evaluate`, {});
  expect(await isGivenToAWorker(graded)).toBe(true);

  await passADay();
  expect((await mayOpen(tenant, plainPdf(12))).open).toBe(true);
});

test('entries older than a day are deleted', async () => {
  const cleaning = await startService({
    FILE_ROUND_SECONDS: '1',
    COPY_CONCURRENCY: '0',
    TYPED_CONCURRENCY: '0',
  });
  const inside = lookBehind(cleaning.database);
  try {
    await inside.query(
      `insert into exhausting_files (institute_id, sha256, used_up, seconds, last_at)
       select gen_random_uuid(), at::text, 'time', 300, now() - at * interval '13 hours' from generate_series(1, 3) at`,
    );
    await eventually('the old entries are deleted', async () => {
      const rows = await inside.query('select sha256 from exhausting_files');
      return rows.length === 1;
    });
  } finally {
    await inside.close();
    await cleaning.close();
  }
});
