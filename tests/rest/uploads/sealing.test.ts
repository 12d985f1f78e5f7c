import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newBucket } from '@evaluation/test-services';
import { objectStore, type ObjectStore } from '@evaluation/object-store';
import type { Exam, Upload } from '@evaluation/rest-contract/schemas';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { lookBehind, type BehindTheApi } from '../../harness/ledger.ts';
import { handwrittenExam } from '../../harness/papers.ts';
import { plainPdf, presign, put, untilInspected } from '../../harness/pdfs.ts';
import { startService, type TestService } from '../../harness/service.ts';
import { expectError } from '../../harness/tenant.ts';
import { startStoreProxy, type StoreProxy } from '../../harness/storeProxy.ts';

/*
 * Requests of the service to its object store between the PUT and the inspection of a file, seen by a proxy. Two files
 * of the same size, with 2 and 5 pages, show by their page count which was used.
 */

let proxy: StoreProxy;
let service: TestService;
let store: ObjectStore;
let behind: BehindTheApi;
let exam: Exam;
beforeAll(async () => {
  const account = await newBucket();
  store = objectStore(account);
  proxy = await startStoreProxy(account.endpoint);
  service = await startService({
    COPY_CONCURRENCY: '0',
    S3_ENDPOINT: proxy.endpoint,
    S3_BUCKET: account.bucket,
    INSPECTION_WAIT_SECONDS: '30',
  });
  behind = lookBehind(service.database);
  exam = await createExam(service.api, handwrittenExam());
});
afterAll(async () => {
  await behind.close();
  await service.close();
  await proxy.close();
  store.close();
});
beforeEach(() => {
  proxy.seen.length = 0;
});

const LARGE = plainPdf(5);
const SMALL = plainPdf(2, LARGE.byteLength);

const isCopy = ({ headers }: { headers: object }): boolean => 'x-amz-copy-source' in headers;
const isHead = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'HEAD' && path.includes('/uploads/');

const read = (id: string) => service.api.get<Upload>(`/uploads/${id}`);
const sealedOf = async (id: string): Promise<string> => {
  const [row] = await behind.query<{ sealed_key: string }>('select sealed_key from uploads where id = $1', [
    id,
  ]);
  return row?.sealed_key ?? '';
};
const filesOf = async (id: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const key of store.list('institutes/')) if (key.includes(id)) found.push(key);
  return found;
};
const bytesAt = async (key: string): Promise<Buffer> => {
  const response = await fetch(await store.presignGet(key, { expiresInSeconds: 60 }));
  return Buffer.from(await response.arrayBuffer());
};

describe('another file PUT to the address', () => {
  test('between the look at the file and its copy: this read fails, and the next one uses the new file', async () => {
    const address = await presign(service.api, LARGE.byteLength);
    expect(await put(address, SMALL)).toBe(200);
    proxy.beforeNext(isCopy, () => put(address, LARGE));
    expect((await read(address.id)).body).toEqual({ id: address.id, status: 'pending' });
    expect(await filesOf(address.id)).toHaveLength(1);

    expect(await untilInspected(service.api, address.id)).toEqual({
      id: address.id,
      status: 'ready',
      pages: 5,
    });
    expect((await bytesAt(await sealedOf(address.id))).equals(LARGE)).toBe(true);
  });

  test('before the look: the new file is inspected and kept', async () => {
    const address = await presign(service.api, LARGE.byteLength);
    expect(await put(address, SMALL)).toBe(200);
    proxy.beforeNext(isHead, () => put(address, LARGE));
    expect(await untilInspected(service.api, address.id)).toEqual({
      id: address.id,
      status: 'ready',
      pages: 5,
    });
    expect((await bytesAt(await sealedOf(address.id))).equals(LARGE)).toBe(true);
  });

  test('after the copy, before the inspection: the first file is inspected, kept and graded', async () => {
    const address = await presign(service.api, LARGE.byteLength);
    expect(await put(address, SMALL)).toBe(200);
    proxy.beforeNext(
      ({ method, path }) => method === 'GET' && path.includes('/sealed/'),
      () => put(address, LARGE),
    );
    expect(await untilInspected(service.api, address.id)).toEqual({
      id: address.id,
      status: 'ready',
      pages: 2,
    });
    const submission = await submit(service.api, exam.id, {
      candidate: { external_id: 'swapped' },
      upload_id: address.id,
    });
    expect(submission).toMatchObject({ pages: 2, quote: { credits: 2 } });
    expect((await bytesAt(await sealedOf(address.id))).equals(SMALL)).toBe(true);
  });
});

test('an inspected file is in the store once, and no longer at its address', async () => {
  const id = await uploadCopy(service.api, plainPdf(1));
  await untilInspected(service.api, id);
  expect(await filesOf(id)).toEqual([await sealedOf(id)]);
});

test('simultaneous first reads seal a file once, inspect it once, and return the same', async () => {
  const id = await uploadCopy(service.api, plainPdf(3));
  const answers = await Promise.all(Array.from({ length: 6 }, () => untilInspected(service.api, id)));
  for (const answer of answers) expect(answer).toEqual({ id, status: 'ready', pages: 3 });
  expect(await filesOf(id)).toEqual([await sealedOf(id)]);
  expect(proxy.seen.filter(({ method, path }) => method === 'GET' && path.includes(id))).toHaveLength(1);
});

test('while the files of one institute are delayed, another institute’s file is sealed and inspected', async () => {
  const { api: flooding, instituteId } = await service.newInstitute();
  const isFlood = (asked: { path: string; headers: object }) =>
    isCopy(asked) && asked.path.includes(`/institutes/${instituteId}/`);
  const ids = await Promise.all(Array.from({ length: 6 }, () => uploadCopy(flooding, SMALL)));
  const release = proxy.hold(isFlood);
  try {
    const reads = Promise.all(ids.map((id) => flooding.get<Upload>(`/uploads/${id}`)));
    await expect.poll(() => proxy.seen.filter(isFlood).length, { timeout: 20_000 }).toBe(4);
    const other = await uploadCopy(service.api, SMALL);
    expect((await read(other)).body.status).toBe('ready');
    expect(proxy.seen.filter(isFlood), 'no more than its share').toHaveLength(4);
    // Reads that got no turn in time show `pending`, and none has failed.
    await expect.poll(() => proxy.seen.filter(isFlood).length, { timeout: 20_000 }).toBe(4);
    release();
    expect((await reads).map(({ status }) => status)).toEqual(ids.map(() => 200));
  } finally {
    release();
  }
});

test('while the object store is down the read answers 503, and the file is inspected once it is up', async () => {
  const id = await uploadCopy(service.api, plainPdf(1));
  proxy.setAway(true);
  const answer = await service.api.get(`/uploads/${id}`);
  proxy.setAway(false);
  expectError(answer, 503, 'service_unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await untilInspected(service.api, id)).toMatchObject({ status: 'ready', pages: 1 });
});

test('no request to the object store contains the API key', async () => {
  await untilInspected(service.api, await uploadCopy(service.api, plainPdf(1)));
  expect(proxy.seen.length).toBeGreaterThan(3);
  expect(JSON.stringify(proxy.seen)).not.toContain(service.api.apiKey);
});
