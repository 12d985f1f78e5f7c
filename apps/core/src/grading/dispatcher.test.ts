import { randomUUID } from 'node:crypto';
import { openLanes, type Lanes } from '@evaluation/lanes';
import { newLanes, readPlan } from '@evaluation/test-services';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fabricatedRuns } from '../../test/fabricatedRuns.ts';
import { newTestCore } from '../../test/newTestCore.ts';
import type { Services } from '../command/services.ts';
import { claimRun } from './runs/claimRun.ts';
import { tick } from './dispatcher.ts';
import { noteCorePresence } from './runs/corePresence.ts';
import { IS_OURS, releaseInTurns } from './runs/releaseRuns.ts';

/* Tests on fabricated rows of `runs` without submissions, which the dispatcher does not read. */

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
  await maker.query('truncate runs, submissions cascade');
});

const withWindows = (institute: number, lane: number): Services => ({
  ...services,
  settings: {
    ...services.settings,
    runs: {
      ...services.settings.runs,
      windows: { copy: { institute, lane }, typed: { institute, lane } },
    },
  },
});

const { keepBusy, queueRuns, runsOut } = fabricatedRuns(maker);

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

const ascending = (counts: Iterable<number>): number[] => [...counts].toSorted((a, b) => a - b);

test('a tick releases the oldest run of each institute before a second run of any', async () => {
  const [big = ''] = await queueRuns(1, 50);
  const small = await queueRuns(3, 2);
  await keepBusy(6);
  await tick(withWindows(16, 12));
  const out = await runsOut();
  expect(sum(out.values()), 'the lane has six places').toBe(6);
  for (const institute of [big, ...small]) expect([1, 2]).toContain(out.get(institute));
  const { rows } = await maker.query<{ oldest: boolean }>(
    `select bool_and(queued_at <= (select min(queued_at) from runs w
       where w.institute_id = r.institute_id and w.status = 'queued')) as oldest
     from runs r where status = 'released' and institute_id = $1`,
    [big],
  );
  expect(rows).toEqual([{ oldest: true }]);
});

test('with one worker and five institutes each has a run before any has its second, also against an older backlog', async () => {
  const [old = ''] = await queueRuns(1, 20);
  await maker.query(`update runs set queued_at = queued_at - interval '1 day'`);
  const institutes = [old, ...(await queueRuns(4, 4))];
  const served: string[] = [];
  while (served.length < 15) {
    await tick(withWindows(16, 16));
    const { rows } = await maker.query<{ institute_id: string }>(
      `select institute_id from runs where status = 'released'`,
    );
    expect(rows).toHaveLength(1);
    served.push(rows[0]?.institute_id ?? '');
    await maker.query(`update runs set status = 'completed' where status = 'claimed'`);
    await maker.query(
      `update runs set status = 'claimed', lease_until = now() + interval '1 hour' where status = 'released'`,
    );
  }
  for (const from of [0, 5, 10])
    expect(served.slice(from, from + 5).toSorted()).toEqual(institutes.toSorted());
});

test('over many ticks neither an institute nor a lane exceeds its window', async () => {
  const [first = '', second = ''] = await queueRuns(2, 20);
  await keepBusy(10);
  const windows = withWindows(3, 15);
  for (let ticks = 0; ticks < 3; ticks += 1) await tick(windows);
  const out = await runsOut();
  expect(ascending([out.get(first) ?? 0, out.get(second) ?? 0])).toEqual([2, 3]);

  // The institute with fewer runs out is next, whatever the age of its runs.
  const [busy = ''] = [...out].filter(([, runs]) => runs === 3).map(([institute]) => institute);
  await maker.query(
    `update runs set status = 'completed' where id = (select id from runs where status = 'released' and institute_id = $1 limit 1)`,
    [busy],
  );
  await tick(windows);
  expect(ascending((await runsOut()).values())).toEqual([2, 3]);
  expect(await lanes.depth('typed')).toBe(6);
});

test('a full lane does not delay the other lane', async () => {
  await queueRuns(1, 10, 'copy');
  const [typed = ''] = await queueRuns(1, 5, 'typed');
  await maker.query(
    `update runs set status = 'claimed', lease_until = now() + interval '1 hour' where lane = 'copy'`,
  );
  await queueRuns(1, 5, 'copy');
  await keepBusy(5);
  await tick(withWindows(5, 10));
  expect(await runsOut()).toEqual(new Map([[typed, 5]]));
});

test('64 places go to 64 of 1000 institutes, and no run is released twice', async () => {
  const institutes = await queueRuns(1000, 3);
  await keepBusy(3000);
  await tick(withWindows(16, 3064));
  const first = await runsOut();
  expect(first.size).toBe(64);
  expect(sum(first.values())).toBe(64);
  await maker.query(`update runs set status = 'completed' where status = 'released'`);
  await tick(withWindows(16, 6000));
  const rest = await runsOut();
  expect(rest.size).toBe(institutes.length);
  expect(sum(rest.values())).toBe(3000 - 64);
  const { rows } = await maker.query(
    `select distinct delivery from runs where status <> 'claimed' order by delivery`,
  );
  expect(rows).toEqual([{ delivery: 1 }]);
});

