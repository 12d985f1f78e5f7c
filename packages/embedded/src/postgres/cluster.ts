/**
 * Location and creation of the cluster's files. `initdb` and the first roles are made in a staging folder, which is
 * then renamed. A crash leaves a staging folder, which the next start removes, and no partial cluster.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keptSecret, readOrNull, syncFolder } from '../dataFolder.ts';
import { processesNaming, stopProcess } from '../processes.ts';
import { track } from '../running.ts';
import { blockingFolder, type ServerAccount } from './account.ts';
import { reachableRoot, type PostgresBinaries } from './binaries.ts';

/** Name of the service's role and of its database. */
export const SERVICE_NAME = 'answer_evaluation';

/** A fixed locale gives the same sort order on every machine. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

interface Passwords {
  superuser: string;
  service: string;
}

interface ClusterOptions {
  binaries: PostgresBinaries;
  account: ServerAccount;
  durable: boolean;
  onProgress: (line: string) => void;
}

/**
 * Returns the folder of the cluster: the data folder, or a folder below REACHABLE_ROOT when the server's account
 * cannot enter the data folder. `cluster-location` in the data folder then holds its path.
 * @throws Error when a non-durable (test) cluster cannot be reached, because tests delete only their data folder
 */
export const clusterHome = async (
  dataDir: string,
  account: ServerAccount,
  durable: boolean,
): Promise<string> => {
  if (account === null) return dataDir;
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
  const blocking = await blockingFolder(account, dataDir);
  if (blocking === null) return dataDir;
  if (!durable) {
    throw new Error(
      `PostgreSQL runs as "nobody", because root may not run it, and cannot enter ${blocking}: chmod o+x it, or take another data folder`,
    );
  }
  const pointer = join(dataDir, 'cluster-location');
  const kept = await readOrNull(pointer);
  const home = kept ?? join(await reachableRoot(), 'clusters', randomUUID());
  await mkdir(home, { recursive: true });
  await chmod(dirname(home), 0o711);
  await chmod(home, 0o711);
  if (kept === null) {
    await writeFile(`${pointer}.new`, home, { flush: true });
    await rename(`${pointer}.new`, pointer);
  }
  return home;
};

/**
 * Creates the cluster if it is missing, and new passwords if their files are missing.
 * @returns the cluster's folder (PGDATA), owned by the server's account
 */
export const ensureCluster = async (
  dataDir: string,
  home: string,
  options: ClusterOptions,
): Promise<{ cluster: string; passwords: Passwords }> => {
  const secretFiles = {
    superuser: join(dataDir, 'superuser.password'),
    service: join(dataDir, 'service.password'),
  };
  const known =
    (await readOrNull(secretFiles.superuser)) !== null && (await readOrNull(secretFiles.service)) !== null;
  const passwords = {
    superuser: await keptSecret(secretFiles.superuser),
    service: await keptSecret(secretFiles.service),
  };
  const cluster = join(home, 'cluster');
  if ((await readOrNull(join(cluster, 'PG_VERSION'))) === null) {
    await removeStaging(home);
    await createCluster(home, cluster, passwords, options);
  } else if (!known) {
    options.onProgress('the password files were missing: setting new passwords');
    await singleUser(cluster, options, [
      `ALTER ROLE postgres PASSWORD '${passwords.superuser}'`,
      `ALTER ROLE ${SERVICE_NAME} PASSWORD '${passwords.service}'`,
    ]);
  }
  return { cluster, passwords };
};

const createCluster = async (
  home: string,
  cluster: string,
  passwords: Passwords,
  options: ClusterOptions,
) => {
  const { binaries, account, durable, onProgress } = options;
  onProgress('creating the PostgreSQL cluster (first start only)');
  const staging = join(home, `cluster.new.${randomUUID()}`);
  const passwordFile = `${staging}.password`;
  await mkdir(staging, { mode: 0o700 });
  await writeFile(passwordFile, passwords.superuser, { mode: 0o600 });
  try {
    if (account !== null) {
      await chown(staging, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    const access = ['--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
    const locale = ['--encoding', 'UTF8', '--locale-provider', 'builtin', '--locale', 'C.UTF-8'];
    const writes = durable ? ['--data-checksums'] : ['--no-sync'];
    await runToEnd(binaries.initdb, account, staging, ['--pgdata', staging, ...access, ...locale, ...writes]);
    // Single-user mode needs no port and no password, and no client can connect meanwhile.
    await singleUser(staging, options, [
      `CREATE ROLE ${SERVICE_NAME} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '${passwords.service}'`,
      `CREATE DATABASE ${SERVICE_NAME} OWNER ${SERVICE_NAME}`,
    ]);
    await rename(staging, cluster);
    await syncFolder(home);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(staging, { recursive: true, force: true });
  }
};

const singleUser = async (
  cluster: string,
  { binaries, account, durable }: ClusterOptions,
  statements: string[],
) => {
  const settings = durable ? [] : ['-c', 'fsync=off'];
  const args = ['--single', '-D', cluster, '-c', 'exit_on_error=on', ...settings, 'postgres'];
  await runToEnd(binaries.postgres, account, cluster, args, `${statements.join(';\n')};\n`);
};

/** @throws Error with the end of the program's output when it fails */
const runToEnd = async (program: string, account: ServerAccount, cwd: string, args: string[], input = '') => {
  const child = spawn(program, args, {
    ...account,
    cwd,
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  track(child, 'tool');
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  // Ignore a broken pipe: the exit status is reported instead.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((ended, failed) => {
    child.once('error', failed);
    child.once('close', ended);
  });
  if (code !== 0) throw new Error(`${program} ended with status ${code}:\n${output}`);
};

/** Removes the staging folders of a killed start and ends an initdb that still runs in one. */
const removeStaging = async (home: string) => {
  for (const pid of await processesNaming(join(home, 'cluster.new.'))) {
    await stopProcess(pid, { gentle: 'SIGTERM', harsh: 'SIGKILL', graceMs: 2000 });
  }
  for (const name of await readdir(home)) {
    if (name.startsWith('cluster.new.')) await rm(join(home, name), { recursive: true, force: true });
  }
};
