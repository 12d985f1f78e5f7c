import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectTaggingCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type ChecksumAlgorithm,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepts, freshFolder } from '../killable.fixture.ts';
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

async function open() {
  s3 = await startS3({ dataDir: join(folder.path, 's3') });
  // Everything else stays at the SDK's defaults: those are what the endpoint must understand.
  client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
  });
}

async function close() {
  client.destroy();
  await s3.close();
}

const put = (Key: string, Body: string | Buffer = Key) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString() ?? '';
const blobs = () => readdir(join(folder.path, 's3', 'buckets', Bucket, 'blobs'));

test('an object comes back with its bytes, MD5 etag, type and metadata', async () => {
  const body = randomBytes(3_000_000);
  const md5 = createHash('md5').update(body).digest('hex');
  const { ETag } = await client.send(
    new PutObjectCommand({
      Bucket,
      Key: 'a',
      Body: body,
      ContentType: 'application/pdf',
      ContentDisposition: 'attachment',
      Metadata: { run: '7' },
    }),
  );
  expect(ETag).toBe(`"${md5}"`);
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  expect(got).toMatchObject({
    ETag,
    ContentType: 'application/pdf',
    ContentDisposition: 'attachment',
    Metadata: { run: '7' },
    ContentLength: body.length,
  });
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
});

test.each<ChecksumAlgorithm>(['CRC32', 'CRC32C', 'SHA1', 'SHA256'])(
  'a stream with a trailing %s is stored without its framing and checked again on the way back',
  async (algorithm) => {
    const pieces = Array.from({ length: 40 }, () => randomBytes(10_001));
    const whole = Buffer.concat(pieces);
    const stored = await client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'a',
        Body: Readable.from(pieces),
        ContentLength: whole.length,
        ChecksumAlgorithm: algorithm,
      }),
    );
    expect(stored).toMatchObject({ [`Checksum${algorithm}`]: expect.any(String) });
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'a', ChecksumMode: 'ENABLED' }));
    expect(got.ContentEncoding).toBeUndefined();
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(whole)).toBe(true);
  },
);

test('what is missing is told by its S3 code', async () => {
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
  await put('a');
  await expect(client.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject(
    name('BucketNotEmpty'),
  );
});

test('a sub-resource we do not have is refused, not mistaken for the bucket or the object itself', async () => {
  const notImplemented = { name: 'NotImplemented' };
  await expect(client.send(new DeleteBucketPolicyCommand({ Bucket }))).rejects.toMatchObject(notImplemented);
  await client.send(new HeadBucketCommand({ Bucket }));
  await put('a');
  const untag = new DeleteObjectTaggingCommand({ Bucket, Key: 'a' });
  await expect(client.send(untag)).rejects.toMatchObject(notImplemented);
  expect(await get('a')).toBe('a');
});

test('no key reaches outside the folder, and strange keys are kept apart', async () => {
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
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
  expect(new Set(Contents.map(({ Key }) => decodeURIComponent(Key ?? '')))).toEqual(new Set(keys));
  expect(await readdir(folder.path)).toEqual(['s3']);
  expect((await blobs()).length).toBe(keys.length);
  const Objects = keys.map((Key) => ({ Key }));
  const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted.length).toBe(keys.length);
  expect(await blobs()).toEqual([]);
});

test('lists go page by page in byte order, and fold at the delimiter', async () => {
  const keys = ['a/1', 'a/2', 'a/b/3', 'B', 'z', 'ﬀ', '😀'];
  for (const key of keys) await put(key);
  const seen: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket,
        MaxKeys: 2,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    expect(page.KeyCount).toBeLessThanOrEqual(2);
    seen.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  expect(seen).toEqual(['B', 'a/1', 'a/2', 'a/b/3', 'z', 'ﬀ', '😀']);
  const folded = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
  expect(folded.CommonPrefixes).toEqual([{ Prefix: 'a/' }]);
  expect(folded.Contents?.map(({ Key }) => Key)).toEqual(['B', 'z', 'ﬀ', '😀']);
  const below = await client.send(
    new ListObjectsV2Command({ Bucket, Prefix: 'a/', Delimiter: '/', MaxKeys: 2 }),
  );
  expect([below.Contents?.map(({ Key }) => Key), below.IsTruncated]).toEqual([['a/1', 'a/2'], true]);
});

