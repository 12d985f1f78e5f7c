import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * For whatever opens an answer in a browser by mistake: nothing of it runs, is framed, sniffed or kept. An API answers
 * institutes' servers, so there is no page to allow anything for, and no other origin (no CORS headers at all).
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
  // Marks, answers and copies are nobody's to keep on the way.
  response.setHeader('Cache-Control', 'no-store');
  headers(request, response, next);
};
