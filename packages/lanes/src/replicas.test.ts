import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsBinary } from '@evaluation/embedded';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLanes } from './index.ts';

/* A cluster of three nats-servers, in which streams may have replicas. */

const NAMES = ['one', 'two', 'three'];
const PATIENCE_MS = 60_000;
let folder: string;
let url: string;
let nats: NatsConnection;
const servers: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanes-cluster-'));
  const binary = await natsBinary();
  const [clientPorts, clusterPorts] = await Promise.all([freePorts(), freePorts()]);
  const routes = clusterPorts.map((port) => `"nats-route://127.0.0.1:${port}"`).join();
  for (const [nth, name] of NAMES.entries()) {
    const file = join(folder, `${name}.conf`);
    await writeFile(
      file,
      `server_name: ${name}
listen: "127.0.0.1:${clientPorts[nth]}"
jetstream { store_dir: ${JSON.stringify(join(folder, name))} }
cluster { name: test, listen: "127.0.0.1:${clusterPorts[nth]}", routes: [${routes}] }
`,
    );
    servers.push(spawn(binary, ['--config', file], { stdio: 'ignore' }));
  }
  url = clientPorts.map((port) => `nats://127.0.0.1:${port}`).join();
  nats = await connect({ servers: url.split(','), waitOnFirstConnect: true });
  // The servers elect a leader of JetStream before they make streams.
  await vi.waitFor(async () => void (await jetstreamManager(nats, { timeout: 1_000 })), {
    timeout: PATIENCE_MS,
    interval: 100,
  });
});

afterAll(async () => {
  await nats?.close();
  await Promise.all(
    servers.map(async (server) => {
      if (server.exitCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }),
  );
  await rm(folder, { recursive: true, force: true });
});

/** Replicas of each stream, by its name without the namespace. */
const replicasOfStreams = async (namespace: string): Promise<Record<string, number>> => {
  const manager = await jetstreamManager(nats, { timeout: 10_000 });
  const found: Record<string, number> = {};
  for await (const { config } of manager.streams.list())
    if (config.name.startsWith(`${namespace}_`))
      found[config.name.slice(namespace.length + 1)] = config.num_replicas;
  return found;
};

/** Makes the streams with this setting, as core does at its start. @returns when all have `expected` replicas */
const makeStreams = async (replicas: number | undefined, expected: number): Promise<void> => {
  const lanes = openLanes({
    url,
    namespace: 'cluster',
    name: 'core',
    onProgress: () => {},
    ...(replicas === undefined ? {} : { replicas }),
  });
  try {
    await vi.waitFor(() => lanes.ensureStreams(), { timeout: PATIENCE_MS, interval: 200 });
    await vi.waitFor(
      async () =>
        expect(new Set(Object.values(await replicasOfStreams('cluster')))).toEqual(new Set([expected])),
      { timeout: PATIENCE_MS, interval: 200 },
    );
  } finally {
    await lanes.close();
  }
};

test('streams get the configured number of replicas, and change with the value; without one they keep theirs', async () => {
  await makeStreams(undefined, 1);
  await makeStreams(3, 3);
  await makeStreams(undefined, 3);
  await makeStreams(1, 1);
});

/** One port for each server. They are held until all are known, so they differ. */
const freePorts = async (): Promise<number[]> => {
  const held = await Promise.all(
    NAMES.map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  return Promise.all(
    held.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, 'close');
      if (address === null || typeof address === 'string') throw new Error('no port');
      return address.port;
    }),
  );
};
