import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { objectStore, uploadKey, type ObjectStore, type ObjectStoreOptions } from '@evaluation/object-store';
import { createLogger } from '@evaluation/platform/telemetry';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import type { Services } from '../command/services.ts';
import { eraseWhatIsLeft } from './eraseCandidate.ts';
import { countOverdueErasures } from './overdueErasures.ts';

/* Tests rounds over fabricated erasures, with files in a real object store that refuses to delete some of them. */

const { services: own, bucket, client: maker, close } = await newTestCore();
const { database } = own;

let front: Server;
let frontBucket: ObjectStoreOptions;
let objects: ObjectStore;
let services: Services;
let logStream: PassThrough;

const institute = randomUUID();
/** Uploads that the store refuses to delete. */
let held: ReadonlySet<string> = new Set();

/** Proxies the store. A delete of a held object gets the answer of S3 under a hold or a policy. */
const holdingFront = (endpoint: string): Server => {
  const { hostname, port } = new URL(endpoint);
  return createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const { method, url = '', headers } = incoming;
      const body = await buffer(incoming);
      const kept = [...held].filter((key) => body.includes(key));
      if (method === 'POST' && url.includes('?delete') && kept.length > 0) {
        const errors = kept.map((key) => `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>`);
        outgoing.setHeader('content-type', 'application/xml');
        return void outgoing.end(`<DeleteResult>${errors.join('')}</DeleteResult>`);
      }
      // The host header is part of the signature and must be forwarded.
      const onward = request({ hostname, port, method, path: url, headers }).end(body);
      const [response] = await once(onward, 'response');
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    };
    answer().catch(() => outgoing.destroy());
  });
};

beforeAll(async () => {
  front = holdingFront(bucket.endpoint).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('the system named no port');
  frontBucket = { ...bucket, endpoint: `http://127.0.0.1:${address.port}` };
  objects = objectStore(frontBucket);
});
afterAll(async () => {
  objects.close();
  front.closeAllConnections();
  front.close();
  await close();
});
beforeEach(async () => {
  await maker.query('truncate erasures, submissions, uploads cascade');
  held = new Set();
  logStream = new PassThrough();
  services = { ...own, objects, log: createLogger({ service: 'test', level: 'warn', stream: logStream }) };
});

interface Erased {
  candidateId: string;
  /** One key for each submission, in the order of erasure. */
  keys: string[];
}

/** Inserts an erasure whose rows are blanked already, with a file for each of its submissions. */
const erasedHoursAgo = async (hours: number, submissions = 1): Promise<Erased> => {
  const candidateId = randomUUID();
  await maker.query(
    `insert into erasures (candidate_id, institute_id, external_id, requested_at)
     values ($1, $2, 'theirs', now() - make_interval(mins => $3::int))`,
    [candidateId, institute, hours * 60],
  );
  const keys: string[] = [];
  for (const id of Array.from({ length: submissions }, () => randomUUID()).toSorted()) {
    const upload = randomUUID();
    const key = uploadKey(institute, upload);
    await maker.query(
      `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, submission_id)
       values ($1, $2, 'ready', 'erased.pdf', 'application/pdf', 1, $3, $4)`,
      [upload, institute, key, id],
    );
    await maker.query(
      `insert into submissions (id, institute_id, exam_id, candidate_id, upload_id, current_run_id, status, lane,
         review_reasons, questions_total, quote_unit, quote_credits, quote_rate_source, warnings, erased_at)
       values ($1, $2, gen_random_uuid(), $3, $4, gen_random_uuid(), 'graded', 'copy', '{}', 1, 'copy', 1, 'standard', '[]', now())`,
      [id, institute, candidateId, upload],
    );
    await objects.put(key, Buffer.from('x'), 'application/pdf');
    keys.push(key);
  }
  return { candidateId, keys };
};

const round = (resting?: Map<string, number>) =>
  eraseWhatIsLeft(services, new AbortController().signal, resting);
const warnings = async (): Promise<Record<string, unknown>[]> => {
  logStream.end();
  const lines = (await text(logStream)).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};
const withFiles = async (): Promise<string[]> => {
  const { rows } = await maker.query<{ id: string }>(
    'select candidate_id as id from erasures where files_removed_at is null order by requested_at',
  );
  return rows.map(({ id }) => id);
};
const isThere = async (key: string): Promise<boolean> => (await objects.head(key)) !== null;
const overdue = () => database.acrossInstitutes(countOverdueErasures);

test('more than a batch of failing erasures does not block a later erasure', async () => {
  const stuck: Erased[] = [];
  for (let hour = 0; hour < 22; hour += 1) stuck.push(await erasedHoursAgo(50 - hour));
  const later = await erasedHoursAgo(1);
  held = new Set(stuck.flatMap(({ keys }) => keys));
  const resting = new Map<string, number>();
  await round(resting);
  expect(await withFiles()).toEqual(stuck.map(({ candidateId }) => candidateId));
  expect(await Promise.all(later.keys.map(isThere))).toEqual([false]);
  // This process retries each of them only after a pause.
  expect([...resting.keys()].toSorted()).toEqual(stuck.map(({ candidateId }) => candidateId).toSorted());
  expect(await overdue()).toBe(22);

  held = new Set();
  await round(resting);
  expect(await withFiles()).toHaveLength(22);
  await round();
  expect(await withFiles()).toEqual([]);
  expect(await overdue()).toBe(0);
  expect(await warnings()).toMatchObject([
    { failed: 22, candidate_id: stuck[0]?.candidateId, err: { type: 'ObjectsNotDeleted' } },
  ]);
});

test('a file that cannot be deleted does not stop the deletion of the candidate’s other files', async () => {
  const { candidateId, keys } = await erasedHoursAgo(1, 3);
  held = new Set(keys.slice(0, 1));
  await round();
  expect(await Promise.all(keys.map(isThere))).toEqual([true, false, false]);
  expect(await withFiles()).toEqual([candidateId]);
});

test('while the store is down a round ends at its first erasure, which does not rest', async () => {
  const { candidateId } = await erasedHoursAgo(1);
  const nowhere = objectStore({ ...frontBucket, endpoint: 'http://127.0.0.1:1' });
  const away = { ...services, objects: nowhere };
  await expect(eraseWhatIsLeft(away, new AbortController().signal)).rejects.toThrow();
  nowhere.close();
  expect(await warnings()).toEqual([]);
  expect(await withFiles()).toEqual([candidateId]);
});
