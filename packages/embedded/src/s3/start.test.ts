import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectTaggingCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepts, freshFolder } from '../../test/killable.ts';
import { startS3, type EmbeddedS3 } from './start.ts';

const Bucket = 'things';
let folder: Awaited<ReturnType<typeof freshFolder>>;
let s3: EmbeddedS3;
let client: S3Client;

beforeEach(async () => {
  folder = await freshFolder();
  await open();
  await client.send(new CreateBucketCommand({ Bucket }));
});

afterEach(async () => {
  await close();
  await folder.remove();
});

test('only the user that runs the service can enter the folders of objects', async () => {
  for (const name of ['', Bucket, `${Bucket}/blobs`, `${Bucket}/objects`])
    expect((await stat(join(folder.path, 's3/buckets', name))).mode & 0o777, name).toBe(0o700);
});

const open = async () => {
  s3 = await startS3({ dataDir: join(folder.path, 's3') });
  client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
    // As in packages/object-store.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
};

const close = async () => {
  client.destroy();
  await s3.close();
};

const put = (Key: string, Body: string | Buffer = Key) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString() ?? '';
const blobs = () => readdir(join(folder.path, 's3', 'buckets', Bucket, 'blobs'));

test('GET returns an object’s bytes, MD5 etag and type', async () => {
  const body = randomBytes(3_000_000);
  const md5 = createHash('md5').update(body).digest('hex');
  const { ETag } = await client.send(
    new PutObjectCommand({
      Bucket,
      Key: 'a',
      Body: body,
      ContentType: 'application/pdf',
    }),
  );
  expect(ETag).toBe(`"${md5}"`);
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  expect(got).toMatchObject({
    ETag,
    ContentType: 'application/pdf',
    ContentLength: body.length,
  });
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
});

test('missing objects and buckets are answered with their S3 codes', async () => {
  const name = (error: string) => ({ name: error });
  await expect(get('missing')).rejects.toMatchObject(name('NoSuchKey'));
  await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'missing' }))).rejects.toMatchObject(
    name('NotFound'),
  );
  await expect(client.send(new HeadBucketCommand({ Bucket: 'missing' }))).rejects.toMatchObject(
    name('NotFound'),
  );
  const nowhere = new PutObjectCommand({ Bucket: 'missing', Key: 'a', Body: 'a' });
  await expect(client.send(nowhere)).rejects.toMatchObject(name('NoSuchBucket'));
  await expect(client.send(new CreateBucketCommand({ Bucket: 'UPPER' }))).rejects.toMatchObject(
    name('InvalidBucketName'),
  );
  const again = new CreateBucketCommand({ Bucket });
  await expect(client.send(again)).rejects.toMatchObject(name('BucketAlreadyOwnedByYou'));
});

test('an unsupported sub-resource is refused', async () => {
  const notImplemented = { name: 'NotImplemented' };
  await expect(client.send(new DeleteBucketPolicyCommand({ Bucket }))).rejects.toMatchObject(notImplemented);
  await client.send(new HeadBucketCommand({ Bucket }));
  await put('a');
  const untag = new DeleteObjectTaggingCommand({ Bucket, Key: 'a' });
  await expect(client.send(untag)).rejects.toMatchObject(notImplemented);
  expect(await get('a')).toBe('a');
});

test('an unsupported header is refused', async () => {
  const notImplemented = { name: 'NotImplemented' };
  for (const more of [
    { IfNoneMatch: '*' },
    { Metadata: { run: '7' } },
    { ContentMD5: createHash('md5').update('a').digest('base64') },
    { ChecksumSHA256: createHash('sha256').update('a').digest('base64') },
  ]) {
    const command = new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', ...more });
    await expect(client.send(command)).rejects.toMatchObject(notImplemented);
  }
  expect(await blobs()).toEqual([]);
});

test('no key leaves the folder, and unusual keys stay distinct', async () => {
  const keys = [
    '..',
    '../../../escaped',
    '../escaped',
    'a/../b',
    'b',
    './b',
    '/b',
    '//b',
    'b/',
    '\u0001<&>"\u007f',
    'é',
    'e\u0301',
  ];
  for (const key of keys) await put(key, `body of ${key}`);
  for (const key of keys) expect(await get(key)).toBe(`body of ${key}`);
  expect(await readdir(folder.path)).toEqual(['s3']);
  expect((await blobs()).length).toBe(keys.length);
  const Objects = keys.map((Key) => ({ Key }));
  const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted.length).toBe(keys.length);
  expect(await blobs()).toEqual([]);
});

