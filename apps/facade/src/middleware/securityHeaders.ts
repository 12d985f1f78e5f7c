import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers for an answer that is opened in a browser: its content must not run, be framed, be sniffed or be stored. The
 * API has no pages, so no source is allowed. It has no CORS headers, because its clients are servers.
 */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
});
