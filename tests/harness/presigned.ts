import { createHash, createHmac } from 'node:crypto';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The same presigned PUT as if it had been issued at another time. Signed here with AWS signature version 4,
 * independent of the code under test.
 */
export const signedAt = (
  address: { upload_url: string; headers: Record<string, string> },
  at: Date,
  secretAccessKey: string,
): string => {
  const url = new URL(address.upload_url);
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const [accessKeyId = '', , region = '', ...rest] = (url.searchParams.get('X-Amz-Credential') ?? '').split(
    '/',
  );
  const scope = [time.slice(0, 8), region, ...rest].join('/');
  url.searchParams.set('X-Amz-Date', time);
  url.searchParams.set('X-Amz-Credential', `${accessKeyId}/${scope}`);
  url.searchParams.delete('X-Amz-Signature');

  const given = new Headers(address.headers);
  const signed = (url.searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
  const query = [...url.searchParams]
    .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    'PUT',
    url.pathname,
    query,
    ...signed.map((name) => `${name}:${name === 'host' ? url.host : (given.get(name) ?? '')}`),
    '',
    signed.join(';'),
    url.searchParams.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  );
  const key = scope
    .split('/')
    .reduce<string | Buffer>((signing, part) => hmac(signing, part), `AWS4${secretAccessKey}`);
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`;
};