test('a lane holds at most as many waiting runs as claimed ones, and one if it is idle', async () => {
  await queueRuns(4, 20);
  const windows = withWindows(100, 100);
  for (let ticks = 0; ticks < 3; ticks += 1) await tick(windows);
  expect(sum((await runsOut()).values())).toBe(1);
  for (const [more, waiting] of [
    [1, 1],
    [2, 3],
    [5, 8],
  ] as const) {
    await keepBusy(more);
    for (let ticks = 0; ticks < 3; ticks += 1) await tick(windows);
    expect(sum((await runsOut()).values())).toBe(waiting);
  }
  await maker.query(`update runs set status = 'completed' where status = 'claimed'`);
  await tick(windows);
  expect(sum((await runsOut()).values()), 'runs that were released before stay').toBe(8);
});

/** The tests wait these seconds for a run to be overdue; publishing needs less, even on a busy machine. */
const UNCLAIMED_SECONDS = 2;

const withPatience = (given: Services): Services => ({
  ...given,
  settings: {
    ...given.settings,
    runs: { ...given.settings.runs, unclaimedSeconds: UNCLAIMED_SECONDS },
  },
});

interface Release {
  id: string;
  delivery: number;
}

const releasedRuns = async (): Promise<Release[]> =>
  (await maker.query<Release>(`select id, delivery from runs where status = 'released' order by queued_at`))
    .rows;

const untilOverdue = () =>
  vi.waitFor(async () => {
    const { rows } = await maker.query<{ overdue: boolean }>(
      `select bool_and(released_at < clock_timestamp() - make_interval(secs => $1)) as overdue
       from runs where status = 'released'`,
      [UNCLAIMED_SECONDS],
    );
    expect(rows).toEqual([{ overdue: true }]);
  }, 50_000);

/** Takes the oldest messages out of the typed lane without claiming their runs. */
const loseMessages = async (count: number): Promise<void> => {
  const stop = new AbortController();
  let lost = 0;
  await lanes.pull('typed', {
    concurrency: 1,
    signal: stop.signal,
    handle: async (_job, { ack }) => {
      ack();
      lost += 1;
      if (lost === count) stop.abort();
    },
  });
};

test('a released run whose message is lost keeps its place and is released again as a new delivery', async () => {
  await queueRuns(1, 2);
  await tick(withWindows(1, 1));
  const [run] = await releasedRuns();
  await loseMessages(1);
  await tick(withWindows(1, 1));
  expect(await releasedRuns(), 'its message may still be on its way').toEqual([run]);
  await untilOverdue();
  await tick(withPatience(withWindows(1, 1)));
  expect(await releasedRuns()).toEqual([{ ...run, delivery: 2 }]);
  expect(await lanes.depth('typed')).toBe(1);
});

test('a released run that waits for a busy worker is not published again', async () => {
  await queueRuns(1, 6);
  await keepBusy(3);
  const patient = withPatience(withWindows(10, 10));
  await tick(patient);
  const before = await releasedRuns();
  await untilOverdue();
  for (let ticks = 0; ticks < 3; ticks += 1) await tick(patient);
  expect(await releasedRuns()).toEqual(before);
  expect(await lanes.depth('typed')).toBe(3);
});

test('of two released runs only the one whose message is lost is released again', async () => {
  await queueRuns(1, 1);
  await tick(withWindows(10, 10));
  const [lost] = await releasedRuns();
  await loseMessages(1);
  await untilOverdue();
  await queueRuns(1, 1);
  await keepBusy(2);
  // Not overdue yet: the other run is published behind the lost message.
  await tick(withWindows(10, 10));
  const [, kept] = await releasedRuns();
  await tick(withPatience(withWindows(10, 10)));
  expect((await releasedRuns()).toSorted((a, b) => a.delivery - b.delivery)).toEqual([
    kept,
    { ...lost, delivery: 2 },
  ]);
});

test('while NATS is down no run is taken back, and no run is released', async () => {
  await queueRuns(1, 2);
  const patient = withPatience(withWindows(10, 10));
  await tick(patient);
  const before = await releasedRuns();
  await untilOverdue();
  const away = openLanes({ url: 'nats://127.0.0.1:1', namespace: 'away', name: 'core' });
  try {
    await keepBusy(2);
    await tick({ ...patient, lanes: away });
  } finally {
    await away.close();
  }
  expect(await releasedRuns()).toEqual(before);
  await tick(patient);
  expect((await releasedRuns()).map(({ delivery }) => delivery)).toEqual([1, 1]);
});

