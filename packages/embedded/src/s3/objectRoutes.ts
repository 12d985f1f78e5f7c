/** Routes of one object: PUT, copy, GET, HEAD, DELETE. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { IncomingBody } from './body.ts';
import { S3Error } from './errors.ts';
import { refuseOtherHeaders, refuseOtherParameters, type S3Request } from './request.ts';
import type { Bucket, ObjectRecord, Storage } from './storage.ts';
import { document } from './xml.ts';

export interface Exchange {
  request: S3Request;
  response: ServerResponse;
  storage: Storage;
  /** Starts to read the body; may be called once. */
  body(): IncomingBody;
}

export const sendXml = (response: ServerResponse, xml: string, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(xml) });
  response.end(xml);
};

export const objectRoute = async (exchange: Exchange): Promise<void> => {
  const { request, storage } = exchange;
  const bucket = storage.bucket(request.bucket);
  refuseOtherParameters(request, /^$/);
  refuseOtherHeaders(request);
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return read(exchange, bucket);
    case 'PUT':
      return request.headers['x-amz-copy-source'] === undefined
        ? put(exchange, bucket)
        : copy(exchange, bucket);
    case 'DELETE':
      await bucket.remove(request.key);
      exchange.response.writeHead(204).end();
      return;
  }
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
};

const put = async ({ request, response, body }: Exchange, bucket: Bucket): Promise<void> => {
  const incoming = body();
  const blob = await bucket.writeBlob(incoming.data);
  const { md5 } = incoming.summary();
  const headers = { 'content-type': request.headers['content-type'] ?? 'binary/octet-stream' };
  await commitOrDrop(bucket, newRecord(request.key, { ...blob, etag: md5, headers }));
  response.writeHead(200, { etag: `"${md5}"`, 'content-length': 0 }).end();
};

const copy = async ({ request, response, storage }: Exchange, bucket: Bucket): Promise<void> => {
  const source = copySource(request.headers['x-amz-copy-source'] ?? '');
  if (source.bucket === request.bucket && source.key === request.key) {
    throw new S3Error('InvalidRequest', 'This copy request is illegal: it changes nothing about the object.');
  }
  const ifMatch = request.headers['x-amz-copy-source-if-match'];
  const from = storage.bucket(source.bucket);
  const { record: original, blob } = await sourceBlob(from, source.key, bucket, ifMatch);
  const { etag, headers } = original;
  const record = newRecord(request.key, { ...blob, etag, headers });
  await commitOrDrop(bucket, record);
  sendXml(
    response,
    document('CopyObjectResult', { ETag: `"${record.etag}"`, LastModified: record.lastModified }),
  );
};

/** Copies the source's blob, so that the etag and the bytes belong to the same version. */
const sourceBlob = async (from: Bucket, key: string, to: Bucket, ifMatch: string | undefined) => {
  for (;;) {
    const record = from.get(key);
    if (record === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
    if (ifMatch !== undefined && ifMatch.replaceAll('"', '') !== record.etag) {
      throw new S3Error(
        'PreconditionFailed',
        'At least one of the pre-conditions you specified did not hold',
      );
    }
    try {
      return { record, blob: await to.copyBlob(from, record.blob) };
    } catch (error) {
      // Retry when the source was replaced or deleted meanwhile.
      if (from.get(key) === record) throw error;
    }
  }
};

const copySource = (header: string): { bucket: string; key: string } => {
  let path: string;
  try {
    path = decodeURIComponent(header).replace(/^\//, '');
  } catch {
    throw new S3Error('InvalidArgument', 'Invalid copy source encoding.');
  }
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1) {
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  }
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
};

const read = async ({ request, response }: Exchange, bucket: Bucket): Promise<void> => {
  const { record, file } = await bucket.read(request.key);
  try {
    const range = requestedRange(request.headers, record.size);
    const { first, last } = range ?? { first: 0, last: record.size - 1 };
    response.writeHead(range === null ? 200 : 206, {
      ...record.headers,
      'content-length': last - first + 1,
      'accept-ranges': 'bytes',
      etag: `"${record.etag}"`,
      'last-modified': new Date(record.lastModified).toUTCString(),
      ...(range === null ? {} : { 'content-range': `bytes ${first}-${last}/${record.size}` }),
    });
    if (request.method === 'HEAD' || record.size === 0) {
      response.end();
      return;
    }
    await pipeline(file.createReadStream({ start: first, end: last, autoClose: false }), response);
  } finally {
    await file.close();
  }
};

/**
 * The requested bytes, first and last inclusive (PDF viewers in browsers send ranges). Returns null for the whole
 * object, also for ranges that HTTP allows to ignore: several, malformed, or conditional ones.
 * @throws S3Error InvalidRange when the object has none of the bytes
 */
const requestedRange = (
  headers: Record<string, string>,
  size: number,
): { first: number; last: number } | null => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers['range'] ?? '') ?? [];
  if ((from === '' && to === '') || headers['if-range'] !== undefined) return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) throw new S3Error('InvalidRange', 'The requested range is not satisfiable');
  return { first, last };
};

const commitOrDrop = async (bucket: Bucket, record: ObjectRecord): Promise<void> => {
  try {
    await bucket.commit(record);
  } catch (error) {
    await bucket.dropBlob(record.blob);
    throw error;
  }
};

const newRecord = (
  key: string,
  { name, ...parts }: { name: string } & Pick<ObjectRecord, 'size' | 'etag' | 'headers'>,
): ObjectRecord => ({ key, blob: name, ...parts, lastModified: new Date().toISOString() });
