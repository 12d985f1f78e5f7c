/**
 * One PostgreSQL server on one data folder. The server has its own session, so Ctrl-C in the terminal does not reach
 * it. It survives a killed Node process; the next start finds it by `postmaster.pid`, stops it (which ends open
 * transactions of the dead process) and starts a new one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { claimDataFolder, readOrNull } from '../dataFolder.ts';
import { commandLine, processMark, stopProcess, until, workingFolder } from '../processes.ts';
import { track } from '../running.ts';
import { SERVER_ENVIRONMENT, serverAccount, type ServerAccount } from './account.ts';
import { postgresBinaries, type PostgresBinaries } from './binaries.ts';
import { clusterHome, ensureCluster, SERVICE_NAME } from './cluster.ts';

export interface PostgresOptions {
  /** Folder of this server alone, created if missing. */
  dataDir: string;
  /** false: no fsync, for tests; a crash of the machine can destroy the data. */
  durable: boolean;
  /** Called with a line on each slow step. */
  onProgress?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser, database `postgres`. */
  superuserUrl: string;
  /** Role `answer_evaluation`, which is subject to row-level security and owns the database of the same name. */
  url: string;
  port: number;
  pid: number;
  /** Fast shutdown: rolls back open transactions, closes connections and waits for the server's end. */
  close(): Promise<void>;
}

/**
 * Starts PostgreSQL 17 on `dataDir`; the first start creates cluster, role and database (docs/architecture.md#start).
 * @throws DataFolderInUse when a living process runs one on that folder
 * @throws Error with the end of the server's log when it does not start
 */
export const startPostgres = async (options: PostgresOptions): Promise<EmbeddedPostgres> => {
  const { durable, onProgress = () => {} } = options;
  const folder = await claimDataFolder(options.dataDir);
  try {
    const account = await serverAccount();
    const home = await clusterHome(folder.path, account, durable);
    if (home !== folder.path) onProgress(`"nobody" cannot reach ${folder.path}: the cluster is in ${home}`);
    const binaries = await postgresBinaries(account, folder.path);
    await stopLeftover(join(home, 'cluster'), onProgress);
    const { cluster, passwords } = await ensureCluster(folder.path, home, {
      binaries,
      account,
      durable,
      onProgress,
    });
    const log = join(folder.path, 'postgres.log');
    const { port, pid } = await startServer({ binaries, account, cluster, log, durable, onProgress });
    let closing: Promise<void> | undefined;
    const close = async () => {
      await stopServer(pid);
      await folder.release();
    };
    return {
      superuserUrl: `postgresql://postgres:${passwords.superuser}@127.0.0.1:${port}/postgres`,
      url: `postgresql://${SERVICE_NAME}:${passwords.service}@127.0.0.1:${port}/${SERVICE_NAME}`,
      port,
      pid,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
};

interface ServerStart {
  binaries: PostgresBinaries;
  account: ServerAccount;
  cluster: string;
  log: string;
  durable: boolean;
  onProgress: (line: string) => void;
}

const startServer = async (start: ServerStart): Promise<{ port: number; pid: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await getPort({ host: '127.0.0.1' });
    const outcome = await startOnce(start, port);
    if (outcome.pid !== null) return { port, pid: outcome.pid };
    // Retry in three cases: another program took the port; a server spawned by a killed process took the cluster;
    // backends of a killed server still run.
    const passing = /Address already in use|lock file .* already exists|pre-existing shared memory block/;
    if (!passing.test(outcome.log) || attempt === 8)
      throw new Error(`PostgreSQL did not start:\n${outcome.log.trim()}`);
    await sleep(attempt * 100);
    await stopLeftover(start.cluster, start.onProgress);
  }
};

const startOnce = async (start: ServerStart, port: number): Promise<{ pid: number | null; log: string }> => {
  const { binaries, account, cluster, durable } = start;
  const log = await open(start.log, (await sizeOf(start.log)) > 10_000_000 ? 'w' : 'a', 0o600);
  const before = (await log.stat()).size;
  try {
    const child = spawn(binaries.postgres, ['-D', cluster, ...serverSettings(port, durable)], {
      ...account,
      cwd: cluster,
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    track(child, 'postgres');
    await once(child, 'spawn');
    child.unref();
    const pid = child.pid;
    if (pid === undefined) throw new Error('the PostgreSQL process has no pid');
    const ended = () => child.exitCode !== null || child.signalCode !== null;
    // Crash recovery can take minutes.
    const isInTime = await until(async () => ended() || (await isReady(cluster, pid)), 300_000);
    if (isInTime && !ended()) return { pid, log: '' };
    if (!isInTime) await stopServer(pid);
    return { pid: null, log: ((await readOrNull(start.log)) ?? '').slice(before).slice(-4000) };
  } finally {
    await log.close();
  }
};

const serverSettings = (port: number, durable: boolean): string[] => {
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
  settings.push('max_connections=200', 'timezone=UTC', 'log_timezone=UTC');
  if (!durable) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  return settings.flatMap((setting) => ['-c', setting]);
};

/** postmaster.pid holds the pid in its first line and the server's state in its eighth. */
const isReady = async (cluster: string, pid: number): Promise<boolean> => {
  const lines = ((await readOrNull(join(cluster, 'postmaster.pid'))) ?? '').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
};

/** SIGINT: fast shutdown. SIGQUIT: immediate shutdown, with recovery at the next start. */
const stopServer = async (pid: number): Promise<void> => {
  await stopProcess(pid, { gentle: 'SIGINT', harsh: 'SIGQUIT', graceMs: 30_000 });
};

/**
 * Stops the server that a killed process left on this cluster. A pid file whose pid now belongs to another program is
 * removed, because PostgreSQL would take that program for a running server and refuse to start.
 */
const stopLeftover = async (cluster: string, onProgress: (line: string) => void): Promise<void> => {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt((await readOrNull(pidFile)) ?? '', 10);
  if (!Number.isSafeInteger(pid) || pid <= 0 || (await processMark(pid)) === null) return;
  if (await isServerOf(pid, cluster)) {
    onProgress('stopping the PostgreSQL server that a killed process left running');
    await stopServer(pid);
  } else {
    await rm(pidFile, { force: true });
  }
};

const isServerOf = async (pid: number, cluster: string): Promise<boolean> => {
  const line = await commandLine(pid);
  if (line === null || !line.includes('postgres')) return false;
  const folder = await workingFolder(pid);
  return folder === null ? line.includes(cluster) : folder === (await realpath(cluster));
};

const sizeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
