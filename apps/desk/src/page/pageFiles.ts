import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PageFile {
  type: string;
  body: Buffer;
  /** gzip of `body`; null for a file that does not get smaller. */
  gzipped: Buffer | null;
  etag: string;
  /** The name contains the hash of the content, so browsers may keep the file without limit. */
  isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};
const PACKED = new Set(['.png', '.woff2']);

/** Reads the built page. @returns its files by path, e.g. `/index.html`; empty if it has not been built */
export const readPageFiles = async (folder: string): Promise<ReadonlyMap<string, PageFile>> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }): Promise<[string, PageFile]> => {
      const file = join(parentPath, name);
      const path = `/${relative(folder, file).split(sep).join('/')}`;
      return [path, await pageFileOf(path, await readFile(file))];
    });
  return new Map(await Promise.all(files));
};

const compress = promisify(gzip);

const pageFileOf = async (path: string, body: Buffer): Promise<PageFile> => {
  const extension = extname(path);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    body,
    gzipped: PACKED.has(extension) ? null : await compress(body),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isImmutable: path.startsWith('/assets/'),
  };
};