test('a list is in the byte order of its keys', async () => {
  for (const key of ['a/2', 'z', 'B', '😀', 'ﬀ', 'a/1']) await put(key);
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  expect(Contents.map(({ Key }) => Key)).toEqual(['B', 'a/1', 'a/2', 'z', 'ﬀ', '😀']);
});

test('a reader keeps its version while the object is replaced and deleted', async () => {
  const first = randomBytes(8_000_000);
  await put('a', first);
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  await put('a', 'second');
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a' }] } }));
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(first)).toBe(true);
});

test('reads and copies during replacements get one whole version', async () => {
  const version = (number: number) => `${number} `.repeat(5000);
  await put('a', version(0));
  let writing = true;
  const writer = (async () => {
    for (let number = 1; number <= 60; number += 1) await put('a', version(number));
    writing = false;
  })();
  const readers = Array.from({ length: 4 }, async (_, reader) => {
    while (writing) {
      await client.send(new CopyObjectCommand({ Bucket, Key: `copy-${reader}`, CopySource: `${Bucket}/a` }));
      for (const key of ['a', `copy-${reader}`]) {
        const body = await get(key);
        expect(body).toBe(version(Number.parseInt(body, 10)));
      }
    }
  });
  await Promise.all([writer, ...readers]);
});

test('a copy onto itself is refused', async () => {
  await put('a');
  const onto = new CopyObjectCommand({ Bucket, Key: 'a', CopySource: `${Bucket}/a` });
  await expect(client.send(onto)).rejects.toMatchObject({ name: 'InvalidRequest' });
});

test('a restart keeps objects, credentials and port, and removes partial writes', async () => {
  await put('a', 'kept');
  const before = s3;
  await close();
  expect(await accepts(before.endpoint)).toBe(false);
  await writeFile(join(folder.path, 's3', 'buckets', Bucket, 'blobs', 'half-written'), 'x');
  await writeFile(join(folder.path, 's3', 'buckets', Bucket, 'objects', 'half.json.draft'), '{');
  await open();
  const { close: _before, ...kept } = before;
  expect(s3).toMatchObject(kept);
  expect(await get('a')).toBe('kept');
  expect((await blobs()).length).toBe(1);
  expect((await readdir(join(folder.path, 's3', 'buckets', Bucket, 'objects'))).length).toBe(1);
  for (const name of ['s3.access-key-id', 's3.secret-access-key']) {
    expect((await stat(join(folder.path, 's3', name))).mode & 0o777).toBe(0o600);
  }
});

test('another port is used when the last one is taken', async () => {
  const taken = Number(new URL(s3.endpoint).port);
  await close();
  const squatter = createServer().listen(taken, '127.0.0.1');
  await once(squatter, 'listening');
  try {
    await open();
    expect(Number(new URL(s3.endpoint).port)).not.toBe(taken);
    await expect(startS3({ dataDir: join(folder.path, 'other'), port: taken })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  } finally {
    squatter.close();
  }
});

test('a folder in use is refused, and endpoints on different folders are independent', async () => {
  await expect(startS3({ dataDir: join(folder.path, 's3') })).rejects.toThrow(
    `in use by process ${process.pid}`,
  );
  const other = await startS3({ dataDir: join(folder.path, 'other') });
  expect(other.endpoint).not.toBe(s3.endpoint);
  expect(other.secretAccessKey).not.toBe(s3.secretAccessKey);
  await other.close();
});

test('a page of another origin may PUT and GET at signed addresses', async () => {
  const origin = 'http://127.0.0.1:8082';
  const object = (name: string) => `${s3.endpoint}/${Bucket}/${name}`;
  const preflight = await fetch(object('a.pdf'), {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type',
    },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, PUT',
    'access-control-allow-headers': 'content-type',
  });
  expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);

  const command = new PutObjectCommand({ Bucket, Key: 'a.pdf', ContentType: 'application/pdf' });
  const signed = await getSignedUrl(client, command, { expiresIn: 60 });
  const sent = await fetch(signed, {
    method: 'PUT',
    headers: { origin, 'content-type': 'application/pdf' },
    body: 'page',
  });
  expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, '*']);

  // A refusal must be readable too, so that the page can tell the user about it.
  const refused = await fetch(object('a.pdf'), { headers: { origin } });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
});

test('an answer to a server has no CORS headers, and OPTIONS without an origin is refused', async () => {
  const answers = [
    await fetch(`${s3.endpoint}/${Bucket}/a`),
    await fetch(`${s3.endpoint}/${Bucket}/a`, { method: 'OPTIONS' }),
  ];
  for (const { status, headers } of answers)
    expect([status >= 400, headers.has('access-control-allow-origin')]).toEqual([true, false]);
});
