import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@evaluation/database';
import { openLanes, type Lanes } from '@evaluation/lanes';
import { objectStore, type ObjectStore } from '@evaluation/object-store';
import { readCoreSettings } from '@evaluation/settings';
import { createLogger } from '@evaluation/telemetry';
import { newBacking, type ClonedDatabase } from '@evaluation/test-services';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Services } from '../services.ts';
import { releaseDrawings } from './drawings.ts';

/* The release of drawings, on fabricated rows without submissions, at which it never looks. */

const MOST_OUT = 64;

let clone: ClonedDatabase;
let database: Database;
let lanes: Lanes;
let objects: ObjectStore;
let maker: pg.Client;
let services: Services;

beforeEach(async () => {
  const backing = await newBacking();
  const { bucket, environment } = backing;
  clone = backing.clone;
  const log = createLogger({ service: 'test', level: 'silent' });
  const settings = readCoreSettings(environment);
  database = await openDatabase({ url: clone.url, poolSize: 4, log });
  lanes = openLanes({ ...backing.lanes, name: 'drawings' });
  await lanes.ensureStreams();
  objects = objectStore(bucket);
  services = {
    database,
    lanes,
    objects,
    settings,
    log,
    wakeDispatcher: () => {},
    afterCommit: (effect) => effect(),
    lanePace: { of: () => null },
  };
  maker = new pg.Client({ connectionString: clone.superuserUrl });
  await maker.connect();
  await maker.query('set session_replication_role = replica');
});
afterEach(async () => {
  await maker.end();
  await lanes.close();
  await database.close();
  objects.close();
  await clone.drop();
});

const want = (instituteId: string, count: number): Promise<unknown> =>
  maker.query(
    'insert into copy_drawings (submission_id, institute_id) select gen_random_uuid(), $1 from generate_series(1, $2)',
    [instituteId, count],
  );

interface Row {
  submission_id: string;
  institute_id: string;
  released_at: Date | null;
  delivery: number;
  attempts: number;
}
const out = async (): Promise<Row[]> =>
  (await maker.query<Row>('select * from copy_drawings where released_at is not null')).rows;
/** Their messages have been taken and nothing has come of it for long. */
const letTimePass = async (attempts: number): Promise<void> => {
  await maker.query(
    `update copy_drawings set released_at = released_at - interval '1 hour', attempts = $1 where released_at is not null`,
    [attempts],
  );
};
const emptyLane = async (): Promise<void> => {
  const stop = new AbortController();
  const pulling = lanes.pull('draw', {
    concurrency: 4,
    signal: stop.signal,
    handle: async (_job, { ack }) => ack(),
  });
  await expect.poll(() => lanes.depth('draw'), { timeout: 20_000 }).toBe(0);
  stop.abort();
  await pulling;
};

test('3.13 of many that are wanted a bounded number is out, in turns over the institutes', async () => {
  const [many, one] = [randomUUID(), randomUUID()];
  await want(many, 200);
  await want(one, 2);
  for (const _tick of [1, 2]) {
    await releaseDrawings(services);
    const rows = await out();
    expect(rows).toHaveLength(MOST_OUT);
    expect(rows.filter(({ institute_id }) => institute_id === one)).toHaveLength(2);
    expect(await lanes.depth('draw')).toBe(MOST_OUT);
  }
});

test('3.13 replicas that tick at once release each once, and no delivery is numbered as another one', async () => {
  await want(randomUUID(), 40);
  await Promise.all(Array.from({ length: 4 }, () => releaseDrawings(services)));
  const first = await out();
  expect(first).toHaveLength(40);
  expect(await lanes.depth('draw')).toBe(40);
  // Drawn, and wanted again a moment later: the lane must not take these for those that it has seen.
  await maker.query('delete from copy_drawings');
  for (const { submission_id, institute_id } of first) {
    await maker.query('insert into copy_drawings (submission_id, institute_id) values ($1, $2)', [
      submission_id,
      institute_id,
    ]);
  }
  await releaseDrawings(services);
  expect(new Set([...first, ...(await out())].map(({ delivery }) => delivery)).size).toBe(80);
  expect(await lanes.depth('draw')).toBe(80);
});

test('3.13 one that merely waits in a lane that is long is left there; once its message is gone it is released again', async () => {
  await want(randomUUID(), 1);
  await releaseDrawings(services);
  const [first] = await out();
  await letTimePass(0);
  const hoursBehind = { ...lanes, oldest: async () => new Date(Date.now() - 2 * 3600_000) };
  await releaseDrawings({ ...services, lanes: hoursBehind });
  expect((await out())[0]?.delivery).toBe(first?.delivery);
  await emptyLane();
  await releaseDrawings(services);
  const [second] = await out();
  expect(second?.delivery).toBeGreaterThan(first?.delivery ?? Infinity);
  await releaseDrawings(services);
  expect((await out())[0]?.delivery).toBe(second?.delivery);
});

test('3.13 begun three times and never drawn: given up, and nobody else with it', async () => {
  await want(randomUUID(), 1);
  await releaseDrawings(services);
  await emptyLane();
  await letTimePass(2);
  await releaseDrawings(services);
  expect(await out()).toMatchObject([{ attempts: 2 }]);
  await emptyLane();
  await letTimePass(3);
  await want(randomUUID(), 1);
  await releaseDrawings(services);
  expect(await out()).toMatchObject([{ attempts: 0 }]);
});