test('a run whose claim fails lets other runs go first and is released again after a rest', async () => {
  const [institute = ''] = await queueRuns(1, 2);
  const windows = withWindows(10, 10);
  await tick(windows);
  const [first] = await releasedRuns();
  const run_id = first?.id ?? '';
  // A run without a submission has no claimable work; a run whose exam is missing makes the claim fail.
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, current_run_id, questions_total,
       quote_unit, quote_credits, quote_rate_source, review_reasons, warnings)
     select submission_id, institute_id, gen_random_uuid(), gen_random_uuid(), 'queued', 'typed', id, 1,
       'answer', 1, 'standard', '{}', '[]' from runs where id = $1`,
    [run_id],
  );
  await expect(claimRun(services, { run_id, institute_id: institute, worker: 'test' })).rejects.toThrow();
  await tick(windows);
  expect((await releasedRuns()).map(({ id }) => id)).not.toContain(run_id);
  expect(await releasedRuns()).toHaveLength(1);
  await maker.query(`update runs set released_at = released_at - interval '1 minute' where id = $1`, [
    run_id,
  ]);
  await keepBusy(2);
  await tick(windows);
  expect(await releasedRuns()).toContainEqual({ id: run_id, delivery: 2 });
});

test('an expired lease is counted and its run queued with a new fence; a valid lease stays', async () => {
  await queueRuns(1, 2);
  const ids = (await maker.query<{ id: string }>('select id from runs order by queued_at')).rows.map(
    ({ id }) => id,
  );
  const claim = (id: string | undefined, until: string) =>
    maker.query(
      `update runs set status = 'claimed', fence = 7, lease_until = now() + $2::interval where id = $1`,
      [id, until],
    );
  await claim(ids[0], '-1 second');
  await claim(ids[1], '1 hour');
  // The lane is full, so the run that is taken back stays queued.
  await tick(withWindows(1, 1));
  const { rows } = await maker.query(
    'select status, fence, dead_leases, lease_until is null as free from runs order by queued_at',
  );
  expect(rows).toEqual([
    { status: 'queued', fence: 8, dead_leases: 1, free: true },
    { status: 'claimed', fence: 7, dead_leases: 0, free: false },
  ]);
});

test('two replicas that tick at once release each run once', async () => {
  await queueRuns(20, 2);
  await keepBusy(40);
  const windows = withWindows(16, 80);
  await Promise.all(Array.from({ length: 4 }, () => tick(windows)));
  await tick(windows);
  const { rows } = await maker.query(
    `select status, delivery, count(*)::int as runs from runs where status <> 'claimed' group by 1, 2`,
  );
  expect(rows).toEqual([{ status: 'released', delivery: 1, runs: 40 }]);
});

test.each([
  [200, 2],
  [5000, 4],
])(
  'with %i institutes of %i waiting runs each, a release reads only the rows that it needs under row-level security',
  async (institutes, runsEach) => {
    await queueRuns(institutes, runsEach);
    await queueRuns(50, 40, 'copy');
    await maker.query(`update runs set status = 'completed' where lane = 'copy'`);
    await keepBusy(400);
    await maker.query('analyze runs');
    const look = async (places: number) => {
      const { rows } = await database.acrossInstitutes(async (tx) => {
        await sql`select set_config(${IS_OURS}, 'true', true)`.execute(tx);
        const release = releaseInTurns('typed', { institute: 8000, lane: 400 + places }, 0, randomUUID());
        return sql<object>`explain (analyze, format json) ${release}`.execute(tx);
      });
      return readPlan(rows[0]);
    };
    const one = await look(1);
    expect(one.indexes).toEqual(['institutes_disabled', 'runs_in_flight', 'runs_pkey', 'runs_waiting_typed']);
    expect(one.scanned).toEqual([]);
    // Reads the 400 runs in flight and, for the one free place, one run of each of two institutes.
    expect(one.rowsRead).toBeLessThan(420);
    const forty = await look(41);
    expect(forty.indexes).toEqual(one.indexes);
    expect(
      forty.rowsRead,
      '40 more places, read three times: its institute, its run, the update',
    ).toBeLessThan(420 + 41 * 5);
    const none = await look(41);
    expect(none.rowsRead, 'no place is free: waiting runs are not read').toBeLessThan(450);
  },
);

test('a core that has just started judges leases if another core ran for a whole lease time before, and not after a gap', async () => {
  const { leaseSeconds } = services.settings.runs;
  const passes = (seconds: number) =>
    maker.query(
      `update core_presence set steady_since = steady_since - make_interval(secs => $1),
         seen_at = seen_at - make_interval(secs => $2)`,
      [leaseSeconds, seconds],
    );
  await maker.query('truncate core_presence');
  expect(await noteCorePresence(services)).toBe(false);
  await passes(0);
  expect(await noteCorePresence(services)).toBe(true);
  await passes(leaseSeconds);
  expect(await noteCorePresence(services)).toBe(false);
});
