import { randomUUID } from 'node:crypto';
import { openLanes, type Lanes } from '@evaluation/lanes';
import { newLanes } from '@evaluation/test-services';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import type { Services } from '../command/services.ts';
import { drawings } from './drawings.ts';
import { claimInspection, inspections, recordInspection } from './inspections.ts';
import { recoverJobs, releaseInTurns, releaseJobs, type JobQueue } from './releaseJobs.ts';
import { rememberLastServed } from './lastServed.ts';
import { rememberSlots, type Slots } from './slots.ts';

/*
 * Tests the release of inspections and drawings on fabricated rows without parents.
 * States: waits ──▶ released ──▶ claimed ──▶ done; released or claimed for too long ──▶ waits, or is given up.
 */

const core = await newTestCore();
const { client: maker } = core;
const { database } = core.services;
afterAll(core.close);

let lanes: Lanes;
let services: Services;
beforeEach(async () => {
  lanes = openLanes({ ...newLanes(), name: 'core' });
  await lanes.ensureStreams();
  services = { ...core.services, lanes };
});
afterEach(async () => {
  await lanes.close();
  await maker.query('truncate uploads, copy_drawings cascade');
});

/** Pretends that workers with `count` slots are running. */
const withSlots = (count: number): Slots => ({ seen: () => count });

const insert: Record<JobQueue['lane'], string> = {
  inspect: `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, inspect_waits_since)
    select gen_random_uuid(), $1, 'inspecting', 'a.pdf', 'application/pdf', 1, 'k', 's', now() + at * interval '1 second'
    from generate_series(1, $2) at`,
  draw: `insert into copy_drawings (submission_id, institute_id, wanted_at)
    select gen_random_uuid(), $1, now() - interval '2 days' + at * interval '1 second' from generate_series(1, $2) at`,
};

interface Out {
  id: string;
  institute_id: string;
  delivery: number;
  is_claimed: boolean;
}