test('of many that create one key with If-None-Match, one wins', async () => {
  const attempts = Array.from({ length: 8 }, (_, index) =>
    client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: `body ${index}`, IfNoneMatch: '*' })),
  );
  const outcomes = await Promise.allSettled(attempts);
  const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
  const losers = outcomes.filter(({ status }) => status === 'rejected');
  expect(losers).toHaveLength(7);
  for (const loser of losers) expect(loser).toMatchObject({ reason: { name: 'PreconditionFailed' } });
  expect(await get('a')).toBe(`body ${winner}`);
  expect((await blobs()).length).toBe(1);
});

test('a reader keeps the version it began with while the object is replaced and deleted', async () => {
  const first = randomBytes(8_000_000);
  await put('a', first);
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  await put('a', 'second');
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a' }] } }));
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(first)).toBe(true);
});

test('while an object is replaced again and again, every read and every copy gets one whole version', async () => {
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

test('a copy replaces metadata when told so, and refuses to copy onto itself otherwise', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', Metadata: { run: '1' } }));
  const onto = (Key: string, more: object = {}) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/a`, ...more }));
  await onto('kept');
  await onto('changed', { MetadataDirective: 'REPLACE', Metadata: { run: '2' } });
  const metadata = async (Key: string) =>
    (await client.send(new HeadObjectCommand({ Bucket, Key }))).Metadata;
  expect(await metadata('kept')).toEqual({ run: '1' });
  expect(await metadata('changed')).toEqual({ run: '2' });
  await expect(onto('a')).rejects.toMatchObject({ name: 'InvalidRequest' });
  await expect(onto('b', { CopySourceIfMatch: '"other"' })).rejects.toMatchObject({
    name: 'PreconditionFailed',
  });
});

test('a multipart upload survives a restart and becomes one object', async () => {
  const Key = 'big';
  const parts = [randomBytes(5 * 1024 ** 2), randomBytes(5 * 1024 ** 2), randomBytes(1000)];
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'application/pdf' }),
  );
  const upload = (index: number, Body = parts[index] ?? Buffer.alloc(0)) =>
    client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: index + 1, Body }));
  const second = await upload(1);
  await upload(0, randomBytes(10));
  const first = await upload(0);
  await close();
  await open();
  const third = await upload(2);
  const finish = (...etags: (string | undefined)[]) =>
    client.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts: etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 })) },
      }),
    );
  await expect(finish(first.ETag, second.ETag, '"wrong"')).rejects.toMatchObject({ name: 'InvalidPart' });
  const { ETag } = await finish(first.ETag, second.ETag, third.ETag);
  const md5s = parts.map((part) => createHash('md5').update(part).digest());
  expect(ETag).toBe(`"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-3"`);
  const got = await client.send(new GetObjectCommand({ Bucket, Key }));
  expect(got.ContentType).toBe('application/pdf');
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(Buffer.concat(parts))).toBe(true);
  await expect(finish(first.ETag)).rejects.toMatchObject({ name: 'NoSuchUpload' });
});

test('a multipart upload refuses small parts in the middle, and an aborted one is gone', async () => {
  const Key = 'big';
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const Parts = [];
  for (const PartNumber of [1, 2]) {
    const { ETag } = await client.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'small' }),
    );
    Parts.push({ ETag, PartNumber });
  }
  const complete = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
  await expect(client.send(complete)).rejects.toMatchObject({ name: 'EntityTooSmall' });
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  await expect(client.send(complete)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  expect(await readdir(join(folder.path, 's3', 'buckets', Bucket, 'uploads'))).toEqual([]);
});

test('a restart keeps objects, credentials and the port, and sweeps what a death left half written', async () => {
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

test('the last port is only a wish: when it is taken, another one serves', async () => {
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

test('a folder in use is refused, and endpoints on different folders keep to themselves', async () => {
  await expect(startS3({ dataDir: join(folder.path, 's3') })).rejects.toThrow(
    `in use by process ${process.pid}`,
  );
  const other = await startS3({ dataDir: join(folder.path, 'other') });
  expect(other.endpoint).not.toBe(s3.endpoint);
  expect(other.secretAccessKey).not.toBe(s3.secretAccessKey);
  await other.close();
});
