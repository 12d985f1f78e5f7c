import type { RequestHandler } from 'express';
import type { SiteFile } from './site.ts';

/*
 * The documentation for client developers, without a key. It is the same for everyone, and is held in memory: built at the
 * first request, and then only sent. Most processes are never asked for it, so even its code is loaded with that request.
 */

/** Scripts, styles and data come from this origin alone, and none stands inside a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Answers `/docs` and what is below it; leaves a path that the site does not have to the next handler. */
export const serveDocs = (): RequestHandler => {
  let building: Promise<Map<string, SiteFile>> | undefined;
  const site = async () => {
    building ??= import('./site.ts').then(({ buildSite }) => buildSite());
    try {
      return await building;
    } catch (error) {
      // The next request tries again.
      building = undefined;
      throw error;
    }
  };
  return async (request, response, next) => {
    const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
    const file = (await site()).get(path);
    if (file === undefined) {
      next();
      return;
    }
    response.set({
      'Content-Security-Policy': POLICY,
      'Content-Type': file.type,
      'Cache-Control': file.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
    });
    if (request.get('if-none-match') === file.etag) {
      response.status(304).end();
      return;
    }
    if (request.acceptsEncodings('gzip') === 'gzip') {
      response.set('Content-Encoding', 'gzip').end(file.gzipped);
    } else response.end(file.body);
  };
};
