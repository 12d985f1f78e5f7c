/** What S3 does with one object: PUT, copy, GET, HEAD, DELETE and the steps of a multipart upload. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { documentBody, type IncomingBody } from './body.ts';
import { checkRead, checkWrite, requestedRange } from './conditions.ts';
import { S3Error } from './errors.ts';
import { abortUpload, completeUpload, createUpload, listParts, putPart } from './multipart.ts';
import { parameter, refuseOtherParameters, type S3Request } from './request.ts';
import type { Bucket, ObjectRecord, Storage } from './storage.ts';
import { document, innerOf, textOf } from './xml.ts';

/** One authenticated request on its way to an answer. */
export interface Exchange {
  request: S3Request;
  response: ServerResponse;
  storage: Storage;
  /** Begins to take the body in; called at most once. */
  body(): IncomingBody;
}

/** Headers that come back with the object as they were put. */
const KEPT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
];

export function sendXml(response: ServerResponse, xml: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(xml) });
  response.end(xml);
}

const PARAMETERS = /^(uploads|uploadId|partNumber|max-parts|response-.*)$/;

export async function objectRoute(exchange: Exchange): Promise<void> {
  const { request, storage } = exchange;
  const { query, headers } = request;
  const bucket = storage.bucket(request.bucket);
  refuseOtherParameters(request, PARAMETERS);
  const uploadId = parameter(request, 'uploadId');
  switch (request.method) {
    case 'GET':
      return uploadId === undefined ? read(exchange, bucket) : sendParts(exchange, bucket, uploadId);
    case 'HEAD':
      return read(exchange, bucket);
    case 'PUT':
      if (uploadId !== undefined) return takePart(exchange, bucket, uploadId);
      return headers['x-amz-copy-source'] === undefined ? put(exchange, bucket) : copy(exchange, bucket);
    case 'POST':
      if (query['uploads'] !== undefined) return begin(exchange, bucket);
      if (uploadId !== undefined) return complete(exchange, bucket, uploadId);
      break;
    case 'DELETE':
      if (uploadId === undefined) await bucket.remove(request.key);
      else await abortUpload(bucket, request.key, uploadId);
      exchange.response.writeHead(204).end();
      return;
  }
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
}

async function put({ request, response, body }: Exchange, bucket: Bucket): Promise<void> {
  // Before the body, to spare the client a vain transfer; again at the commit, where it counts.
  checkWrite(request.headers, bucket.get(request.key));
  const incoming = body();
  const blob = await bucket.writeBlob(incoming.data);
  const { md5, checksums } = incoming.summary();
  const record = newRecord(request.key, {
    ...blob,
    etag: md5,
    checksums,
    headers: keptHeaders(request.headers),
  });
  await commitOrDrop(bucket, record, request);
  response.writeHead(200, { etag: `"${md5}"`, 'content-length': 0, ...checksumHeaders(checksums) }).end();
}

async function copy({ request, response, storage }: Exchange, bucket: Bucket): Promise<void> {
  const { headers } = request;
  const source = copySource(headers['x-amz-copy-source'] ?? '');
  const replaces = headers['x-amz-metadata-directive'] === 'REPLACE';
  if (!replaces && source.bucket === request.bucket && source.key === request.key) {
    throw new S3Error('InvalidRequest', 'This copy request is illegal: it changes nothing about the object.');
  }
  const from = storage.bucket(source.bucket);
  const { record: original, blob } = await sourceBlob(from, source.key, bucket, headers);
  const record = newRecord(request.key, {
    ...blob,
    etag: original.etag,
    checksums: original.checksums,
    headers: replaces ? keptHeaders(headers) : original.headers,
  });
  await commitOrDrop(bucket, record, request);
  sendXml(
    response,
    document('CopyObjectResult', { ETag: `"${record.etag}"`, LastModified: record.lastModified }),
  );
}

