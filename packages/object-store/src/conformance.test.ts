/**
 * Tests the behaviour of S3 that the service relies on, through the adapter. Runs against the embedded endpoint, or
 * against another store: S3_CONFORMANCE_ENDPOINT with S3_CONFORMANCE_ACCESS_KEY_ID, S3_CONFORMANCE_SECRET_ACCESS_KEY
 * and S3_CONFORMANCE_REGION (default us-east-1). Creates its own bucket and leaves it empty.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3 } from '@evaluation/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectStore, type ObjectStore, type PresignedPut } from './index.ts';

const PDF = 'application/pdf';
const bucket = `conformance-${randomUUID()}`;
const used = new Set<string>();
const cleanups: (() => Promise<void>)[] = [];
let account: { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };
let store: ObjectStore;

beforeAll(async () => {
  const endpoint = process.env['S3_CONFORMANCE_ENDPOINT'];
  if (endpoint === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
    const s3 = await startS3({ dataDir: folder });
    cleanups.push(
      () => s3.close(),
      () => rm(folder, { recursive: true, force: true }),
    );
    account = s3;
  } else {
    account = {
      endpoint,
      region: process.env['S3_CONFORMANCE_REGION'] ?? 'us-east-1',
      accessKeyId: process.env['S3_CONFORMANCE_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: process.env['S3_CONFORMANCE_SECRET_ACCESS_KEY'] ?? '',
    };
  }
  store = objectStore({ ...account, bucket });
  await store.ensureBucket();
});

afterAll(async () => {
  await store.delete([...used]);
  // The embedded endpoint cannot delete a bucket; its folder is removed.
  if (cleanups.length === 0) await removeBucket();
  store.close();
  for (const cleanup of cleanups) await cleanup();
});

const removeBucket = async (): Promise<void> => {
  const client = new S3Client({
    endpoint: account.endpoint,
    region: account.region,
    credentials: account,
    forcePathStyle: true,
  });
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
};

const newKey = (name: string = randomUUID()): string => {
  used.add(name);
  return name;
};

const send = (
  { url, headers }: PresignedPut,
  body: string | Buffer<ArrayBuffer>,
  changed: Record<string, string> = {},
) => fetch(url, { method: 'PUT', headers: { ...headers, ...changed }, body });

const codeOf = async (response: Response) => /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1];

const keysUnder = async (prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
};

test('ensureBucket succeeds for an existing bucket', async () => {
  await store.ensureBucket();
  await Promise.all([store.ensureBucket(), store.ensureBucket()]);
});

test('a presigned PUT stores the sent bytes, and a presigned GET returns them', async () => {
  const key = newKey();
  const body = randomBytes(300_000);
  const put = await store.presignPut(key, { sizeBytes: body.length, contentType: PDF, expiresInSeconds: 60 });
  expect((await send(put, body)).status).toBe(200);
  expect(await store.head(key)).toMatchObject({ sizeBytes: body.length, contentType: PDF });
  const got = await fetch(await store.presignGet(key, { expiresInSeconds: 60 }));
  expect(got.status).toBe(200);
  expect(got.headers.get('content-type')).toBe(PDF);
  expect(Buffer.from(await got.arrayBuffer()).equals(body)).toBe(true);
});

test('a presigned PUT refuses another size, larger or smaller', async () => {
  const key = newKey();
  const put = await store.presignPut(key, { sizeBytes: 1000, contentType: PDF, expiresInSeconds: 60 });
  for (const size of [999, 1001]) {
    const response = await send(put, randomBytes(size), { 'Content-Length': String(size) });
    expect(response.status).toBe(403);
    expect(await codeOf(response)).toBe('SignatureDoesNotMatch');
  }
  expect(await store.head(key)).toBeNull();
});

test('a presigned PUT refuses another content type', async () => {
  const key = newKey();
  const put = await store.presignPut(key, { sizeBytes: 4, contentType: PDF, expiresInSeconds: 60 });
  const response = await send(put, 'text', { 'Content-Type': 'text/html' });
  expect(response.status).toBe(403);
  expect(await codeOf(response)).toBe('SignatureDoesNotMatch');
  expect(await store.head(key)).toBeNull();
});

test('a presigned PUT is valid for its key and method only', async () => {
  const key = newKey();
  const other = newKey();
  const put = await store.presignPut(key, { sizeBytes: 4, contentType: PDF, expiresInSeconds: 60 });
  expect((await send({ ...put, url: put.url.replace(key, other) }, 'text')).status).toBe(403);
  expect((await fetch(put.url, { headers: { 'content-type': PDF } })).status).toBe(403);
  expect(await store.head(other)).toBeNull();
});

test('a presigned URL expires', async () => {
  const key = newKey();
  await store.put(key, Buffer.from('x'), PDF);
  const url = await store.presignGet(key, { expiresInSeconds: 1 });
  const expired = async () => (await fetch(url)).status === 403;
  const deadline = Date.now() + 10_000;
  while (!(await expired())) {
    expect(Date.now()).toBeLessThan(deadline);
    await sleep(100);
  }
  const response = await fetch(url);
  expect(response.status).toBe(403);
  expect(await codeOf(response)).toBe('AccessDenied');
});

test('a presigned GET serves ranges', async () => {
  const key = newKey();
  await store.put(key, Buffer.from('0123456789'), PDF);
  const url = await store.presignGet(key, { expiresInSeconds: 60 });
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    '234',
  ]);
  const tail = await fetch(url, { headers: { range: 'bytes=-3' } });
  expect([tail.status, await tail.text()]).toEqual([206, '789']);
  expect((await fetch(url, { headers: { range: 'bytes=10-' } })).status).toBe(416);
});

test('reads and writes without a signature are refused', async () => {
  const key = newKey();
  await store.put(key, Buffer.from('x'), PDF);
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    expect((await fetch(`${account.endpoint}/${bucket}/${key}`, { method })).status).toBe(403);
  }
  expect(await store.head(key)).not.toBeNull();
});

test('a wrong secret is refused', async () => {
  const thief = objectStore({ ...account, bucket, secretAccessKey: 'wrong'.repeat(8) });
  await expect(thief.put(newKey(), Buffer.from('x'), PDF)).rejects.toMatchObject({
    name: 'SignatureDoesNotMatch',
  });
  thief.close();
});

test('get returns an object up to maxBytes, and null for a missing one', async () => {
  const key = newKey();
  const body = randomBytes(100_000);
  expect(await store.get(key, { maxBytes: 100_000 })).toBeNull();
  await store.put(key, body, 'application/gzip');
  expect((await store.get(key, { maxBytes: 100_000 }))?.equals(body)).toBe(true);
  await expect(store.get(key, { maxBytes: 99_999 })).rejects.toThrow(RangeError);
});

test('copy copies the version of ifMatch and keeps its type', async () => {
  const [from, to] = [newKey(), newKey()];
  const { etag } = await store.put(from, Buffer.from('first'), PDF);
  const copied = await store.copy(from, to, { ifMatch: etag });
  expect(copied?.etag).toBe(etag);
  expect(await store.head(to)).toEqual({ etag, sizeBytes: 5, contentType: PDF });
  await store.put(from, Buffer.from('second!'), PDF);
  expect(await store.head(to)).toEqual({ etag, sizeBytes: 5, contentType: PDF });
});

test('copy of a changed or missing source returns null and writes nothing', async () => {
  const [from, to] = [newKey(), newKey()];
  const { etag } = await store.put(from, Buffer.from('first'), PDF);
  await store.put(from, Buffer.from('second'), PDF);
  expect(await store.copy(from, to, { ifMatch: etag })).toBeNull();
  await store.delete([from]);
  expect(await store.copy(from, to, { ifMatch: etag })).toBeNull();
  expect(await store.head(to)).toBeNull();
});

test('delete accepts missing keys, and more keys than one request holds', async () => {
  const keys = [newKey(), newKey()];
  for (const key of keys) await store.put(key, Buffer.from('x'), PDF);
  const missing = Array.from({ length: 1000 }, (_, index) => `missing-${index}`);
  await store.delete([...missing, ...keys]);
  for (const key of keys) expect(await store.head(key)).toBeNull();
  await store.delete([]);
});

test('list returns exactly the keys with the prefix, over several pages', async () => {
  const folder = randomUUID();
  const keys = Array.from(
    { length: 1003 },
    (_, index) => `${folder}/${String(index).padStart(4, '0')} +&.pdf`,
  );
  const [beside, above] = [newKey(`${folder}-2/x`), newKey(folder)];
  for (const key of keys) used.add(key);
  // A few requests at a time, which takes about a second.
  const waiting = [...keys, beside, above];
  const write = async (): Promise<void> => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      await store.put(key, Buffer.from('x'), PDF);
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));

  expect(await keysUnder(`${folder}/`)).toEqual(keys);
  expect(await keysUnder(keys[1002] ?? '')).toEqual([keys[1002]]);
  expect(await keysUnder(`${folder}/none`)).toEqual([]);
  await store.delete(keys);
  expect(await keysUnder(`${folder}/`)).toEqual([]);
});

test('keys with spaces, plus signs, percent signs and other scripts are preserved', async () => {
  const keys = ['a b+c%20d', "quote'(1)!*~", 'प्रश्न/उत्तर.pdf', 'a&b<c>"d"', 'x=y?z#w;v:@,$'].map((name) =>
    newKey(`${randomUUID()}/${name}`),
  );
  for (const key of keys) {
    const { etag } = await store.put(key, Buffer.from(key), PDF);
    expect(await (await fetch(await store.presignGet(key, { expiresInSeconds: 60 }))).text()).toBe(key);
    const copy = newKey(`${key}-copy`);
    expect(await store.copy(key, copy, { ifMatch: etag })).not.toBeNull();
    await store.delete([key]);
    expect(await store.head(key)).toBeNull();
    expect(await store.head(copy)).not.toBeNull();
  }
});

test('a public endpoint changes URLs for clients only', async () => {
  const outside = objectStore({ ...account, bucket, publicEndpoint: 'https://files.example.org' });
  const key = newKey();
  await outside.put(key, Buffer.from('x'), PDF);
  expect(await outside.head(key)).not.toBeNull();
  const put = { sizeBytes: 1, contentType: PDF, expiresInSeconds: 60 };
  const { url } = await outside.presignPut(key, { ...put, byClient: true });
  for (const address of [url, await outside.presignGet(key, { ...put, byClient: true })])
    expect(new URL(address).origin).toBe('https://files.example.org');
  // Workers and the facade may not be able to resolve the public name.
  const own = [await outside.presignGet(key, put), (await outside.presignPut(key, put)).url];
  for (const address of own) expect(new URL(address).origin).toBe(new URL(account.endpoint).origin);
  outside.close();
});
