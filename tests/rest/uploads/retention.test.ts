import { setTimeout as wait } from 'node:timers/promises';
import { newBucket } from '@evaluation/test-services';
import { objectStore, type ObjectStore } from '@evaluation/object-store';
import type { Exam, Upload } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { eventually } from '../../harness/ledger.ts';
import { handwrittenExam } from '../../harness/papers.ts';
import { plainPdf, untilInspected } from '../../harness/pdfs.ts';
import { startWithModel, type TestService } from '../../harness/service.ts';
import { expectError, expectInvalid } from '../../harness/tenant.ts';

/*
 * Retention of files and evidence, as the API shows it and in the object store. A month passes by dating the rows of
 * one upload back; the rounds that delete files run as usual, but more often.
 */

// Four copies are graded in the set-up, possibly on a busy machine.
vi.setConfig({ hookTimeout: 180_000 });

const RETENTION_DAYS = 7;
const PATIENCE_MS = 60_000;
/** Objects of a submission beside its evidence: copy and checked copy. */
const FILES = 2;
const isEvidence = (key: string): boolean => key.includes('/evidence/');

let service: TestService;
let store: ObjectStore;
let exam: Exam;
let unclaimed: string;
let unread: string;
let deleted: Graded;
let deletedToday: Graded;
let replaced: Graded;
let replacing: Graded;
/** The upload after the retention time, before its file is deleted. */
let expired: Upload;

beforeAll(async () => {
  const account = await newBucket();
  store = objectStore(account);
  ({ service } = await startWithModel({
    S3_BUCKET: account.bucket,
    FILE_RETENTION_DAYS: String(RETENTION_DAYS),
    FILE_ROUND_SECONDS: '1',
    INSPECTION_WAIT_SECONDS: '30',
  }));
  exam = await createExam(service.api, handwrittenExam());
  [unclaimed, unread, deleted, deletedToday, replaced] = await Promise.all([
    uploadCopy(service.api, plainPdf(1)),
    uploadCopy(service.api, plainPdf(2)),
    grade('deleted'),
    grade('deleted today'),
    grade('replaced'),
  ]);
  replacing = await grade('replaced', { replace: true });
  expect(await untilInspected(service.api, unclaimed)).toMatchObject({ status: 'ready' });
  for (const { id } of [deleted, deletedToday]) {
    expect((await service.api.delete(`/submissions/${id}`)).status).toBe(200);
  }

  await Promise.all([
    letPass(unread, RETENTION_DAYS - 0.1),
    letPass(deletedToday.uploadId, RETENTION_DAYS - 0.1),
    letPass(replaced.uploadId, 1000),
    letPass(replacing.uploadId, 1000),
  ]);
  // Dated back last: a round that deletes these files has had the chance to delete all others.
  await Promise.all([
    letPass(unclaimed, RETENTION_DAYS + 0.1),
    letPass(deleted.uploadId, RETENTION_DAYS + 0.1),
  ]);
  expired = await eventually(
    'the upload is rejected',
    async () => {
      const upload = await untilInspected(service.api, unclaimed);
      return upload.status === 'rejected' && upload;
    },
    PATIENCE_MS,
  );
  await eventually(
    'the files are removed',
    async () => {
      // Files are deleted some time after the last change of their upload.
      for (const id of [unclaimed, deleted.uploadId]) await letPass(id, 1);
      await wait(200);
      return (await filesOf(unclaimed, deleted.uploadId, deleted.id)).length === 0;
    },
    PATIENCE_MS,
  );
  await eventually(
    'the evidence of old marks is removed',
    async () => {
      const left = await filesOf(replaced.id, replacing.id);
      return !left.some(isEvidence);
    },
    PATIENCE_MS,
  );
});
afterAll(async () => {
  await service.close();
  store.close();
});

interface Graded {
  id: string;
  uploadId: string;
  /** Number of its objects of evidence. */
  evidence: number;
}

const grade = async (candidate: string, more: object = {}): Promise<Graded> => {
  const uploadId = await uploadCopy(service.api, plainPdf(1));
  const body = { candidate: { external_id: candidate }, upload_id: uploadId, ...more };
  const { id } = await submit(service.api, exam.id, body);
  expect((await untilOver(service.api, id)).status).toBe('graded');
  const keys = await filesOf(uploadId, id);
  // One object for each batch of records.
  const evidence = keys.filter(isEvidence).length;
  expect(evidence).toBeGreaterThan(0);
  expect(keys).toHaveLength(FILES + evidence);
  return { id, uploadId, evidence };
};

const submitAgain = (upload_id: string) =>
  service.api.post(`/exams/${exam.id}/submissions`, { candidate: { external_id: 'late' }, upload_id });

/** Dates back one upload, and everything made of it, by this many days. */
const letPass = (uploadId: string, days: number) =>
  behind(
    service.database,
    `do $$ begin
       set local session_replication_role = replica;
       update uploads set created_at = created_at - interval '${days} days', updated_at = updated_at - interval '${days} days',
         unneeded_since = unneeded_since - interval '${days} days' where id = '${uploadId}';
       update runs set evidence_since = evidence_since - interval '${days} days',
         evidence_unneeded_since = evidence_unneeded_since - interval '${days} days'
         where submission_id = (select submission_id from uploads where id = '${uploadId}');
     end $$`,
  );

const filesOf = async (...ids: string[]): Promise<string[]> => {
  const found: string[] = [];
  for await (const key of store.list('institutes/')) if (ids.some((id) => key.includes(id))) found.push(key);
  return found;
};
test('an unused upload is rejected after the retention time, with the reason, and stays rejected', async () => {
  expect(expired).toEqual({
    id: unclaimed,
    status: 'rejected',
    reject_reason: 'The file was removed, because no submission used it within 7 days. Upload it again.',
  });
  expect(expectInvalid(await submitAgain(unclaimed))).toEqual(['upload_id: upload_rejected']);
  expect(await untilInspected(service.api, unclaimed)).toEqual(expired);
});

test('after the files of a deleted submission are deleted, its upload still counts as used', async () => {
  expectError(await submitAgain(deleted.uploadId), 409, 'conflict');
});

test('the files of a deleted submission stay within the retention time', async () => {
  expect(await filesOf(deletedToday.uploadId, deletedToday.id)).toHaveLength(FILES + deletedToday.evidence);
});

test('the files of live and replaced submissions stay at any age; evidence of their marks is deleted', async () => {
  for (const { id, uploadId } of [replaced, replacing]) {
    expect(await filesOf(uploadId, id)).toHaveLength(FILES);
    expect((await resultOf(service.api, id)).checked_copy.available).toBe(true);
    expect((await service.api.download(`/submissions/${id}/checked-copy`)).byteLength).toBeGreaterThan(1000);
  }
});

test('a file that was never read stays within the retention time, and is inspected when it is read', async () => {
  expect(await untilInspected(service.api, unread)).toEqual({ id: unread, status: 'ready', pages: 2 });
});
