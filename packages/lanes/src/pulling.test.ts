import { jetstreamManager } from '@nats-io/jetstream';
import { type RunJob } from '@evaluation/jobs-contract';
import { describe, expect, test } from 'vitest';
import { newRun, publishRun, busyUntil, eventually, openTestLanes } from '../test/openTestLanes.ts';

const { nats, pulls, newLanes, startPulling } = await openTestLanes();

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
