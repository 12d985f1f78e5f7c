import { randomUUID } from 'node:crypto';
import { checkedCopyKey, evidencePackKey, sealedKey } from '@evaluation/object-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { exportFiles } from './exportCandidate.ts';

/* Tests the files of a fabricated submission, in a store that clients and core reach by different names. */

const PUBLIC = 'https://files.example.org';
const { services, bucket, client, close } = await newTestCore({ S3_PUBLIC_ENDPOINT: PUBLIC });
const { objects } = services;
const internal = new URL(bucket.endpoint).origin;
afterAll(close);

const owner = { institute_id: randomUUID(), candidate_id: randomUUID(), submission_id: randomUUID() };
const upload = randomUUID();
const run = randomUUID();
const files = {
  'checked-copies/': checkedCopyKey(owner.institute_id, owner.submission_id, run, 1),
  'evidence/': evidencePackKey(owner.institute_id, owner.submission_id, run, randomUUID()),
  'copy.pdf': `${sealedKey(owner.institute_id, upload)}-${randomUUID()}`,
};

beforeAll(async () => {
  await client.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, submission_id)
     values ($1, $2, 'ready', 'copy.pdf', 'application/pdf', 1, 'key', $3, $4)`,
    [upload, owner.institute_id, files['copy.pdf'], owner.submission_id],
  );
  await client.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, upload_id, current_run_id, status, lane, review_reasons,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     values ($1, $2, gen_random_uuid(), $3, $4, $5, 'graded', 'copy', '{}', 1, 'copy', 1, 'standard', '[]')`,
    [owner.submission_id, owner.institute_id, owner.candidate_id, upload, run],
  );
  for (const key of Object.values(files)) await objects.put(key, Buffer.from(key), 'application/pdf');
});

test('files are signed for the address that clients reach, and with `inside` for the address that core uses', async () => {
  const outside = await exportFiles(services, { ...owner, inside: false });
  const within = await exportFiles(services, { ...owner, inside: true });
  expect(outside.files.map(({ path }) => path)).toEqual(within.files.map(({ path }) => path));
  expect(outside.files.map(({ path }) => path)).toEqual(
    Object.keys(files).map((path) => expect.stringContaining(path)),
  );
  for (const { url } of outside.files) expect(new URL(url).origin).toBe(PUBLIC);
  for (const [index, { url }] of within.files.entries()) {
    expect(new URL(url).origin).toBe(internal);
    expect(await (await fetch(url)).text()).toBe(Object.values(files)[index]);
  }
});
