import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accepts, freshFolder, runService } from '../../test/killable.ts';
import { processesNaming, processMark, stopProcess, until } from '../processes.ts';
import { serverAccount } from './account.ts';
import { startPostgres, type EmbeddedPostgres, type PostgresOptions } from './start.ts';

/** A data folder after its first start. Tests of later starts copy it, because initdb is slow. */
let seed: Awaited<ReturnType<typeof freshFolder>>;
let folder: Awaited<ReturnType<typeof freshFolder>>;
let running: EmbeddedPostgres[];

beforeAll(async () => {
  seed = await freshFolder();
  await (await startPostgres({ dataDir: join(seed.path, 'pg'), durable: false })).close();
});

afterAll(() => seed.remove());

beforeEach(async () => {
  folder = await freshFolder();
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.close()));
  // Servers of failed tests must not outlive the test run.
  const left = await endServers();
  await folder.remove();
  expect(left, 'processes left behind').toEqual([]);
});

/** @returns ids of the processes that were ended */
const endServers = async (): Promise<number[]> => {
  const left = await processesNaming(folder.path);
  for (const pid of left) await stopProcess(pid, { gentle: 'SIGTERM', harsh: 'SIGKILL', graceMs: 2000 });
  return left;
};

const start = async (options: Partial<PostgresOptions> = {}): Promise<EmbeddedPostgres> => {
  const server = await startPostgres({ dataDir: join(folder.path, 'pg'), durable: false, ...options });
  running.push(server);
  return server;
};

const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** Copies the seed with its owners, because the cluster may belong to another account. */
const startedBefore = (name = 'pg') =>
  promisify(execFile)('cp', ['-a', join(seed.path, 'pg'), join(folder.path, name)]);

const serverPid = async () =>
  Number.parseInt(await readFile(join(folder.path, 'pg', 'cluster', 'postmaster.pid'), 'utf8'), 10);

