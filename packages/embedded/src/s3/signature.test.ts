/** Requests that the endpoint refuses: built by hand, signed with the library of the clients, then altered. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshFolder } from '../../test/killable.ts';
import { until } from '../processes.ts';
import { startS3, type EmbeddedS3 } from './start.ts';

let folder: Awaited<ReturnType<typeof freshFolder>>;
let s3: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  folder = await freshFolder();
  s3 = await startS3({ dataDir: folder.path });
  const { accessKeyId, secretAccessKey } = s3;
  client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: 'things' }));
});

afterAll(async () => {
  client.destroy();
  await s3.close();
  const left = await readdir(join(folder.path, 'buckets', 'things', 'blobs'));
  await folder.remove();
  expect(left, 'refused bodies left behind').toEqual([]);
});

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const crc = (data: string) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(data));
  return bytes.toString('base64');
};

/** Signature version 4 written by hand, so that the check is not compared with itself. */
const signingKey = (secret: string, scope: string): Buffer =>
  scope
    .split('/')
    .reduce<Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    );

interface Draft {
  method?: string;
  body?: string;
  payload?: string;
  headers?: Record<string, string>;
  at?: Date;
  scope?: string;
  unsigned?: Record<string, string>;
}

const longDateOf = (at: Date) => at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');

interface Answer {
  status: number;
  code: string;
  body: string;
  /** True when the server sent 100 Continue. */
  continued: boolean;
}

