import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers for an answer that is opened in a browser: its content must not run, be framed, be sniffed or be stored. The
 * API has no pages, so no source is allowed. It has no CORS headers, because its clients are servers.
 */
const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
});

export const securityHeaders: RequestHandler = (request, response, next) => {
  // Proxies and browsers must not store marks, answers or copies.
  response.setHeader('Cache-Control', 'no-store');
  headers(request, response, next);
};
