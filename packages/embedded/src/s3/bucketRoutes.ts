/** What S3 does with buckets and with many objects at once: create, list, delete. */
import { documentBody } from './body.ts';
import { S3Error } from './errors.ts';
import { sendXml, type Exchange } from './objectRoutes.ts';
import { encodeStrictly, parameter, refuseOtherParameters } from './request.ts';
import type { Bucket } from './storage.ts';
import { document, innerOf, textOf, type XmlContent } from './xml.ts';

const MAX_KEYS = 1000;
const PARAMETERS =
  /^(delete|location|list-type|prefix|delimiter|continuation-token|start-after|max-keys|encoding-type|fetch-owner)$/;

export async function serviceRoute({ request, response, storage }: Exchange): Promise<void> {
  if (request.method !== 'GET') {
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
  const buckets = storage
    .buckets()
    .map(({ name, createdAt }) => ({ Name: name, CreationDate: createdAt.toISOString() }));
  sendXml(response, document('ListAllMyBucketsResult', { Buckets: { Bucket: buckets } }));
}

export async function bucketRoute(exchange: Exchange): Promise<void> {
  const { request, response, storage } = exchange;
  const { query } = request;
  refuseOtherParameters(request, PARAMETERS);
  switch (request.method) {
    case 'PUT':
      await storage.createBucket(request.bucket);
      response.writeHead(200, { location: `/${request.bucket}`, 'content-length': 0 }).end();
      return;
    case 'HEAD':
      storage.bucket(request.bucket);
      response.writeHead(200).end();
      return;
    case 'DELETE':
      await storage.deleteBucket(request.bucket);
      response.writeHead(204).end();
      return;
    case 'POST':
      if (query['delete'] !== undefined) return deleteObjects(exchange, storage.bucket(request.bucket));
      break;
    case 'GET':
      if (query['location'] !== undefined) {
        storage.bucket(request.bucket);
        return sendXml(response, document('LocationConstraint', ''));
      }
      if (query['list-type'] === '2') return listObjects(exchange, storage.bucket(request.bucket));
      throw new S3Error('NotImplemented', 'Only ListObjectsV2 is implemented');
  }
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
}

async function deleteObjects({ response, body }: Exchange, bucket: Bucket): Promise<void> {
  const xml = await documentBody(body());
  const keys = innerOf(xml, 'Object').map((object) => textOf(object, 'Key'));
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    throw new S3Error('MalformedXML', `A delete names 1 to ${MAX_KEYS} objects`);
  }
  const quiet = textOf(xml, 'Quiet') === 'true';
  const deleted: { Key: string }[] = [];
  for (const key of keys) {
    if (key === null) throw new S3Error('MalformedXML', 'An object without a key');
    await bucket.remove(key);
    deleted.push({ Key: key });
  }
  sendXml(response, document('DeleteResult', { Deleted: quiet ? [] : deleted }));
}

function listObjects({ request, response }: Exchange, bucket: Bucket): void {
  const prefix = parameter(request, 'prefix') ?? '';
  const delimiter = parameter(request, 'delimiter') ?? '';
  const token = parameter(request, 'continuation-token');
  const after = token === undefined ? (parameter(request, 'start-after') ?? '') : lastOf(token);
  const maxKeys = Math.min(MAX_KEYS, positive(parameter(request, 'max-keys') ?? String(MAX_KEYS)));
  const page = pageOf(bucket.keys(prefix), { prefix, delimiter, after, maxKeys });
  const encoded = parameter(request, 'encoding-type') === 'url';
  const shown = (text: string) => (encoded ? encodeStrictly(text).replaceAll('%2F', '/') : text);
  const contents = page.keys.flatMap((key): XmlContent[] => {
    const record = bucket.get(key);
    if (record === undefined) return [];
    return [
      {
        Key: shown(key),
        LastModified: record.lastModified,
        ETag: `"${record.etag}"`,
        Size: record.size,
        StorageClass: 'STANDARD',
      },
    ];
  });
  sendXml(
    response,
    document('ListBucketResult', {
      Name: bucket.name,
      Prefix: shown(prefix),
      Delimiter: delimiter === '' ? undefined : shown(delimiter),
      MaxKeys: maxKeys,
      EncodingType: encoded ? 'url' : undefined,
      KeyCount: contents.length + page.prefixes.length,
      IsTruncated: page.next !== null,
      ContinuationToken: token,
      NextContinuationToken: page.next === null ? undefined : tokenOf(page.next),
      Contents: contents,
      CommonPrefixes: page.prefixes.map((common) => ({ Prefix: shown(common) })),
    }),
  );
}

interface Page {
  keys: string[];
  /** What keys have in common up to the delimiter, each once. */
  prefixes: string[];
  /** The last entry of this page when more follow. */
  next: string | null;
}

function pageOf(
  sorted: string[],
  {
    prefix,
    delimiter,
    after,
    maxKeys,
  }: { prefix: string; delimiter: string; after: string; maxKeys: number },
): Page {
  const page: Page = { keys: [], prefixes: [], next: null };
  if (maxKeys === 0) return page;
  let last = '';
  for (const key of sorted) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end === -1 ? null : key.slice(0, end + delimiter.length);
    const entry = common ?? key;
    // A page may end with a common prefix: all keys below it are then behind us.
    if (after !== '' && (isNotAfter(key, after) || (common !== null && isNotAfter(common, after)))) continue;
    if (common !== null && page.prefixes.at(-1) === common) continue;
    if (page.keys.length + page.prefixes.length === maxKeys) return { ...page, next: last };
    if (common === null) page.keys.push(key);
    else page.prefixes.push(common);
    last = entry;
  }
  return page;
}

const isNotAfter = (key: string, bound: string) => Buffer.compare(Buffer.from(key), Buffer.from(bound)) <= 0;
const tokenOf = (last: string) => Buffer.from(last).toString('base64url');

function lastOf(token: string): string {
  const last = Buffer.from(token, 'base64url').toString();
  if (last === '' || tokenOf(last) !== token)
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  return last;
}

function positive(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new S3Error('InvalidArgument', 'Provided max-keys not an integer or within range');
  return Number(text);
}
