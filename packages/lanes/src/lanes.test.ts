import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { messageId, runJob, runStopped, type RunJob, type RunStopped } from '@evaluation/jobs-contract';
import { startNats, type EmbeddedNats } from '@evaluation/embedded';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLanes, type Lane, type LaneJobs, type Lanes, type MessageReply } from './index.ts';

let dataDir: string;
let server: EmbeddedNats;
let nats: NatsConnection;
let openedLanes: Lanes[] = [];
let pulls: { abort: AbortController; done: Promise<void> }[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'lanes-'));
  server = await startNats({ dataDir });
  const { host, username, password } = new URL(server.url);
  nats = await connect({ servers: host, user: username, pass: password });
});

afterEach(async () => {
  for (const { abort } of pulls) abort.abort();
  await Promise.all(pulls.map(({ done }) => done));
  await Promise.all(openedLanes.map((lanes) => lanes.close()));
  pulls = [];
  openedLanes = [];
});

afterAll(async () => {
  await nats.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface Event extends Record<string, string | number> {
  event: string;
}

const newLanes = (options: { url?: string; namespace?: string } = {}) => {
  const namespace = options.namespace ?? `test_${randomUUID().slice(0, 8)}`;
  const events: Event[] = [];
  const lanes = openLanes({
    url: options.url ?? server.url,
    namespace,
    name: 'core',
    onProgress: (event, details) => events.push({ ...details, event }),
  });
  openedLanes.push(lanes);
  return {
    lanes,
    namespace,
    events,
    happened: (event: string) => events.filter((one) => one.event === event),
  };
};

const newRun = (delivery = 1): RunJob => ({
  version: 1,
  run_id: randomUUID(),
  institute_id: randomUUID(),
  delivery,
});

const publishRun = (lanes: Lanes, run: RunJob) =>
  lanes.publish('copy', run, messageId(run.run_id, run.delivery));

/** Pulls in the background until the test ends. The default handler acknowledges each job. */
const startPulling = <L extends Lane>(
  lanes: Lanes,
  lane: L,
  handle: (job: LaneJobs[L], reply: MessageReply) => Promise<void> | void = (_job, { ack }) => ack(),
  concurrency = 1,
) => {
  const abort = new AbortController();
  const jobs: LaneJobs[L][] = [];
  const done = lanes.pull(lane, {
    concurrency,
    signal: abort.signal,
    async handle(job, reply) {
      jobs.push(job);
      await handle(job, reply);
    },
  });
  pulls.push({ abort, done });
  return { jobs, abort, done };
};

/** A handler that acknowledges its job at once and ends when `gate` is open. */
const busyUntil =
  (gate: PromiseWithResolvers<void>) =>
  async (_job: unknown, { ack }: MessageReply): Promise<void> => {
    ack();
    await gate.promise;
  };

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe('publishing', () => {
  test('a job published twice under one id is in the lane once; its next delivery is a new job', async () => {
    const { lanes } = newLanes();
    await lanes.ensureStreams();
    const run = newRun();
    expect(await publishRun(lanes, run)).toEqual({ duplicate: false });
    expect(await publishRun(lanes, run)).toEqual({ duplicate: true });
    expect(await lanes.depth('copy')).toBe(1);
    expect(await publishRun(lanes, { ...run, delivery: 2 })).toEqual({ duplicate: false });
    expect(await lanes.depth('copy')).toBe(2);
  });

  test('lanes and namespaces are separate', async () => {
    const one = newLanes();
    const other = newLanes();
    await one.lanes.ensureStreams();
    await other.lanes.ensureStreams();
    const typed = newRun();
    await one.lanes.publish('typed', typed, messageId(typed.run_id, 1));
    expect(await one.lanes.depth('typed')).toBe(1);
    expect(await one.lanes.depth('copy')).toBe(0);
    expect(await one.lanes.depth('inspect')).toBe(0);
    expect(await other.lanes.depth('typed')).toBe(0);
  });

  test('publish creates a missing or deleted stream', async () => {
    const { lanes, namespace } = newLanes();
    await publishRun(lanes, newRun());
    expect(await lanes.depth('copy')).toBe(1);
    const manager = await jetstreamManager(nats);
    await manager.streams.delete(`${namespace}_copy`);
    expect(await lanes.depth('copy')).toBe(0);
    await publishRun(lanes, newRun());
    expect(await lanes.depth('copy')).toBe(1);
  });

  test('replicas can create the streams at once; old settings are updated, those of an operator are kept', async () => {
    const { lanes, namespace } = newLanes();
    const other = newLanes({ namespace }).lanes;
    await Promise.all([lanes.ensureStreams(), other.ensureStreams(), lanes.ensureStreams()]);
    const manager = await jetstreamManager(nats);
    // A stand-in for num_replicas, which needs more than one server.
    await manager.streams.update(`${namespace}_copy`, { max_age: 3_600_000_000_000, max_bytes: 1_000_000 });
    await lanes.ensureStreams();
    const { config } = await manager.streams.info(`${namespace}_copy`);
    expect(config).toMatchObject({
      retention: 'workqueue',
      storage: 'file',
      duplicate_window: 120_000_000_000,
      max_age: 86_400_000_000_000,
      max_bytes: 1_000_000,
    });
  });

  test('the consumer of an earlier release gets the settings of this one', async () => {
    const { lanes, namespace } = newLanes();
    await lanes.ensureStreams();
    const manager = await jetstreamManager(nats);
    const name = `${namespace}_copy`;
    const { config } = await manager.consumers.info(name, name);
    await manager.consumers.update(name, name, { ack_wait: 30_000_000_000 });
    await lanes.ensureStreams();
    expect((await manager.consumers.info(name, name)).config).toEqual(config);
  });
});

describe('pulling', () => {
  test('each job goes to one of the pullers, and an acknowledged one leaves the lane', async () => {
    const { lanes, namespace } = newLanes();
    const second = newLanes({ namespace }).lanes;
    await lanes.ensureStreams();
    const one = startPulling(lanes, 'copy', undefined, 2);
    const two = startPulling(second, 'copy', undefined, 2);
    const runs = Array.from({ length: 20 }, () => newRun());
    for (const run of runs) await publishRun(lanes, run);
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
    const seen = [...one.jobs, ...two.jobs].map((job) => job.run_id);
    expect(seen.toSorted()).toEqual(runs.map((run) => run.run_id).toSorted());
  });

  test('at most `concurrency` jobs are handled at once; the others stay in the lane', async () => {
    const { lanes, namespace } = newLanes();
    const second = newLanes({ namespace }).lanes;
    const gate = Promise.withResolvers<void>();
    const busy = startPulling(lanes, 'copy', busyUntil(gate), 2);
    for (let count = 0; count < 6; count += 1) await publishRun(lanes, newRun());
    await eventually(() => expect(busy.jobs).toHaveLength(2));
    const idle = startPulling(second, 'copy');
    await eventually(() => expect(idle.jobs).toHaveLength(4));
    expect(busy.jobs).toHaveLength(2);
    gate.resolve();
  });

  test('a process asks for at most 32 jobs at once, and all of its slots take jobs', async () => {
    const { lanes } = newLanes();
    await lanes.ensureStreams();
    const gate = Promise.withResolvers<void>();
    const many = startPulling(lanes, 'copy', busyUntil(gate), 40);
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(32));
    for (let count = 0; count < 41; count += 1) await publishRun(lanes, newRun());
    await eventually(() => expect(many.jobs).toHaveLength(40));
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(0));
    expect(many.jobs).toHaveLength(40);
    gate.resolve();
  });

  test('a released job is delivered again after its delay', async () => {
    const { lanes } = newLanes();
    const times: number[] = [];
    startPulling(lanes, 'copy', (_job, { ack, release }) => {
      times.push(performance.now());
      if (times.length === 1) release(300);
      else ack();
    });
    await publishRun(lanes, newRun());
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(290);
  });

  test('the first decision of a handler counts, also when it fails later', async () => {
    const { lanes, happened } = newLanes();
    const puller = startPulling(lanes, 'copy', (_job, { ack, release }) => {
      ack();
      release(0);
      throw new Error('model is down');
    });
    await publishRun(lanes, newRun());
    await eventually(() => expect(happened('lane.handler_failed')).toHaveLength(1));
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(2));
  });

  test('a job that is always handed back is dropped after ten deliveries', async () => {
    const { lanes, happened } = newLanes();
    const puller = startPulling(lanes, 'copy', (_job, { release }) => release(1));
    await publishRun(lanes, newRun());
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
    expect(puller.jobs).toHaveLength(10);
    expect(happened('lane.message_dropped')).toMatchObject([{ deliveries: 10 }]);
  });

  test('an undecodable message is terminated and reported without its content', async () => {
    const { lanes, namespace, events, happened } = newLanes();
    await lanes.ensureStreams();
    nats.publish(`${namespace}.lane.copy`, '{"version":1,"run_id":"a secret answer"}');
    nats.publish(`${namespace}.lane.copy`, 'another secret');
    const run = newRun();
    await publishRun(lanes, run);
    const puller = startPulling(lanes, 'copy');
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
    expect(puller.jobs).toEqual([run]);
    expect(happened('lane.unreadable_message')).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('a job of a newer version stays in the lane', async () => {
    const { lanes, namespace, happened } = newLanes();
    await lanes.ensureStreams();
    nats.publish(`${namespace}.lane.copy`, JSON.stringify({ version: 2, runs: [] }));
    const puller = startPulling(lanes, 'copy');
    await eventually(() => expect(happened('lane.unknown_version')).toMatchObject([{ version: 2 }]));
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(1));
    expect(await lanes.depth('copy')).toBe(1);
  });

  test('after an abort running jobs are finished and the others stay for another puller', async () => {
    const { lanes } = newLanes();
    const gate = Promise.withResolvers<void>();
    let finished = 0;
    const puller = startPulling(
      lanes,
      'copy',
      async (_job, { ack }) => {
        ack();
        await gate.promise;
        finished += 1;
      },
      2,
    );
    for (let count = 0; count < 3; count += 1) await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(2));
    puller.abort.abort();
    let stopped = false;
    void puller.done.then(() => (stopped = true));
    await lanes.depth('copy');
    expect(stopped).toBe(false);
    gate.resolve();
    await puller.done;
    expect(finished).toBe(2);
    expect(puller.jobs).toHaveLength(2);
    expect(await lanes.depth('copy')).toBe(1);
  });

  test('a slot takes jobs only while it has permission', async () => {
    const { lanes } = newLanes();
    let permission = new AbortController();
    let given = Promise.withResolvers<AbortSignal>();
    const abort = new AbortController();
    const jobs: RunJob[] = [];
    const done = lanes.pull('copy', {
      concurrency: 2,
      signal: abort.signal,
      mayTake: () => given.promise,
      async handle(job, { ack }) {
        jobs.push(job);
        ack();
      },
    });
    pulls.push({ abort, done });
    await publishRun(lanes, newRun());
    expect(await lanes.askedFor('copy')).toBe(0);
    given.resolve(permission.signal);
    await eventually(() => expect(jobs).toHaveLength(1));
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(2));

    given = Promise.withResolvers();
    permission.abort();
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(0));
    await publishRun(lanes, newRun());
    expect(await lanes.depth('copy')).toBe(1);
    permission = new AbortController();
    given.resolve(permission.signal);
    await eventually(() => expect(jobs).toHaveLength(2));
    expect(await lanes.depth('copy')).toBe(0);
  });

  test('an idle puller stops at once', async () => {
    const { lanes } = newLanes();
    const puller = startPulling(lanes, 'copy', undefined, 3);
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(1));
    const start = performance.now();
    puller.abort.abort();
    await puller.done;
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test('a stream deleted under a waiting puller is created again, and pulling continues', async () => {
    const { lanes, namespace, happened } = newLanes();
    const puller = startPulling(lanes, 'copy', undefined, 3);
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(1));
    const manager = await jetstreamManager(nats);
    await manager.streams.delete(`${namespace}_copy`);
    await eventually(async () =>
      expect((await manager.consumers.info(`${namespace}_copy`, `${namespace}_copy`)).name).toBe(
        `${namespace}_copy`,
      ),
    );
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(2));
    expect(happened('lane.pull_failed')).toHaveLength(1);
  });

  test('a consumer deleted under a waiting puller is created again, and no job is lost', async () => {
    const { lanes, namespace } = newLanes();
    const puller = startPulling(lanes, 'copy', undefined, 2);
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(1));
    const manager = await jetstreamManager(nats);
    await manager.consumers.delete(`${namespace}_copy`, `${namespace}_copy`);
    await publishRun(lanes, newRun());
    await eventually(() => expect(puller.jobs).toHaveLength(2));
    await eventually(async () => expect(await lanes.depth('copy')).toBe(0));
  });
});

