import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPlan } from '@evaluation/test-services';
import { newTestTables } from '../../test/newTestTables.ts';
import { COUNTED, placesInLane, queuePlaces, stepAlongIndexes } from './queuePlaces.ts';

/* Places among 20,000 waiting runs without submissions, which the functions do not read. */

const WAITING = 20_000;
const RELEASED = 8;
const PAGE = 200;

const institute = randomUUID();
const { database, maker, close } = await newTestTables();
afterAll(close);

const runAt = (place: number): string => `00000000-0000-4000-8000-${place.toString(16).padStart(12, '0')}`;

beforeAll(async () => {
  // Ids ascend with the queue among the ten runs that share a time. A few runs are released. Another institute waits at
  // the same times, the other lane has runs too, and some runs of this institute are finished.
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, queued_at, place)
     select ('00000000-0000-4000-8000-' || lpad(to_hex(at), 12, '0'))::uuid, $1, gen_random_uuid(), 'copy', 1,
       case when at % ($3::int / $4::int) = 0 then 'released' else 'queued' end::"RunStatus", 1,
       timestamptz '2026-01-01' + at / 10 * interval '1 second', 1000 + at
     from generate_series(0, $3::int - 1) at
     union all
     select gen_random_uuid(), case when at % 3 = 0 then $2::uuid else $1::uuid end, gen_random_uuid(),
       case when at % 3 = 1 then 'typed' else 'copy' end::"Lane", 1,
       case when at % 3 = 2 then 'completed' else 'queued' end::"RunStatus", 1,
       timestamptz '2026-01-01' + at / 10 * interval '1 second', at
     from generate_series(0, $3::int - 1) at`,
    [institute, randomUUID(), WAITING, RELEASED],
  );
  // Most runs of the institute are finished: without statistics the planner then assumes that all of them wait.
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price)
     select gen_random_uuid(), $1, gen_random_uuid(), 'copy', 1, 'completed', 1 from generate_series(1, $2::int)`,
    [institute, WAITING],
  );
  await maker.query('analyze runs');
}, 60_000);

const places = (asked: readonly number[]): Promise<Map<string, number>> =>
  database.inTenant(institute, (tx) =>
    queuePlaces(
      tx,
      institute,
      asked.map((place) => ({ lane: 'copy', current_run_id: runAt(place) })),
    ),
  );

const page = Array.from({ length: PAGE }, (_, index) => Math.floor(((index + 1) * WAITING) / PAGE) - 1);

test('among 20,000 waiting runs each has its place, asked for one by one or a page at a time, in any order', async () => {
  expect(await places([0])).toEqual(new Map([[runAt(0), 0]]));
  expect(await places([WAITING - 1])).toEqual(new Map([[runAt(WAITING - 1), WAITING - 1]]));
  const mixed = [...page, 0, 1, 2, WAITING / RELEASED, WAITING / RELEASED + 1].toSorted(
    () => 0.5 - Math.random(),
  );
  const found = await places(mixed);
  expect(found).toEqual(new Map(mixed.map((place) => [runAt(place), place])));
});

/** Inserts `count` waiting typed runs of a new institute. @returns the institute and the runs' ids in their order */
const newLine = async (count: number): Promise<{ instituteId: string; runIds: string[] }> => {
  const instituteId = randomUUID();
  const { rows } = await maker.query<{ id: string }>(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, queued_at, place)
     select gen_random_uuid(), $1, gen_random_uuid(), 'typed', 1, 'queued', 1,
       timestamptz '2026-01-01' + at * interval '1 second', at
     from generate_series(1, $2::int) at returning id`,
    [instituteId, count],
  );
  return { instituteId, runIds: rows.map(({ id }) => id) };
};

const placesIn = async (
  { instituteId, runIds }: { instituteId: string; runIds: string[] },
  asked: readonly number[],
): Promise<(number | undefined)[]> => {
  const found = await database.inTenant(instituteId, (tx) =>
    queuePlaces(
      tx,
      instituteId,
      asked.map((at) => ({ lane: 'typed', current_run_id: runIds[at] ?? '' })),
    ),
  );
  return asked.map((at) => found.get(runIds[at] ?? ''));
};

const setStatus = (status: string, runIds: readonly string[]) =>
  maker.query('update runs set status = $1::"RunStatus" where id = any($2::uuid[])', [status, runIds]);

test('cancelled runs stop counting at once near the head of the line, and further back when a run comes near it', async () => {
  const line = await newLine(3 * COUNTED);
  const last = 3 * COUNTED - 1;
  expect(await placesIn(line, [0, COUNTED - 1, COUNTED, last])).toEqual([0, COUNTED - 1, COUNTED, last]);
  await setStatus('cancelled', line.runIds.slice(10, 20));
  expect(await placesIn(line, [20, last])).toEqual([10, last - 10]);
  await setStatus('cancelled', line.runIds.slice(2 * COUNTED, 2 * COUNTED + 50));
  expect(await placesIn(line, [last])).toEqual([last - 10]);
  await setStatus('completed', line.runIds.slice(0, 2 * COUNTED));
  expect(await placesIn(line, [last])).toEqual([COUNTED - 1 - 50]);
});

test('a run that is handed back counts again, and the runs behind it do not count the runs that have ended', async () => {
  const line = await newLine(2 * COUNTED);
  await setStatus('completed', line.runIds.slice(1, 2 * COUNTED - 5));
  expect(await placesIn(line, [0, 2 * COUNTED - 1])).toEqual([0, 5]);
});

test('a run that has no number yet is the last of the line', async () => {
  const line = await newLine(2 * COUNTED);
  await maker.query(
    `insert into run_queues (institute_id, lane, last_place) values ($1, 'typed', $2), ($1, 'copy', 7)`,
    [line.instituteId, 2 * COUNTED - 1],
  );
  await maker.query('update runs set place = null where id = $1', [line.runIds.at(-1)]);
  expect(await placesIn(line, [2 * COUNTED - 1])).toEqual([2 * COUNTED - 1]);
});

test('a run that was claimed meanwhile has place 0', async () => {
  const line = await newLine(2);
  await setStatus('claimed', line.runIds.slice(0, 1));
  expect(await placesIn(line, [0, 1])).toEqual([0, 0]);
});

test.each([
  ['a page of runs', page],
  ['the last run', [WAITING - 1]],
])('queuePlaces of %s reads the head of the line and not the backlog', async (_name, asked) => {
  const { rows } = await database.inTenant(institute, async (tx) => {
    await stepAlongIndexes(tx);
    return sql<object>`explain (analyze, format json) ${placesInLane(institute, 'copy', asked.map(runAt))}`.execute(
      tx,
    );
  });
  const read = readPlan(rows[0]);
  expect(read.indexes).toEqual(['run_queues_pkey', 'runs_in_flight', 'runs_pkey', 'runs_waiting_copy']);
  expect(read.scanned).toEqual([]);
  // The head of the line, the number of its last run, the released runs and the requested runs.
  expect(read.rowsRead).toBeLessThanOrEqual(COUNTED + 1 + RELEASED + asked.length);
});