/** Begins a request for /things/key with this content length, without sending its body. */
const signedRequest = (draft: Draft, length: number): ClientRequest => {
  const { method = 'PUT', body = '', at = new Date(), headers = {} } = draft;
  const longDate = longDateOf(at);
  const scope = draft.scope ?? `${longDate.slice(0, 8)}/${s3.region}/s3/aws4_request`;
  const signed: Record<string, string> = {
    ...headers,
    host: new URL(s3.endpoint).host,
    'x-amz-date': longDate,
    'x-amz-content-sha256': draft.payload ?? sha256(body),
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    method,
    '/things/key',
    '',
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    signed['x-amz-content-sha256'],
  ].join('\n');
  const key = signingKey(s3.secretAccessKey, scope);
  const toSign = ['AWS4-HMAC-SHA256', longDate, scope, sha256(canonical)].join('\n');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return httpRequest(`${s3.endpoint}/things/key`, {
    method,
    headers: {
      ...signed,
      ...draft.unsigned,
      'content-length': length,
      authorization: `AWS4-HMAC-SHA256 Credential=${s3.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
    },
  });
};

const send = async (draft: Draft): Promise<Answer> => {
  const { body = '' } = draft;
  const outgoing = signedRequest(draft, Buffer.byteLength(body));
  let continued = false;
  outgoing.on('continue', () => (continued = true));
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const answer = await text(response);
  return {
    status: response.statusCode,
    code: /<Code>(.*?)<\/Code>/.exec(answer)?.[1] ?? '',
    body: answer,
    continued,
  };
};

const remove = () => send({ method: 'DELETE' });

test('a request signed by hand is accepted', async () => {
  expect(await send({ body: 'hello' })).toMatchObject({ status: 200 });
  expect((await send({ method: 'GET' })).body).toBe('hello');
  expect((await remove()).status).toBe(204);
});

test('100 Continue is sent only for a valid signature', async () => {
  const asks = { expect: '100-continue' };
  expect(await send({ body: 'hello', unsigned: asks })).toMatchObject({ status: 200, continued: true });
  expect(await send({ body: 'hello', unsigned: { ...asks, 'x-amz-acl': 'private' } })).toMatchObject({
    status: 403,
    continued: false,
  });
  await remove();
});

test('a clock more than fifteen minutes ahead or behind is refused', async () => {
  for (const minutes of [-16, 16]) {
    const at = new Date(Date.now() + minutes * 60_000);
    expect(await send({ at })).toMatchObject({ status: 403, code: 'RequestTimeTooSkewed' });
  }
  expect(await send({ method: 'DELETE', at: new Date(Date.now() - 14 * 60_000) })).toMatchObject({
    status: 204,
  });
});

test('an unsigned x-amz header is refused', async () => {
  const unsigned = { 'x-amz-copy-source': '/things/secret' };
  expect(await send({ unsigned })).toMatchObject({ status: 403, code: 'AccessDenied' });
});

test('a signature for another region, service or day is refused', async () => {
  const today = longDateOf(new Date()).slice(0, 8);
  for (const scope of [
    `${today}/eu-west-1/s3/aws4_request`,
    `${today}/us-east-1/ec2/aws4_request`,
    '20200101/us-east-1/s3/aws4_request',
  ]) {
    expect(await send({ scope })).toMatchObject({ status: 400, code: 'AuthorizationHeaderMalformed' });
  }
});

test('a presigned URL is refused before and after its validity, and after any change', async () => {
  expect(await send({ body: 'hello' })).toMatchObject({ status: 200 });
  const presigned = (minutes: number, expiresIn = 60) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: 'things', Key: 'key' }), {
      expiresIn,
      signingDate: new Date(Date.now() + minutes * 60_000),
    });
  const fetched = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    return [response.status, /<(?:Code|Message)>.*<\/Message>/.exec(await response.text())?.[0] ?? ''];
  };
  const refused = (code: string, message: string) => [
    code.startsWith('Authorization') ? 400 : 403,
    expect.stringMatching(new RegExp(`${code}.*${message}`)),
  ];
  const good = await presigned(0);
  expect(await fetched(good)).toEqual([200, '']);
  expect(await fetched(await presigned(-2))).toEqual(refused('AccessDenied', 'Request has expired'));
  expect(await fetched(await presigned(16))).toEqual(refused('AccessDenied', 'not yet valid'));
  const mismatch = refused('SignatureDoesNotMatch', '');
  expect(await fetched(good.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).toEqual(mismatch);
  expect(await fetched(`${good}&response-content-type=text%2Fhtml`)).toEqual(mismatch);
  expect(await fetched(good.replace('/key?', '/kez?'))).toEqual(mismatch);
  expect(await fetched(good, { 'x-amz-checksum-mode': 'ENABLED' })).toEqual(
    refused('AccessDenied', 'not signed'),
  );
  expect(await fetched(good.replace('X-Amz-Expires=60', 'X-Amz-Expires=604801'))).toEqual(
    refused('AuthorizationQueryParametersError', 'X-Amz-Expires'),
  );
  expect(await fetched(good.replace(/&X-Amz-Date=\w+/, ''))).toEqual(
    refused('AuthorizationQueryParametersError', 'X-Amz-Date'),
  );
  await remove();
});

test('a body with a wrong SHA-256 or checksum is refused', async () => {
  const cases: [Draft, string][] = [
    [{ payload: sha256('other') }, 'XAmzContentSHA256Mismatch'],
    [{ headers: { 'x-amz-checksum-crc32': crc('other') } }, 'BadDigest'],
  ];
  for (const [draft, code] of cases) {
    expect(await send({ body: 'hello', ...draft })).toMatchObject({ status: 400, code });
    expect(await send({ method: 'GET' })).toMatchObject({ status: 404, code: 'NoSuchKey' });
  }
  const good = { 'x-amz-checksum-crc32': crc('hello') };
  expect(await send({ body: 'hello', headers: good })).toMatchObject({ status: 200 });
  await remove();
});

test('a body in signed chunks is refused', async () => {
  const chunked = { payload: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', body: 'hello' };
  expect(await send(chunked)).toMatchObject({ status: 501, code: 'NotImplemented' });
});

test('an interrupted upload leaves no object', async () => {
  const blobs = () => readdir(join(folder.path, 'buckets', 'things', 'blobs'));
  const outgoing = signedRequest({ payload: 'UNSIGNED-PAYLOAD' }, 1_000_000);
  outgoing.on('error', () => {});
  outgoing.write(Buffer.alloc(100_000));
  expect(await until(async () => (await blobs()).length === 1, 10_000), 'the upload has begun').toBe(true);
  outgoing.destroy();
  expect(await until(async () => (await blobs()).length === 0, 10_000), 'and is gone').toBe(true);
  expect(await send({ method: 'GET' })).toMatchObject({ status: 404 });
});
