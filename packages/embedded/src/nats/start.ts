/**
 * One nats-server with JetStream on one data folder. The server survives a killed Node process and does not lock its
 * store, so the next start first ends every server whose command line names this folder's configuration file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { claimDataFolder, keptSecret, readOrNull } from '../dataFolder.ts';
import { processesNaming, stopProcess, until } from '../processes.ts';
import { track } from '../running.ts';
import { natsBinary } from './binary.ts';

export interface NatsOptions {
  /** Folder of this server alone, created if missing. It holds the streams. */
  dataDir: string;
  /** Path of a nats-server, used instead of PATH and npm. */
  binary?: string;
  /** Further users with limited rights: name, and `permissions` in the syntax of the server's configuration. */
  users?: Readonly<Record<string, string>>;
  /** Called with a line on each slow step. */
  onProgress?: (line: string) => void;
}

export interface EmbeddedNats {
  /** `nats://user:password@127.0.0.1:port` of the user with all permissions. The port changes with each start. */
  url: string;
  /** @throws Error for an unknown name */
  urlFor(user: string): string;
  close(): Promise<void>;
}

const USER = 'answer_evaluation';

/**
 * Starts nats-server with JetStream on `dataDir` and a free port of 127.0.0.1 (docs/architecture.md#start).
 * @throws DataFolderInUse when a living process runs one on that folder
 * @throws Error naming the install command when no nats-server is found, or with the end of its log
 */
export const startNats = async (options: NatsOptions): Promise<EmbeddedNats> => {
  const { onProgress = () => {} } = options;
  const folder = await claimDataFolder(options.dataDir);
  try {
    const binary = await natsBinary(options.binary);
    const configuration = join(folder.path, 'nats-server.conf');
    await stopLeftovers(configuration, onProgress);
    const users: User[] = [
      { name: USER, password: await keptSecret(join(folder.path, 'nats.password')), permissions: null },
    ];
    for (const [name, permissions] of Object.entries(options.users ?? {})) {
      const password = await keptSecret(join(folder.path, `nats.${name}.password`));
      users.push({ name, password, permissions });
    }
    const portsFolder = join(folder.path, 'ports');
    await rm(portsFolder, { recursive: true, force: true });
    await mkdir(portsFolder);
    // Passwords go into a file, because any user of the machine can read a command line.
    await rm(configuration, { force: true });
    await writeFile(configuration, configurationText(folder.path, portsFolder, users), { mode: 0o600 });
    const { pid, port } = await startServer(binary, configuration, folder.path, portsFolder);
    let closing: Promise<void> | undefined;
    const close = async () => {
      await stopServer(pid);
      await folder.release();
    };
    const urlFor = (name: string): string => {
      const user = users.find((one) => one.name === name);
      if (user === undefined) throw new Error(`this nats-server has no user ${name}`);
      return `nats://${name}:${user.password}@127.0.0.1:${port}`;
    };
    return { url: urlFor(USER), urlFor, close: () => (closing ??= close()) };
  } catch (error) {
    await folder.release();
    throw error;
  }
};

interface User {
  name: string;
  password: string;
  /** null: all permissions. */
  permissions: string | null;
}

const configurationText = (dataDir: string, portsFolder: string, users: readonly User[]): string =>
  [
    'server_name: embedded',
    'listen: "127.0.0.1:-1"',
    `ports_file_dir: ${JSON.stringify(portsFolder)}`,
    `jetstream { store_dir: ${JSON.stringify(join(dataDir, 'jetstream'))} }`,
    'authorization {',
    '  timeout: 5',
    '  users: [',
    ...users.map(
      ({ name, password, permissions }) =>
        `    { user: ${name}, password: ${JSON.stringify(password)}${permissions === null ? '' : `, permissions: ${permissions}`} }`,
    ),
    '  ]',
    '}',
    '',
  ].join('\n');

const startServer = async (
  binary: string,
  configuration: string,
  dataDir: string,
  portsFolder: string,
): Promise<{ pid: number; port: number }> => {
  const logFile = join(dataDir, 'nats-server.log');
  const log = await open(logFile, 'w', 0o600);
  try {
    const child = spawn(binary, ['--config', configuration], {
      cwd: dataDir,
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    track(child, 'nats');
    await once(child, 'spawn');
    child.unref();
    const pid = child.pid;
    if (pid === undefined) throw new Error('the nats-server process has no pid');
    const ended = () => child.exitCode !== null || child.signalCode !== null;
    const portsFile = join(portsFolder, `nats-server_${pid}.ports`);
    const answers = async () => {
      const port = await namedPort(portsFile);
      return port !== null && (await greets(port));
    };
    // The server recovers its store before it accepts connections.
    const isInTime = await until(async () => ended() || (await answers()), 120_000);
    const port = ended() ? null : await namedPort(portsFile);
    if (isInTime && port !== null) return { pid, port };
    if (!isInTime) await stopServer(pid);
    throw new Error(`nats-server did not start:\n${((await readOrNull(logFile)) ?? '').slice(-4000).trim()}`);
  } finally {
    await log.close();
  }
};

/** Null while the ports file, which the server writes once it listens, is missing or incomplete. */
const namedPort = async (file: string): Promise<number | null> => {
  const text = await readOrNull(file);
  const [, port] = /"nats:\/\/127\.0\.0\.1:(\d+)"/.exec(text ?? '') ?? [];
  return port === undefined ? null : Number(port);
};

const greets = async (port: number): Promise<boolean> => {
  const socket = connect({ host: '127.0.0.1', port, timeout: 2000 });
  return new Promise((answer) => {
    const finish = (value: boolean) => {
      socket.destroy();
      answer(value);
    };
    socket.once('data', (chunk) => finish(chunk.toString('latin1').startsWith('INFO ')));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
    socket.once('close', () => finish(false));
  });
};

const stopServer = async (pid: number): Promise<void> => {
  await stopProcess(pid, { gentle: 'SIGTERM', harsh: 'SIGKILL', graceMs: 10_000 });
};

/** Finds servers by the configuration's path in their command line. Pid files may be stale. */
const stopLeftovers = async (configuration: string, onProgress: (line: string) => void): Promise<void> => {
  for (const pid of await processesNaming(`--config ${configuration}`)) {
    onProgress('stopping the nats-server that a killed process left running');
    await stopServer(pid);
  }
};
