import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@evaluation/database';
import {
  checkedCopyKey,
  evidenceKey,
  objectStore,
  sealedKey,
  type ObjectStore,
} from '@evaluation/object-store';
import { readCoreSettings } from '@evaluation/settings';
import { createLogger } from '@evaluation/telemetry';
import { newBacking, type ClonedDatabase } from '@evaluation/test-services';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFiles } from './exportCandidate.ts';

/* Tests the files of a fabricated submission, in a store with different names inside and outside. */

const PUBLIC = 'https://files.example.org';
let clone: ClonedDatabase;
let database: Database;
let objects: ObjectStore;
let internal: string;

const owner = { institute_id: randomUUID(), candidate_id: randomUUID(), submission_id: randomUUID() };
const upload = randomUUID();
const run = randomUUID();
const files = {
  'checked-copies/': checkedCopyKey(owner.institute_id, owner.submission_id, run, 1),
  'evidence/': evidenceKey(owner.institute_id, owner.submission_id, run, 'a0'.repeat(32)),
  'copy.pdf': `${sealedKey(owner.institute_id, upload)}-${randomUUID()}`,
};

beforeAll(async () => {
  const backing = await newBacking();
  clone = backing.clone;
  internal = new URL(backing.bucket.endpoint).origin;
  const settings = readCoreSettings({ ...backing.environment, S3_PUBLIC_ENDPOINT: PUBLIC });
  database = await openDatabase({
    url: clone.url,
    poolSize: 4,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  objects = objectStore({ ...settings.objects, bucket: backing.bucket.bucket });
  const maker = new pg.Client({ connectionString: clone.superuserUrl });
  await maker.connect();
  // Fabricated rows have no exam and candidate, so foreign keys and triggers are switched off.
  await maker.query('set session_replication_role = replica');
  await maker.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, submission_id)
     values ($1, $2, 'ready', 'copy.pdf', 'application/pdf', 1, 'key', $3, $4)`,
    [upload, owner.institute_id, files['copy.pdf'], owner.submission_id],
  );
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, upload_id, current_run_id, status, lane, review_reasons,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     values ($1, $2, gen_random_uuid(), $3, $4, $5, 'graded', 'copy', '{}', 1, 'copy', 1, 'standard', '[]')`,
    [owner.submission_id, owner.institute_id, owner.candidate_id, upload, run],
  );
  await maker.end();
  for (const key of Object.values(files)) await objects.put(key, Buffer.from(key), 'application/pdf');
});
afterAll(async () => {
  await database.close();
  objects.close();
  await clone.drop();
});

test('exportFiles signs URLs for the public endpoint, or for core’s endpoint with `inside`', async () => {
  const outside = await exportFiles({ database, objects }, { ...owner, inside: false });
  const within = await exportFiles({ database, objects }, { ...owner, inside: true });
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
