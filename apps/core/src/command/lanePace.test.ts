import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '@evaluation/platform/telemetry';
import { readPlan } from '@evaluation/test-services';
import { newTestTables } from '../../test/newTestTables.ts';
import { measureLane, startLanePace, type LanePace, type Pace } from './lanePace.ts';

/* Tests the measurement of lanes on fabricated runs of many institutes, without submissions. */

const log = createLogger({ service: 'test', level: 'silent' });
const { database, maker, close } = await newTestTables(2);
afterAll(close);
let pace: LanePace | undefined;

beforeEach(() => maker.query('truncate runs cascade'));
afterEach(() => pace?.close());

/** Inserts completed runs that ran from one second of a day to another; a start of null means never claimed. */
const completed = async (
  runs: readonly (readonly [from: number | null, to: number])[],
  lane = 'typed',
): Promise<void> => {
  for (const [from, to] of runs) {
    await maker.query(
      `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, claimed_at, finished_at)
       values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, 1, 'completed', 1,
         timestamptz '2026-01-01' + make_interval(secs => $2), timestamptz '2026-01-01' + make_interval(secs => $3))`,
      [lane, from, to],
    );
  }
};

const queued = async (institute: string, runs: number, lane = 'typed', status = 'queued'): Promise<void> => {
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price)
     select gen_random_uuid(), $1, gen_random_uuid(), $3, 1, $4, 1 from generate_series(1, $2)`,
    [institute, runs, lane, status],
  );
};

/** Waits for `wanted`; a measurement that is already running may have missed the new rows. */
const untilMeasured = async (wanted: (measured: Pace | null) => boolean): Promise<Pace | null> => {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const measured = pace?.of('typed') ?? null;
    if (wanted(measured)) return measured;
    if (performance.now() > deadline) throw new Error(`never measured: ${JSON.stringify(measured)}`);
    await wait(5);
  }
};

const measured = async (lane: 'copy' | 'typed' = 'typed') => {
  const { rows } = await database.acrossInstitutes((tx) => measureLane(lane).execute(tx));
  return rows[0];
};

test('a lane without completed runs has no pace', async () => {
  await queued(randomUUID(), 3);
  expect(await measured()).toMatchObject({ busy_seconds: null, average_seconds: null });
});

test('overlapping runs count as one stretch, and pauses do not count', async () => {
  // Three runs at once for 60 s, an hour without work, then one run for 30 s: 90 s of work, on average 52.5 s a run.
  await completed([
    [0, 60],
    [0, 60],
    [0, 60],
    [3660, 3690],
  ]);
  expect(await measured()).toMatchObject({ runs: 4, busy_seconds: 90, average_seconds: 52.5 });
});

test('runs without AI and runs of the other lane are not measured', async () => {
  await completed([
    [0, 10],
    [null, 20],
    [null, 30],
  ]);
  await completed([[0, 500]], 'copy');
  expect(await measured()).toMatchObject({ runs: 1, busy_seconds: 10, average_seconds: 10 });
  expect(await measured('copy')).toMatchObject({ runs: 1, busy_seconds: 500 });
});

test('the last hundred runs are measured, also runs of zero duration', async () => {
  await completed([[0, 5000]]);
  await completed(Array.from({ length: 99 }, (_, index) => [6000 + index, 6001 + index] as const));
  await completed([[9000, 9000]]);
  expect(await measured()).toMatchObject({ runs: 100, busy_seconds: 99, average_seconds: 0.99 });
});

test('waitingInstitutes counts institutes with waiting runs, each once', async () => {
  await queued(randomUUID(), 5);
  await queued(randomUUID(), 1);
  await queued(randomUUID(), 2, 'copy');
  await queued(randomUUID(), 2, 'typed', 'claimed');
  expect(await measured()).toMatchObject({ waiting_institutes: 2 });
});

test('at 20,000 waiting and as many finished runs a measurement reads the last hundred and one run of each institute', async () => {
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, claimed_at, finished_at)
     select gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad(to_hex(at % 20), 12, '0'))::uuid, gen_random_uuid(),
       'typed', 1, case when at % 2 = 0 then 'queued' else 'completed' end::"RunStatus", 1,
       case when at % 4 = 1 then now() - interval '1 minute' end, case when at % 2 = 1 then now() end
     from generate_series(1, 40000) at`,
  );
  await maker.query('analyze runs');
  const { rows } = await database.acrossInstitutes((tx) =>
    sql<object>`explain (analyze, format json) ${measureLane('typed')}`.execute(tx),
  );
  const read = readPlan(rows[0]);
  expect(read.scanned).toEqual([]);
  expect(read.mostRows).toBeLessThanOrEqual(100);
  expect(read.rowsRead).toBeLessThanOrEqual(100 + 20);
});

test('the pace is measured again after a change', async () => {
  pace = startLanePace({ database, log }, 5);
  expect(await untilMeasured((found) => found === null)).toBeNull();
  await completed([[0, 60]]);
  const first = await untilMeasured((found) => found !== null);
  expect(first).toEqual({ busySecondsPerRun: 60, averageSeconds: 60, waitingInstitutes: 0 });
  expect(pace.of('copy')).toBeNull();
  await queued(randomUUID(), 1);
  await completed([[60, 80]]);
  expect(
    await untilMeasured((found) => found?.waitingInstitutes === 1 && found.averageSeconds === 40),
  ).toEqual({ busySecondsPerRun: 40, averageSeconds: 40, waitingInstitutes: 1 });
});

test('a failed measurement keeps the last pace, and the next one is made', async () => {
  await completed([[0, 60]]);
  let broken = 0;
  const stream = new Writable({
    write: (_line, _encoding, done) => {
      broken += 1;
      done();
    },
  });
  pace = startLanePace({ database, log: createLogger({ service: 'test', level: 'warn', stream }) }, 5);
  await untilMeasured((found) => found?.averageSeconds === 60);
  await maker.query('alter table runs rename to runs_away');
  try {
    await untilMeasured(() => broken >= 3);
    expect(pace.of('typed')?.averageSeconds).toBe(60);
  } finally {
    await maker.query('alter table runs_away rename to runs');
  }
  await completed([[60, 80]]);
  expect((await untilMeasured((found) => found?.averageSeconds === 40))?.busySecondsPerRun).toBe(40);
});
