import {
  COMPONENTS,
  controlSubject,
  counterSubject,
  laneSubject,
  permissionsText,
  type Component,
} from '@evaluation/jobs-contract';
import { startNats, type EmbeddedNats } from '@evaluation/embedded';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LaneUnavailable, messageId, openLanes, type Lanes } from './index.ts';

const NAMESPACE = 'evaluation';
let folder: string;
let server: EmbeddedNats;
let raw: Record<Component, NatsConnection>;
let lanes: Record<Component, Lanes>;
const events: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'permissions-'));
  server = await startNats({
    dataDir: folder,
    users: Object.fromEntries(COMPONENTS.map((one) => [one, permissionsText(one, NAMESPACE)])),
  });
  const rawOf = async (component: Component): Promise<NatsConnection> => {
    const { host, username, password } = new URL(server.urlFor(component));
    return connect({ servers: host, user: username, pass: password, inboxPrefix: `_INBOX.${component}` });
  };
  raw = { core: await rawOf('core'), facade: await rawOf('facade'), worker: await rawOf('worker') };
  const lanesOf = (component: Component): Lanes =>
    openLanes({
      url: server.urlFor(component),
      namespace: NAMESPACE,
      name: component,
      onProgress: (event, details) => events.push(`${component} ${event} ${JSON.stringify(details)}`),
    });
  lanes = { core: lanesOf('core'), facade: lanesOf('facade'), worker: lanesOf('worker') };
});

afterAll(async () => {
  await Promise.all(Object.values(lanes).map((one) => one.close()));
  await Promise.all(Object.values(raw).map((one) => one.close()));
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const untilRefused = async (nats: NatsConnection, subject: string): Promise<void> => {
  const statuses = nats.status();
  nats.publish(subject, '{}');
  for await (const status of statuses)
    if (status.type === 'error' && status.error.message.includes(`Publish to "${subject}"`)) return;
};

test.each<[Component, string]>([
  ['worker', counterSubject(NAMESPACE, 'key:1')],
  ['worker', controlSubject(NAMESPACE, 'keys_changed')],
  ['worker', controlSubject(NAMESPACE, 'run_stopped')],
  ['worker', laneSubject(NAMESPACE, 'copy')],
  ['worker', `$JS.API.STREAM.UPDATE.${NAMESPACE}_copy`],
  ['worker', `$JS.API.CONSUMER.CREATE.${NAMESPACE}_copy.${NAMESPACE}_copy`],
  ['worker', '_INBOX.core.forged'],
  ['facade', controlSubject(NAMESPACE, 'keys_changed')],
  ['facade', controlSubject(NAMESPACE, 'run_stopped')],
  ['facade', laneSubject(NAMESPACE, 'copy')],
  ['facade', `$JS.API.STREAM.DELETE.${NAMESPACE}_copy`],
  ['core', counterSubject(NAMESPACE, 'key:1')],
  ['core', `$JS.API.STREAM.DELETE.${NAMESPACE}_copy`],
  ['core', `$JS.API.STREAM.CREATE.other_copy`],
])('a real nats-server refuses the %s a publication to %s', async (component, subject) => {
  await untilRefused(raw[component], subject);
});

test('the user of each component has the permissions that publishing, pulling and looking need', async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const pulling = lanes.worker.pull('copy', {
    concurrency: 1,
    signal: stop.signal,
    handle: async (job, { ack, release }) => {
      seen.push(job.run_id);
      if (seen.length === 1) release(10);
      else ack();
    },
  });
  await lanes.core.ensureStreams();
  const run = { version: 1 as const, run_id: randomUUID(), institute_id: randomUUID(), delivery: 1 };
  await lanes.core.publish('copy', run, messageId(run.run_id, 1));
  await vi.waitFor(() => expect(seen).toEqual([run.run_id, run.run_id]), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await lanes.core.depth('copy')).toBe(0), { timeout: 20_000 });
  expect(await lanes.worker.depth('copy')).toBe(0);
  expect(await lanes.core.oldest('copy')).toBeNull();
  await vi.waitFor(async () => expect(await lanes.core.askedFor('copy')).toBe(1), { timeout: 20_000 });
  stop.abort();
  await pulling;
});

test('core creates a deleted consumer or stream again, and its workers continue', async () => {
  await lanes.core.ensureStreams();
  const { host, username, password } = new URL(server.url);
  const operator = await connect({ servers: host, user: username, pass: password });
  const { consumers, streams } = await jetstreamManager(operator);
  const seen: string[] = [];
  const stop = new AbortController();
  const pulling = lanes.worker.pull('typed', {
    concurrency: 1,
    signal: stop.signal,
    handle: async (job, { ack }) => {
      seen.push(job.run_id);
      ack();
    },
  });
  for (const lose of [
    () => consumers.delete(`${NAMESPACE}_typed`, `${NAMESPACE}_typed`),
    () => streams.delete(`${NAMESPACE}_typed`),
  ]) {
    await lose();
    const run = { version: 1 as const, run_id: randomUUID(), institute_id: randomUUID(), delivery: 1 };
    // The dispatcher calls `askedFor` before it publishes.
    await lanes.core.askedFor('typed');
    await lanes.core.publish('typed', run, messageId(run.run_id, 1));
    await vi.waitFor(() => expect(seen).toContain(run.run_id), { timeout: 30_000 });
  }
  stop.abort();
  await pulling;
  await operator.close();
});

test('each broadcast has its permitted senders and receivers only', async () => {
  const heard: string[] = [];
  lanes.facade.onBroadcast('keys_changed', () => heard.push('keys_changed'));
  lanes.worker.onBroadcast('run_stopped', () => heard.push('run_stopped'));
  await vi.waitFor(
    async () => {
      await lanes.core.broadcast('keys_changed', { version: 1, institute_id: randomUUID() });
      await lanes.core.broadcast('run_stopped', { version: 1, run_id: randomUUID(), fence: 1 });
      expect(new Set(heard).size).toBe(2);
    },
    { timeout: 20_000 },
  );
  // Workers do not receive keys_changed.
  lanes.worker.onBroadcast('keys_changed', () => heard.push('overheard'));
  await lanes.core.broadcast('keys_changed', { version: 1, institute_id: randomUUID() });
  await vi.waitFor(() => expect(events.join('\n')).toMatch(/worker .*permission/i), { timeout: 20_000 });
  expect(heard).not.toContain('overheard');
});

test('facades can add to counters, workers cannot', async () => {
  await lanes.core.ensureStreams();
  expect(await lanes.facade.count('key:1:reads', 2)).toBe(2);
  expect(await lanes.facade.count('key:1:reads', -1)).toBe(1);
  await expect(lanes.worker.count('key:1:reads', 1)).rejects.toBeInstanceOf(LaneUnavailable);
  expect(await lanes.facade.count('key:1:reads', 1)).toBe(2);
});
