import { jetstreamManager } from '@nats-io/jetstream';
import { messageId, runJob, runStopped, type RunStopped } from '@evaluation/jobs-contract';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openLanes } from './index.ts';
import { newRun, publishRun, busyUntil, eventually, openTestLanes } from '../test/openTestLanes.ts';

const { server, nats, newLanes, startPulling } = await openTestLanes();

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
