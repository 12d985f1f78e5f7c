import { startNats, type EmbeddedNats } from '@evaluation/embedded';
import { messageId, type RunJob, type RunStopped } from '@evaluation/jobs-contract';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LaneUnavailable, openLanes, type Lanes } from './index.ts';

/** A nats-server behind a fixed address, like a service name. Tests kill, stop and restart the server behind it. */
class RestartableNats {
  readonly #dataDir: string;
  readonly #gate: Server;
  readonly #sockets = new Set<Socket>();
  #server: EmbeddedNats | undefined;
  #target: URL | undefined;

  private constructor(dataDir: string, gate: Server) {
    this.#dataDir = dataDir;
    this.#gate = gate;
    gate.on('connection', (client) => {
      if (this.#target === undefined) return client.destroy();
      const upstream = connect({ host: this.#target.hostname, port: Number(this.#target.port) });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async create(): Promise<RestartableNats> {
    const gate = createServer();
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    return new RestartableNats(await mkdtemp(join(tmpdir(), 'lanes-outage-')), gate);
  }

  /** Available after the first start, in which the server makes its password. */
  get url(): string {
    const address = this.#gate.address();
    if (this.#target === undefined || address === null || typeof address === 'string')
      throw new Error('not started');
    const url = new URL(this.#target);
    url.port = String(address.port);
    return url.href;
  }

  async start(): Promise<void> {
    this.#server = await startNats({ dataDir: join(this.#dataDir, 'nats') });
    this.#target = new URL(this.#server.url);
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    const ports = await readdir(join(this.#dataDir, 'nats', 'ports'));
    const pid = Number(/nats-server_(\d+)\.ports/.exec(ports.join(' '))?.[1]);
    process.kill(pid, name);
    // The kernel stops the threads one by one, and a thread that still runs could answer.
    if (name === 'SIGSTOP') await vi.waitUntil(() => isStopped(pid), { timeout: 10_000, interval: 10 });
  }

  async kill(): Promise<void> {
    await this.signal('SIGKILL');
    this.#target = undefined;
    await this.#server?.close();
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async loseStore(): Promise<void> {
    await rm(join(this.#dataDir, 'nats', 'jetstream'), { recursive: true });
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#gate.close(resolve));
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

let nats: RestartableNats;
let lanes: Lanes;
let events: string[];
let pulling: { abort: AbortController; done: Promise<void> } | undefined;

beforeEach(async () => {
  nats = await RestartableNats.create();
  await nats.start();
  events = [];
  lanes = openLanes({
    url: nats.url,
    namespace: 'test',
    name: 'core',
    onProgress: (event) => events.push(event),
  });
});

afterEach(async () => {
  pulling?.abort.abort();
  await pulling?.done;
  pulling = undefined;
  await lanes.close();
  await nats.remove();
});

const newRun = (): RunJob => ({ version: 1, run_id: randomUUID(), institute_id: randomUUID(), delivery: 1 });
const publishRun = (run: RunJob) => lanes.publish('copy', run, messageId(run.run_id, run.delivery));
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

const startPulling = (): RunJob[] => {
  const jobs: RunJob[] = [];
  const abort = new AbortController();
  const done = lanes.pull('copy', {
    concurrency: 2,
    signal: abort.signal,
    async handle(job, { ack }) {
      jobs.push(job);
      ack();
    },
  });
  pulling = { abort, done };
  return jobs;
};

const isStopped = (pid: number): boolean =>
  existsSync('/proc/self/stat')
    ? readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ')
    : execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');

describe('when NATS goes away', () => {
  test('operations fail with LaneUnavailable, and the lane’s jobs are delivered after the restart', async () => {
    const waiting = newRun();
    await publishRun(waiting);
    await nats.kill();
    await eventually(() => expect(events).toContain('lanes.disconnected'));

    const jobs = startPulling();
    const start = performance.now();
    const stopped: RunStopped = { version: 1, run_id: waiting.run_id, fence: 1 };
    const operations = [
      publishRun(newRun()),
      lanes.ensureStreams(),
      lanes.depth('copy'),
      lanes.broadcast('run_stopped', stopped),
    ];
    await Promise.all(operations.map((operation) => expect(operation).rejects.toThrow(LaneUnavailable)));
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(jobs).toEqual([]);

    await nats.start();
    await eventually(() => expect(jobs).toEqual([waiting]));
    const next = newRun();
    await publishRun(next);
    await eventually(() => expect(jobs).toEqual([waiting, next]));
    expect(events).toContain('lanes.reconnected');
  });

  test('a puller and a listener continue after the server lost its store', async () => {
    const heard: RunStopped[] = [];
    lanes.onBroadcast('run_stopped', (message) => heard.push(message));
    const jobs = startPulling();
    await publishRun(newRun());
    await eventually(() => expect(jobs).toHaveLength(1));
    await nats.kill();
    await nats.loseStore();
    await nats.start();
    await eventually(() => publishRun(newRun()));
    await eventually(() => expect(jobs).toHaveLength(2));
    const message: RunStopped = { version: 1, run_id: randomUUID(), fence: 2 };
    await lanes.broadcast('run_stopped', message);
    await eventually(() => expect(heard).toEqual([message]));
  });

  test('a publication to a hanging server times out, and its repetition adds no second job', async () => {
    await lanes.ensureStreams();
    const run = newRun();
    await nats.signal('SIGSTOP');
    const start = performance.now();
    await expect(publishRun(run)).rejects.toThrow(LaneUnavailable);
    expect(performance.now() - start).toBeLessThan(7_000);
    await nats.signal('SIGCONT');
    await eventually(() => publishRun(run));
    expect(await lanes.depth('copy')).toBe(1);
  });

  test('lanes opened without a server work after its start, and can be closed before', async () => {
    const { url } = nats;
    await nats.kill();
    const early: string[] = [];
    const earlyLanes = openLanes({
      url,
      namespace: 'early',
      name: 'core',
      onProgress: (event) => early.push(event),
    });
    const neverConnected = openLanes({ url, namespace: 'never', name: 'core' });
    await expect(earlyLanes.ensureStreams()).rejects.toThrow(LaneUnavailable);
    expect(early).toEqual(['lanes.unreachable']);
    await neverConnected.close();
    await expect(neverConnected.ensureStreams()).rejects.toThrow(LaneUnavailable);

    await nats.start();
    await eventually(() => earlyLanes.ensureStreams());
    expect(await earlyLanes.depth('copy')).toBe(0);
    await earlyLanes.close();
  });

  test('close and abort do not wait for a server that is gone', async () => {
    startPulling();
    await publishRun(newRun());
    await nats.kill();
    await eventually(() => expect(events).toContain('lanes.disconnected'));
    const start = performance.now();
    pulling?.abort.abort();
    await pulling?.done;
    await lanes.close();
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});