describe.each([inspections, drawings])('jobs of the lane $lane', (queue) => {
  const { lane, table, id } = queue;
  const isOut =
    lane === 'inspect' ? `status = 'inspecting' and inspect_waits_since is null` : 'released_at is not null';
  const tries = lane === 'inspect' ? 'inspect_openings' : 'attempts';
  const give = (institute: string, count: number) => maker.query(insert[lane], [institute, count]);
  const release = (slots: number, given = services) =>
    releaseJobs(given, queue, withSlots(slots), rememberLastServed());
  const jobsOut = async (): Promise<Out[]> =>
    (
      await maker.query<Out>(
        `select ${id} as id, institute_id, ${queue.delivery} as delivery, ${queue.claimedAt} is not null as is_claimed
         from ${table} where ${isOut}`,
      )
    ).rows;
  const outOf = async (institute: string): Promise<number> =>
    (await jobsOut()).filter(({ institute_id }) => institute_id === institute).length;
  const claim = (which: string) =>
    maker.query(`update ${table} set ${queue.claimedAt} = clock_timestamp() where ${isOut} and ${which}`);
  const finish = (which: string) =>
    maker.query(
      lane === 'inspect'
        ? `update uploads set status = 'ready' where ${isOut} and ${which}`
        : `delete from copy_drawings where ${isOut} and ${which}`,
    );
  const ownedBy = (institute: string) => `institute_id = '${institute}'`;
  const anHourPasses = () =>
    maker.query(
      `update ${table} set ${queue.releasedAt} = ${queue.releasedAt} - interval '1 hour',
         ${queue.claimedAt} = ${queue.claimedAt} - interval '1 hour' where ${isOut}`,
    );
  const emptyLane = async (): Promise<void> => {
    const stop = new AbortController();
    const handle = async (_job: unknown, { ack }: { ack: () => void }) => ack();
    const pulling = lanes.pull(lane, { concurrency: 4, signal: stop.signal, handle });
    await expect.poll(() => lanes.depth(lane), { timeout: 20_000 }).toBe(0);
    stop.abort();
    await pulling;
  };

  test('with one slot, a new institute’s job starts after the running one, before 40 waiting jobs of another institute', async () => {
    const [flooding, newcomer] = [randomUUID(), randomUUID()];
    await give(flooding, 40);
    await release(1);
    await claim('true');
    await release(1);
    expect(await jobsOut(), 'no second job of the institute is released').toHaveLength(1);
    await give(newcomer, 1);
    await release(1);
    expect(await outOf(newcomer)).toBe(1);
    await finish(ownedBy(flooding));
    await release(1);
    expect([await outOf(flooding), await outOf(newcomer)], 'one waits in the lane').toEqual([0, 1]);
    await claim(ownedBy(newcomer));
    await release(1);
    expect([await outOf(flooding), await outOf(newcomer)]).toEqual([1, 1]);
    expect(await lanes.depth(lane)).toBe(3);
  });

  test('jobs that are done before the next release still let the institutes take turns', async () => {
    // The ids are neighbours: a random begin of the turns would nearly always serve the first one.
    const institutes = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    for (const institute of institutes) await give(institute, 10);
    const memory = rememberLastServed();
    const served: string[] = [];
    while (served.length < 6) {
      await releaseJobs(services, queue, withSlots(1), memory);
      const [only] = await jobsOut();
      served.push(only?.institute_id ?? '');
      await finish('true');
    }
    const [first = '', second = ''] = served;
    expect([first, second].toSorted()).toEqual(institutes);
    expect(served).toEqual([first, second, first, second, first, second]);
  });

  test('with several slots, one institute gets all but one, and another institute’s job starts at once', async () => {
    const [flooding, newcomer] = [randomUUID(), randomUUID()];
    await give(flooding, 40);
    for (let round = 0; round < 3; round += 1) {
      await release(4);
      await claim('true');
    }
    expect(await outOf(flooding)).toBe(3);
    await give(newcomer, 1);
    await release(4);
    expect(await outOf(newcomer)).toBe(1);
  });

  test('each of many institutes gets a job released before any gets a second one, also with one slot', async () => {
    const institutes = Array.from({ length: 5 }, () => randomUUID());
    for (const institute of institutes) await give(institute, 10);
    const served: string[] = [];
    while (served.length < 15) {
      await release(1);
      const [next] = (await jobsOut()).filter(({ is_claimed }) => !is_claimed);
      served.push(next?.institute_id ?? '');
      await finish(`${queue.claimedAt} is not null`);
      await claim('true');
    }
    for (const from of [0, 5, 10])
      expect(served.slice(from, from + 5).toSorted()).toEqual(institutes.toSorted());
  });

  test('the lane holds at most as many waiting jobs as workers have slots, and one without workers', async () => {
    for (let count = 0; count < 20; count += 1) await give(randomUUID(), 5);
    for (const [slots, waiting] of [
      [0, 1],
      [1, 1],
      [3, 3],
      [8, 8],
    ] as const) {
      for (let round = 0; round < 2; round += 1) await release(slots);
      expect(await jobsOut()).toHaveLength(waiting);
    }
  });

  test('concurrent replicas release each job once, with distinct deliveries', async () => {
    for (let count = 0; count < 10; count += 1) await give(randomUUID(), 1);
    await Promise.all(Array.from({ length: 4 }, () => release(20)));
    const first = await jobsOut();
    expect(first).toHaveLength(10);
    expect(await lanes.depth(lane)).toBe(10);
    await anHourPasses();
    await emptyLane();
    await recoverJobs(services, queue);
    expect(await jobsOut()).toEqual([]);
    await release(20);
    expect(await lanes.depth(lane), 'a new message for each').toBe(10);
  });

  test('a job that waits for a busy worker stays out; a job whose message or worker is lost waits again', async () => {
    await give(randomUUID(), 1);
    await release(1);
    const [first] = await jobsOut();
    await anHourPasses();
    const hoursBehind = { ...lanes, oldest: async () => new Date(Date.now() - 2 * 3600_000) };
    await recoverJobs({ ...services, lanes: hoursBehind }, queue);
    expect(await jobsOut()).toEqual([first]);
    await emptyLane();
    await recoverJobs(services, queue);
    expect(await jobsOut()).toEqual([]);
    await release(1);
    await claim('true');
    await recoverJobs(services, queue);
    expect(await jobsOut(), 'its worker still processes it').toHaveLength(1);
    await anHourPasses();
    await recoverJobs({ ...services, lanes: hoursBehind }, queue);
    expect(await jobsOut()).toEqual([]);
  });

  test('a job whose publishing fails waits again at once', async () => {
    await give(randomUUID(), 1);
    const cannot = { ...lanes, publish: () => Promise.reject(new Error('not now')) };
    await release(1, { ...services, lanes: cannot });
    expect(await jobsOut()).toEqual([]);
    await release(1);
    expect(await jobsOut()).toHaveLength(1);
  });

  test('a job is given up after three attempts, and other jobs are not', async () => {
    const [lost, other] = [randomUUID(), randomUUID()];
    await give(lost, 1);
    await give(other, 1);
    await release(2);
    await claim('true');
    await maker.query(`update ${table} set ${tries} = case institute_id when '${lost}' then 3 else 2 end`);
    await anHourPasses();
    await recoverJobs(services, queue);
    await release(2);
    expect((await jobsOut()).map(({ institute_id }) => institute_id)).toEqual([other]);
    const { rows } = await maker.query(
      `select ${lane === 'inspect' ? 'status' : '1'} from ${table} where institute_id = '${lost}'`,
    );
    expect(rows).toEqual(lane === 'inspect' ? [{ status: 'rejected' }] : []);
  });

  test('at 20,000 waiting jobs, a release reads the index and only the rows that it releases', async () => {
    const institutes = Array.from({ length: 200 }, () => randomUUID());
    for (const institute of institutes) await give(institute, 100);
    if (lane === 'inspect')
      await maker.query(
        `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key)
         select gen_random_uuid(), gen_random_uuid(), 'ready', 'a.pdf', 'application/pdf', 1, 'k' from generate_series(1, 4000)`,
      );
    await maker.query(`analyze ${table}`);
    const plan = await database.acrossInstitutes(async (tx) => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain (analyze, costs off, timing off) ${releaseInTurns(queue, 8, randomUUID())}`.execute(tx);
      return rows.map((line) => line['QUERY PLAN']).join('\n');
    });
    expect(plan).not.toMatch(/Seq Scan on (?:uploads|copy_drawings)/);
    expect(plan).not.toMatch(/rows=\d{5}|Rows Removed by Filter: \d{3}/);
    await vi.waitFor(async () => expect(await release(8)).toBe(true), 20_000);
    expect(await jobsOut()).toHaveLength(8);
  }, 120_000);
});

test('an inspection is claimed once, with the number of its delivery', async () => {
  const institute_id = randomUUID();
  await maker.query(insert.inspect, [institute_id, 1]);
  await releaseJobs(services, inspections, withSlots(1), rememberLastServed());
  const { rows } = await maker.query<{ upload_id: string }>('select id as upload_id from uploads');
  const job = { upload_id: rows[0]?.upload_id ?? '', institute_id, delivery: 1 };
  expect(await claimInspection(services, { ...job, delivery: 2 })).toBeNull();
  const claimed = await claimInspection(services, job);
  expect(claimed).toMatchObject({ size_bytes: 1 });
  expect(await claimInspection(services, job)).toBeNull();
  const own = { ...job, token: claimed?.token ?? '' };
  await recordInspection(services, own, {
    status: 'ready',
    pages: 1,
    sha256: 'a'.repeat(64),
    repaired: false,
  });
  expect(await claimInspection(services, job)).toBeNull();
});

test('a drawing that rests after a failure lets other drawings of its institute go first', async () => {
  const institute = randomUUID();
  await maker.query(
    `insert into copy_drawings (submission_id, institute_id, wanted_at)
     select gen_random_uuid(), $1, now() + at * interval '1 minute' from generate_series(-1, 1) at`,
    [institute],
  );
  await releaseJobs(services, drawings, withSlots(9), rememberLastServed());
  const { rows } = await maker.query<{ resting: boolean; out: boolean }>(
    'select wanted_at > now() as resting, released_at is not null as out from copy_drawings order by wanted_at',
  );
  expect(rows).toEqual([
    { resting: false, out: true },
    { resting: false, out: true },
    { resting: true, out: false },
  ]);
});

test('the number of slots is the maximum of the last 15 seconds', () => {
  let now = 0;
  const slots = rememberSlots(() => now);
  expect(slots.seen('inspect', 2)).toBe(2);
  now = 5_000;
  expect(slots.seen('inspect', 0), 'between two jobs').toBe(2);
  expect(slots.seen('draw', 1)).toBe(1);
  now = 10_000;
  expect(slots.seen('inspect', 1)).toBe(2);
  now = 16_000;
  expect(slots.seen('inspect', 0)).toBe(1);
  now = 40_000;
  expect(slots.seen('inspect', 0)).toBe(0);
});
