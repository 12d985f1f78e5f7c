import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import { nonceOf } from '../middleware/securityHeaders.ts';
import { readPageFiles, type PageFile } from './pageFiles.ts';

const FOLDER = fileURLToPath(new URL('../../dist', import.meta.url));
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/**
 * The worker of class sets compiles WebAssembly, which the policy of the page does not allow. It draws files that may
 * be hostile, so it may load what is served here and nothing else.
 */
const WORKER = /^\/assets\/[\w.]+\.worker-[\w-]+\.js$/;
const POLICY_OF_WORKER = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
/** Placeholder in web/index.html. */
const NONCE = '__NONCE__';
const NOT_BUILT = 'The page is not built. Run: npm run build --workspace @evaluation/desk\n';

/**
 * Serves the files of the page. Every other path gets `index.html`, and the page's router chooses the view. The files
 * are read at the first request and kept in memory, about 12 MB.
 */
export const servePage = (): RequestHandler => {
  let reading: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const filesOfPage = async () => {
    reading ??= readPageFiles(FOLDER);
    const files = await reading;
    if (files.size === 0) reading = undefined;
    return files;
  };
  return async (request, response, next) => {
    const files = await filesOfPage();
    const { path } = request;
    const frame = files.get('/index.html');
    if (frame === undefined) {
      response.status(503).type('text').send(NOT_BUILT);
      return;
    }
    const file = path === '/index.html' ? undefined : files.get(path);
    if (file === undefined) {
      // A missing asset belongs to another release of the page, which must get a 404 and not index.html in place of a
      // script.
      if (path.startsWith('/assets/') || path.startsWith('/trpc/')) next();
      else response.type('html').send(frame.body.toString('utf8').replaceAll(NONCE, nonceOf(response)));
      return;
    }
    response.set({
      'Content-Type': file.type,
      'Cache-Control': file.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
      ...(WORKER.test(path) ? { 'Content-Security-Policy': POLICY_OF_WORKER } : {}),
    });
    if (request.get('if-none-match') === file.etag) {
      response.status(304).end();
      return;
    }
    const { gzipped } = file;
    if (gzipped !== null && request.acceptsEncodings('gzip') === 'gzip')
      response.set('Content-Encoding', 'gzip').end(gzipped);
    else response.end(file.body);
  };
};
