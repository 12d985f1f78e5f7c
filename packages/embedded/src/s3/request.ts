/** An S3 request: method, bucket, key, query and headers, decoded. */
import type { IncomingMessage } from 'node:http';
import { S3Error } from './errors.ts';

export interface S3Request {
  message: IncomingMessage;
  method: string;
  /** '' for a request to the service. */
  bucket: string;
  /** '' for a request to the bucket. */
  key: string;
  /** The path in the encoding that signatures use, independent of the client's encoding. */
  canonicalPath: string;
  query: Record<string, string | string[]>;
  /** Names are lower-case; repeated headers are joined as Node does. */
  headers: Record<string, string>;
}

const MAX_KEY_BYTES = 1024;

/** @throws S3Error InvalidURI, KeyTooLongError */
export const readRequest = (message: IncomingMessage): S3Request => {
  const [rawPath = '/', ...rest] = (message.url ?? '/').split('?');
  const path = decoded(rawPath);
  const slash = path.indexOf('/', 1);
  const key = slash === -1 ? '' : path.slice(slash + 1);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new S3Error('KeyTooLongError', 'Your key is too long');
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return {
    message,
    method: message.method ?? 'GET',
    bucket: path.slice(1, slash === -1 ? undefined : slash),
    key,
    canonicalPath: path.split('/').map(encodeStrictly).join('/'),
    query: readQuery(rest.join('?')),
    headers,
  };
};

/** The value, or undefined when absent. @throws S3Error InvalidArgument when the parameter is repeated */
export const parameter = (request: Pick<S3Request, 'query'>, name: string): string | undefined => {
  const value = request.query[name];
  if (Array.isArray(value)) throw new S3Error('InvalidArgument', `${name} is given more than once`);
  return value;
};

/**
 * Refuses unknown parameters, because a parameter can change the operation (`DELETE ?policy` is not `DELETE`).
 * Parameters of the signature and the SDK's label are allowed everywhere.
 * @throws S3Error NotImplemented
 */
export const refuseOtherParameters = (request: Pick<S3Request, 'query'>, known: RegExp): void => {
  const other = Object.keys(request.query).find(
    (name) => !known.test(name) && !/^(x-amz-.*|x-id)$/i.test(name),
  );
  if (other !== undefined) throw new S3Error('NotImplemented', `?${other} is not implemented`);
};

const HEADERS =
  /^x-amz-(date|content-sha256|user-agent|checksum-crc32|sdk-checksum-algorithm|copy-source(-if-match)?)$/;

/**
 * Refuses unknown headers, which ask for conditions, metadata or other checksums. Conditions of a read are ignored:
 * the response is then the whole object.
 * @throws S3Error NotImplemented
 */
export const refuseOtherHeaders = ({ method, headers }: Pick<S3Request, 'method' | 'headers'>): void => {
  const other = Object.keys(headers).find(
    (name) =>
      (name.startsWith('x-amz-') && !HEADERS.test(name)) ||
      name === 'content-md5' ||
      (method === 'PUT' && name.startsWith('if-')),
  );
  if (other !== undefined) throw new S3Error('NotImplemented', `the header ${other} is not implemented`);
};

/** Encodes all but RFC 3986's unreserved characters, as signature version 4 requires. */
const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', 'The address is not valid UTF-8 in percent encoding');
  }
};

const readQuery = (text: string): S3Request['query'] => {
  const query: S3Request['query'] = Object.create(null);
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [name = '', ...value] = pair.split('=');
    const key = decoded(name);
    const known = query[key];
    const next = decoded(value.join('='));
    query[key] = known === undefined ? next : [known, next].flat();
  }
  return query;
};
