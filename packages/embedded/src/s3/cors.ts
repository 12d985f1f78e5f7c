import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * Cross-origin requests of pages in a browser. A page of any origin may use an address that it has, because an address
 * is signed and no cookie takes part. It is the rule that docs/operate/install.md requires of a bucket, with any origin
 * in place of the desk's.
 */

const METHODS = 'GET, HEAD, PUT';
const EXPOSED = 'ETag, Content-Length, Content-Range, Accept-Ranges';
/** Seconds that a browser remembers the answer to a preflight. */
const MAX_AGE = '3600';

/** Allows the page that sent the request to read the answer. */
export const allowOrigin = (message: IncomingMessage, response: ServerResponse): void => {
  if (message.headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', EXPOSED);
};

/** A preflight has no signature: the browser sends it by itself before the signed request. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

export const answerPreflight = (message: IncomingMessage, response: ServerResponse): void => {
  const wanted = message.headers['access-control-request-headers'];
  response.writeHead(204, {
    'access-control-allow-methods': METHODS,
    ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
    'access-control-max-age': MAX_AGE,
  });
  response.end();
};