test('the service role owns its database and is subject to row-level security', async () => {
  await startedBefore();
  const { url, superuserUrl, port } = await start();
  expect(Number(new URL(url).port)).toBe(port);
  const sql = `SELECT current_user AS me, pg_get_userbyid(datdba) AS owner, current_database() AS database,
    rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles, pg_database
    WHERE rolname = current_user AND datname = current_database()`;
  expect(await query(url, sql)).toEqual([
    {
      me: 'answer_evaluation',
      owner: 'answer_evaluation',
      database: 'answer_evaluation',
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
    },
  ]);
  await query(url, 'CREATE TABLE kept (id int)');
  await expect(query(url, 'CREATE DATABASE another')).rejects.toThrow('permission denied');
  expect(await query(superuserUrl, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toEqual([
    { rolsuper: true },
  ]);
});

test('a wrong password is refused, and password files are readable by their owner only', async () => {
  await startedBefore();
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  for (const name of ['superuser.password', 'service.password']) {
    expect((await stat(join(folder.path, 'pg', name))).mode & 0o777).toBe(0o600);
  }
});

test('durable decides at each start whether commits wait for the disk', async () => {
  await startedBefore();
  const sql =
    "SELECT setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')";
  for (const [durable, setting] of [
    [false, 'off'],
    [true, 'on'],
  ] as const) {
    const server = await start({ durable });
    expect(await query(server.url, sql)).toEqual([{ setting }, { setting }, { setting }]);
    await server.close();
  }
});

test('close stops the server, and the next start has the same data and passwords', async () => {
  await startedBefore();
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const pid = await serverPid();
  const open = new pg.Client(first.url);
  open.on('error', () => {});
  await open.connect();
  await open.query('BEGIN');
  await Promise.all([first.close(), first.close()]);
  expect(await processMark(pid)).toBeNull();
  expect(await accepts(first.url)).toBe(false);
  const lines: string[] = [];
  const second = await start({ onProgress: (line) => lines.push(line) });
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(lines).toEqual([]);
});

test('lost password files are replaced by new, valid passwords', async () => {
  await startedBefore();
  const first = await start();
  await first.close();
  await rm(join(folder.path, 'pg', 'service.password'));
  await rm(join(folder.path, 'pg', 'superuser.password'));
  const second = await start();
  expect(new URL(second.url).password).not.toBe(new URL(first.url).password);
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await query(second.superuserUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('servers on different folders run side by side', async () => {
  await Promise.all(['a', 'b'].map((name) => startedBefore(name)));
  const servers = await Promise.all(['a', 'b'].map((name) => start({ dataDir: join(folder.path, name) })));
  expect(new Set(servers.map(({ port }) => port)).size).toBe(2);
  for (const { url } of servers) await query(url, 'CREATE TABLE mine (id int)');
});

test('a folder in use is refused by name, and free again after close', async () => {
  await startedBefore();
  const first = await start();
  await expect(start()).rejects.toThrow(`in use by process ${process.pid}`);
  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await first.close();
  await start();
});

test('after kill -9 of Node the next start stops the orphaned server and keeps what was committed', async () => {
  await startedBefore();
  const child = runService('postgres', join(folder.path, 'pg'));
  const { url }: { url: string } = JSON.parse(await child.line('ready '));
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const orphan = await serverPid();
  await child.kill();
  expect(await accepts(url), 'the orphan lives on').toBe(true);
  const lines: string[] = [];
  const next = await start({ onProgress: (line) => lines.push(line) });
  expect(lines).toEqual([expect.stringContaining('killed process')]);
  expect(await processMark(orphan)).toBeNull();
  expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('after kill -9 during the first start the next one creates the cluster', async () => {
  const isAtWork = async () =>
    (await readdir(join(folder.path, 'pg'))).some((name) => name.startsWith('cluster.new.'));
  const isKilledAtWork = async () => {
    const child = runService('postgres', join(folder.path, 'pg'));
    await child.line('creating the PostgreSQL cluster');
    const wasAtWork = await until(isAtWork, 2000);
    await child.kill();
    return wasAtWork;
  };
  for (let tries = 1; !(await isKilledAtWork()); tries += 1) {
    expect(tries).toBeLessThan(5);
    // The first start was over before this busy process looked. The test begins again in another folder.
    await endServers();
    await folder.remove();
    folder = await freshFolder();
  }
  const { url } = await start();
  await query(url, 'CREATE TABLE kept (id int)');
  const names = await readdir(join(folder.path, 'pg'));
  expect(names.filter((name) => name.startsWith('cluster'))).toEqual(['cluster']);
});

test('after kill -9 of PostgreSQL the next start recovers', async () => {
  await startedBefore();
  // Without fsync the last commits may be lost by design.
  const first = await start({ durable: true });
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const pid = await serverPid();
  process.kill(pid, 'SIGKILL');
  expect(await until(async () => (await processMark(pid)) === null, 10_000)).toBe(true);
  await first.close();
  expect(await serverPid(), 'the stale pid file').toBe(pid);
  const second = await start();
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a stale pid file with the pid of another process blocks no start and ends no process', async () => {
  await startedBefore();
  await (await start()).close();
  // A running process of the server's account, which PostgreSQL itself would take for its own earlier server.
  const stranger = spawn('sleep', ['600'], { ...(await serverAccount()), stdio: 'ignore' });
  await once(stranger, 'spawn');
  try {
    const pidFile = join(folder.path, 'pg', 'cluster', 'postmaster.pid');
    await writeFile(
      pidFile,
      `${stranger.pid}\n${join(folder.path, 'pg', 'cluster')}\n1700000000\n5432\n\n\n\nready\n`,
    );
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await processMark(stranger.pid ?? -1)).not.toBeNull();
  } finally {
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  }
});

test('Ctrl-C to the process group reaches Node only', async () => {
  await startedBefore();
  const child = runService('postgres', join(folder.path, 'pg'));
  const { url }: { url: string } = JSON.parse(await child.line('ready '));
  process.kill(-child.pid, 'SIGINT');
  await child.line('interrupted');
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await child.kill();
  await start();
});

test('a failed start reports the reason and releases the folder', async () => {
  await startedBefore();
  await (await start()).close();
  const file = join(folder.path, 'pg', 'cluster', 'postgresql.auto.conf');
  const good = await readFile(file, 'utf8');
  await writeFile(file, "shared_buffers = 'nonsense'\n");
  await expect(start()).rejects.toThrow(/did not start:[\s\S]*shared_buffers/);
  await writeFile(file, good);
  await start();
});
