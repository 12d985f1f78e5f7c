import { expect, test } from 'vitest';
import type { Exam, Submission, Upload } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit } from '../harness/api.ts';
import { uploadInspected } from '../harness/inspectedUpload.ts';
import { releasedInspection } from '../harness/releasedInspection.ts';
import { lookBehind } from '../harness/ledger.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { newTenant, startIdleService, type Tenant } from '../harness/tenant.ts';
import { takeRun } from '../harness/takeRun.ts';
import { NOTHING_USED } from '../harness/testWorker.ts';

/* Worker time of files that used up a limit: counted ──half an hour──▶ new files are refused ──next day──▶ tried. */

const service = closedAfterTests(
  await startIdleService({ INSPECT_CONCURRENCY: '0', INSPECTION_WAIT_SECONDS: '0' }),
);
const behind = closedAfterTests(lookBehind(service.database));

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
    reason: 'pages_too_slow',
    used: NOTHING_USED,
    exhausted_seconds: seconds,
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

const passADay = () => behind.query(`update exhausted_time set day = day - 1`);

/** Asks core for permission to open a downloaded file. */
const mayOpen = async (tenant: Tenant, file: Buffer) => {
  const job = await releasedInspection(service, tenant, file);
  const { grading } = service.grading.as({});
  const claimed = { ...job, token: (await grading.claimInspection.mutate(job))?.token ?? '' };
  const answer = await grading.countOpening.mutate(claimed);
  return { claimed, id: job.upload_id, open: answer?.open };
};

test('a copy that used up its time is not charged, and is tried again when evaluated again', async () => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, handwrittenExam());
  const submission = await submitCopy(tenant, exam, 2, 'C1');
  await useUp(submission, 300);
  expect(await tenant.credits()).toMatchObject({ balance: 1000, committed: 0 });
  const again = await tenant.api.post(`/submissions/${submission.id}/re-evaluate`, {});
  expect(again.status).toBe(202);
  expect(await isGivenToAWorker(submission)).toBe(true);
});

test('inspections that use up their time count towards the half hour, for that institute only', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  for (const pages of [3, 4]) {
    const { claimed, open } = await mayOpen(tenant, plainPdf(pages));
    expect(open).toBe(true);
    await service.grading.as({}).grading.recordInspection.mutate({
      ...claimed,
      outcome: { status: 'rejected', code: 'too_complex', exhausted_seconds: 900 },
    });
  }
  const refused = await mayOpen(tenant, plainPdf(5));
  expect(refused.open).toBe(false);
  expect((await tenant.api.get<Upload>(`/uploads/${refused.id}`)).body).toMatchObject({
    status: 'rejected',
    reject_reason: expect.stringContaining('tomorrow'),
  });
  expect((await mayOpen(other, plainPdf(5))).open).toBe(true);
});

test('an institute that used up half an hour in a day has no new file opened until the day is over; graded copies still are', async () => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, handwrittenExam());
  const graded = await submitCopy(tenant, exam, 6, 'graded');
  const held = await takeRun(service, graded.id);
  await held.complete(1);
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