describe('looking', () => {
  test('askedFor counts the free slots of all pullers', async () => {
    const { lanes, namespace } = newLanes();
    const second = newLanes({ namespace }).lanes;
    expect(await lanes.askedFor('copy'), 'the lane does not exist yet').toBe(0);
    const gate = Promise.withResolvers<void>();
    startPulling(lanes, 'copy', undefined, 2);
    const busy = startPulling(second, 'copy', busyUntil(gate), 3);
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(5));
    while (busy.jobs.length === 0) await publishRun(lanes, newRun());
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(5 - busy.jobs.length));
    gate.resolve();
    await eventually(async () => expect(await lanes.askedFor('copy')).toBe(5));
  });

  test('oldest is the publication time of the oldest job; null for an empty or missing lane', async () => {
    const { lanes, namespace } = newLanes();
    expect(await lanes.oldest('copy')).toBeNull();
    const before = Date.now();
    await publishRun(lanes, newRun());
    const first = await lanes.oldest('copy');
    expect(first?.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(first?.getTime()).toBeLessThanOrEqual(Date.now() + 1);
    await publishRun(lanes, newRun());
    expect(await lanes.oldest('copy')).toEqual(first);

    const puller = startPulling(lanes, 'copy');
    await eventually(() => expect(puller.jobs).toHaveLength(2));
    await eventually(async () => expect(await lanes.oldest('copy')).toBeNull());
    await publishRun(lanes, newRun());
    const manager = await jetstreamManager(nats);
    await manager.streams.delete(`${namespace}_copy`);
    expect(await lanes.oldest('copy')).toBeNull();
  });
});