/** The source as it was at one moment: its conditions and its bytes belong to the same version. */
async function sourceBlob(from: Bucket, key: string, to: Bucket, headers: Record<string, string>) {
  for (;;) {
    const record = from.get(key);
    if (record === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
    checkRead(headers, record, 'x-amz-copy-source-');
    try {
      return { record, blob: await to.copyBlob(from, record.blob) };
    } catch (error) {
      // Replaced or deleted just now: look again. Else it is a fault.
      if (from.get(key) === record) throw error;
    }
  }
}

function copySource(header: string): { bucket: string; key: string } {
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
}

async function read({ request, response }: Exchange, bucket: Bucket): Promise<void> {
  const { record, file } = await bucket.read(request.key);
  try {
    checkRead(request.headers, record);
    const range = requestedRange(request.headers, record);
    const size = range === null ? record.size : range.last - range.first + 1;
    response.writeHead(range === null ? 200 : 206, {
      ...record.headers,
      ...overrides(request),
      'content-length': size,
      'accept-ranges': 'bytes',
      etag: `"${record.etag}"`,
      'last-modified': new Date(record.lastModified).toUTCString(),
      ...(range === null
        ? checksumHeaders(record.checksums)
        : { 'content-range': `bytes ${range.first}-${range.last}/${record.size}` }),
    });
    if (request.method === 'HEAD' || size === 0) {
      response.end();
      return;
    }
    const { first, last } = range ?? { first: 0, last: record.size - 1 };
    await pipeline(file.createReadStream({ start: first, end: last, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** `response-content-type=…` and so on, by which the signer of a link says how it is shown. */
function overrides(request: S3Request): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of ['content-type', ...KEPT_HEADERS]) {
    const value = parameter(request, `response-${name}`);
    // A query can carry what a header cannot; such a value is refused, not sent.
    if (value !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new S3Error('InvalidArgument', `response-${name} is no header value`);
    }
    if (value !== undefined) found[name] = value;
  }
  return found;
}

async function begin({ request, response }: Exchange, bucket: Bucket): Promise<void> {
  const id = await createUpload(bucket, { key: request.key, headers: keptHeaders(request.headers) });
  sendXml(
    response,
    document('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: request.key, UploadId: id }),
  );
}

async function takePart(
  { request, response, body }: Exchange,
  bucket: Bucket,
  uploadId: string,
): Promise<void> {
  if (request.headers['x-amz-copy-source'] !== undefined) {
    throw new S3Error('NotImplemented', 'Copying a part is not implemented');
  }
  const partNumber = parameter(request, 'partNumber') ?? '';
  const { etag, checksums } = await putPart(bucket, request.key, { uploadId, partNumber }, body());
  response.writeHead(200, { etag: `"${etag}"`, 'content-length': 0, ...checksumHeaders(checksums) }).end();
}

async function complete(
  { request, response, body }: Exchange,
  bucket: Bucket,
  uploadId: string,
): Promise<void> {
  const listed = innerOf(await documentBody(body()), 'Part').map((part) => ({
    number: Number(textOf(part, 'PartNumber')),
    etag: (textOf(part, 'ETag') ?? '').replaceAll('"', ''),
  }));
  const record = await completeUpload(bucket, request.key, uploadId, listed, (present) =>
    checkWrite(request.headers, present),
  );
  sendXml(
    response,
    document('CompleteMultipartUploadResult', {
      Location: `http://${request.headers['host'] ?? ''}${request.canonicalPath}`,
      Bucket: bucket.name,
      Key: request.key,
      ETag: `"${record.etag}"`,
    }),
  );
}

async function sendParts({ request, response }: Exchange, bucket: Bucket, uploadId: string): Promise<void> {
  const parts = await listParts(bucket, request.key, uploadId);
  sendXml(
    response,
    document('ListPartsResult', {
      Bucket: bucket.name,
      Key: request.key,
      UploadId: uploadId,
      IsTruncated: false,
      Part: parts.map(({ number, md5, size }) => ({ PartNumber: number, ETag: `"${md5}"`, Size: size })),
    }),
  );
}

async function commitOrDrop(bucket: Bucket, record: ObjectRecord, request: S3Request): Promise<void> {
  try {
    await bucket.commit(record, (present) => checkWrite(request.headers, present));
  } catch (error) {
    await bucket.dropBlob(record.blob);
    throw error;
  }
}

function newRecord(
  key: string,
  parts: { name: string } & Pick<ObjectRecord, 'size' | 'etag' | 'checksums' | 'headers'>,
): ObjectRecord {
  const { name, size, etag, checksums, headers } = parts;
  return { key, blob: name, size, etag, checksums, headers, lastModified: new Date().toISOString() };
}

function keptHeaders(headers: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': headers['content-type'] ?? 'binary/octet-stream' };
  for (const [name, value] of Object.entries(headers)) {
    if (KEPT_HEADERS.includes(name) || name.startsWith('x-amz-meta-')) kept[name] = value;
  }
  // aws-chunked is how the body travelled, not what it is.
  const coding = kept['content-encoding']
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== 'aws-chunked' && word !== '')
    .join(',');
  if (coding) kept['content-encoding'] = coding;
  else delete kept['content-encoding'];
  return kept;
}

function checksumHeaders(checksums: Record<string, string>): Record<string, string> {
  const headers = Object.entries(checksums).map(([algorithm, value]) => [
    `x-amz-checksum-${algorithm}`,
    value,
  ]);
  return Object.fromEntries(headers);
}
