import { documentBody } from './body.ts';
import { S3Error } from './errors.ts';
import { sendXml, type Exchange } from './objectRoutes.ts';
import { parameter, refuseOtherParameters } from './request.ts';
import type { Bucket } from './storage.ts';
import { document, innerOf, textOf, type XmlContent } from './xml.ts';

const MAX_KEYS = 1000;
const PARAMETERS = /^(delete|list-type|prefix|continuation-token)$/;

export const bucketRoute = async (exchange: Exchange): Promise<void> => {
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
    case 'POST':
      if (query['delete'] !== undefined) return deleteObjects(exchange, storage.bucket(request.bucket));
      break;
    case 'GET':
      if (query['list-type'] === '2') return listObjects(exchange, storage.bucket(request.bucket));
      throw new S3Error('NotImplemented', 'Only ListObjectsV2 is implemented');
  }
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
};

const deleteObjects = async ({ response, body }: Exchange, bucket: Bucket): Promise<void> => {
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
};

const listObjects = ({ request, response }: Exchange, bucket: Bucket): void => {
  const prefix = parameter(request, 'prefix') ?? '';
  const token = parameter(request, 'continuation-token');
  const after = token === undefined ? null : lastOf(token);
  const keys = bucket.keys(prefix).filter((key) => after === null || isAfter(key, after));
  const page = keys.slice(0, MAX_KEYS);
  const last = keys.length > page.length ? page.at(-1) : undefined;
  const contents = page.flatMap((key): XmlContent[] => {
    const record = bucket.get(key);
    if (record === undefined) return [];
    const { lastModified, etag, size } = record;
    return [
      { Key: key, LastModified: lastModified, ETag: `"${etag}"`, Size: size, StorageClass: 'STANDARD' },
    ];
  });
  sendXml(
    response,
    document('ListBucketResult', {
      Name: bucket.name,
      Prefix: prefix,
      MaxKeys: MAX_KEYS,
      KeyCount: contents.length,
      IsTruncated: last !== undefined,
      ContinuationToken: token,
      NextContinuationToken: last === undefined ? undefined : tokenOf(last),
      Contents: contents,
    }),
  );
};

const isAfter = (key: string, bound: string) => Buffer.compare(Buffer.from(key), Buffer.from(bound)) > 0;
const tokenOf = (last: string) => Buffer.from(last).toString('base64url');

const lastOf = (token: string): string => {
  const last = Buffer.from(token, 'base64url').toString();
  if (last === '' || tokenOf(last) !== token)
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  return last;
};
