import type { RequestHandler } from 'express';
import type { SiteFile } from './site.ts';

/*
 * Serves the documentation for client developers, without a key. The site is built at the first request and kept in
 * memory. Its code is loaded with that request too, because most processes never serve it.
 */

/** Scripts, styles and data may be loaded from this origin only, and not inline. */
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

/** Answers `/docs`, the paths below it and `/llms.txt`; passes unknown paths to the next handler. */
export const serveDocs = (): RequestHandler => {
  let building: Promise<Map<string, SiteFile>> | undefined;
  const site = async () => {
    building ??= import('./site.ts').then(({ buildSite }) => buildSite());
    try {
      return await building;
    } catch (error) {
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
