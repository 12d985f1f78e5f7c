import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'dist');
const SOURCES = [join(ROOT, 'web'), join(ROOT, 'package.json'), join(ROOT, 'vite.config.ts')];
/** On the file system of the page, so that a rename replaces the page in one step. */
const DRAFTS = join(ROOT, '../../node_modules/.cache/desk-page');

/**
 * Builds the page if it is missing or older than its sources. Programs that run from the sources call this at their
 * start; images contain the built page. Two processes may build at once: each makes a draft, and the
 * first one stays.
 */
export const buildPage = async (onProgress: (line: string) => void): Promise<void> => {
  if (await isBuilt()) return;
  onProgress("building the desk's page, once");
  const draft = join(DRAFTS, String(process.pid));
  await mkdir(DRAFTS, { recursive: true });
  await build(draft);
  const old = `${draft}.old`;
  try {
    // A server may be reading the page that another process has built meanwhile.
    if (await isBuilt()) return;
    await rename(PAGE, old).catch(ignore('ENOENT'));
    await rename(draft, PAGE).catch(ignore('ENOTEMPTY'));
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
};

const isBuilt = async (): Promise<boolean> =>
  (await newest([join(PAGE, 'index.html')])) >= (await newest(SOURCES));

/** Returns a handler that passes over this error of the file system and throws all others. */
const ignore =
  (code: string) =>
  (error: unknown): void => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };

/** Runs Vite as a process of its own, so that its memory is free again. */
const build = async (outDir: string): Promise<void> => {
  const manifest = createRequire(import.meta.url).resolve('vite/package.json');
  const vite = join(dirname(manifest), 'bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'error', '--outDir', outDir], {
    cwd: ROOT,
  });
};

/** Time of the latest change at or below the paths, in milliseconds; 0 if there is none. */
const newest = async (paths: readonly string[]): Promise<number> => {
  const times = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => null);
      if (found === null) return 0;
      if (!found.isDirectory()) return found.mtimeMs;
      const names = (await readdir(path)).filter((name) => name !== 'node_modules');
      return newest(names.map((name) => join(path, name)));
    }),
  );
  return Math.max(0, ...times);
};
