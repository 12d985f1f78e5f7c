/**
 * Location and creation of the cluster's files. `initdb` and the first roles are made in a staging folder, which is
 * then renamed. A crash leaves a staging folder, which the next start removes, and no partial cluster.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptSecret, readOrNull, syncFolder } from '../dataFolder.ts';
import { processesNaming, stopProcess } from '../processes.ts';
import { track } from '../running.ts';
import { blockingFolder, SERVER_ENVIRONMENT, type ServerAccount } from './account.ts';
import { reachableRoot, type PostgresBinaries } from './binaries.ts';

/** Name of the service's role and of its database. */
export const SERVICE_NAME = 'answer_evaluation';

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

const POINTER = 'cluster-location';
const BACK_POINTER = 'data-folder';

/**
 * Returns the folder of the cluster: the data folder, or a folder below REACHABLE_ROOT when the server's account
 * cannot enter the data folder. `cluster-location` in the data folder then holds its path, and `data-folder` in the
 * cluster's folder the path of the data folder.
 * @throws Error when the data folder is a copy of another one, which has that cluster
 */
export const clusterHome = async (
  dataDir: string,
  account: ServerAccount,
  durable: boolean,
): Promise<string> => {
  if (account === null) return dataDir;
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
  if ((await blockingFolder(account, dataDir)) === null) return dataDir;
  const homes = join(await reachableRoot(), durable ? 'clusters' : 'test-clusters');
  if (!durable) await removeAbandoned(homes);
  const pointer = join(dataDir, POINTER);
  const home = (await readOrNull(pointer)) ?? join(homes, randomUUID());
  const owner = await ownerOf(home);
  if (owner !== null && owner !== dataDir)
    throw new Error(
      `${dataDir} is a copy of ${owner}, and both would use the PostgreSQL cluster in ${home}: delete ${dataDir} to start with an empty one`,
    );
  await writeDurably(pointer, home);
  await mkdir(home, { recursive: true });
  await chmod(homes, 0o711);
  await chmod(home, 0o711);
  await writeDurably(join(home, BACK_POINTER), dataDir);
  return home;
};

/** The data folder whose `cluster-location` names `home`, or null. A data folder that was moved is not found. */
const ownerOf = async (home: string): Promise<string | null> => {
  const dataDir = await readOrNull(join(home, BACK_POINTER));
  if (dataDir === null) return null;
  return (await readOrNull(join(dataDir, POINTER))) === home ? dataDir : null;
};

/** Removes clusters of tests whose data folder was deleted. */
const removeAbandoned = async (homes: string): Promise<void> => {
  await mkdir(homes, { recursive: true });
  for (const name of await readdir(homes)) {
    const home = join(homes, name);
    const isComplete = (await readOrNull(join(home, BACK_POINTER))) !== null;
    if (!isComplete || (await ownerOf(home)) !== null) continue;
    for (const pid of await processesNaming(join(home, 'cluster'))) {
      await stopProcess(pid, { gentle: 'SIGQUIT', harsh: 'SIGKILL', graceMs: 10_000 });
    }
    await rm(home, { recursive: true, force: true });
  }
};

/** Replaces the file at once, so that a crash leaves the old or the new text. */
const writeDurably = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text, { flush: true });
  await rename(`${file}.new`, file);
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