describe('broadcasting', () => {
  test('every listener receives control messages until it unsubscribes, and its failure affects no other', async () => {
    const { lanes, namespace, happened } = newLanes();
    const other = newLanes({ namespace });
    const heard: RunStopped[] = [];
    const heardByOther: RunStopped[] = [];
    const stop = lanes.onBroadcast('run_stopped', (message) => heard.push(message));
    lanes.onBroadcast('run_stopped', () => {
      throw new Error('handler failed');
    });
    other.lanes.onBroadcast('run_stopped', (message) => heardByOther.push(message));
    const message: RunStopped = { version: 1, run_id: randomUUID(), fence: 3 };
    // A listener receives messages only after the server has registered it, so repeat until one arrives.
    await eventually(async () => {
      await lanes.broadcast('run_stopped', message);
      expect(heard).toContainEqual(message);
      expect(heardByOther).toContainEqual(message);
      expect(happened('lanes.broadcast_failed').length).toBeGreaterThan(0);
    });
    stop();
    await lanes.broadcast('run_stopped', { ...message, fence: 4 });
    await eventually(() => expect(heardByOther.some(({ fence }) => fence === 4)).toBe(true));
    expect(heard.every(({ fence }) => fence === 3)).toBe(true);
  });

  test('a malformed control message is reported and not delivered', async () => {
    const { lanes, namespace, happened } = newLanes();
    const heard: RunStopped[] = [];
    lanes.onBroadcast('run_stopped', (message) => heard.push(message));
    await lanes.ensureStreams();
    await eventually(() => {
      nats.publish(`${namespace}.control.run_stopped`, 'rubbish');
      expect(happened('lanes.broadcast_failed').length).toBeGreaterThan(0);
    });
    expect(heard).toEqual([]);
  });
});

test('the wire format of a job is JSON', async () => {
  const run = newRun();
  expect(JSON.parse(new TextDecoder().decode(runJob.encode(run)))).toEqual(run);
  const stopped = { version: 1 as const, run_id: run.run_id, fence: 1 };
  expect(JSON.parse(new TextDecoder().decode(runStopped.encode(stopped)))).toEqual(stopped);
});

test('a namespace with special characters of subjects is refused', () => {
  expect(() => openLanes({ url: server.url, namespace: 'a.>', name: 'core' })).toThrow(RangeError);
});
