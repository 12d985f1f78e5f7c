import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closedAfterTests, openTestDatabase } from '@evaluation/test-services';
import type { Tx } from './tenant.ts';
import { withinTime } from './withinTime.ts';

const clone = closedAfterTests(await openTestDatabase(2));
const { database } = clone;
let holder: pg.Client;

beforeEach(async () => {
  holder = new pg.Client({ connectionString: clone.superuserUrl });
  await holder.connect();
});
afterEach(() => holder.end());

const insert = (tx: Tx, institute_id: string, external_id: string) =>
  tx.insertInto('candidates').values({ id: randomUUID(), institute_id, external_id }).execute();
const stored = async (instituteId: string): Promise<string[]> => {
  const rows = await database.inTenant(instituteId, (tx) =>
    tx.selectFrom('candidates').select('external_id').orderBy('external_id').execute(),
  );
  return rows.map(({ external_id }) => external_id);
};
const limits = async (tx: Tx): Promise<unknown> =>
  (
    await sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
      tx,
    )
  ).rows[0];

test('work that waits too long for a lock is rolled back, and its transaction goes on', async () => {
  const institute = randomUUID();
  await holder.query('begin; lock table institutes in access exclusive mode');
  const outcome = await database.inTenant(institute, async (tx) => {
    await insert(tx, institute, 'before');
    const within = await withinTime(tx, 50, async (inner) => {
      await insert(inner, institute, 'within');
      await inner.selectFrom('institutes').select('id').execute();
    });
    await insert(tx, institute, 'after');
    return within;
  });
  await holder.query('rollback');
  expect(outcome).toBeNull();
  expect(await stored(institute)).toEqual(['after', 'before']);
});

test('a statement that takes too long is rolled back too', async () => {
  const outcome = await database.inTenant(randomUUID(), (tx) =>
    withinTime(tx, 30, (inner) => sql`select pg_sleep(10)`.execute(inner)),
  );
  expect(outcome).toBeNull();
});

test('work done in time is kept, and its limits end with it', async () => {
  const institute = randomUUID();
  const [before, within, after, afterFailure] = await database.inTenant(institute, async (tx) => {
    const first = await limits(tx);
    const done = await withinTime(tx, 70, async (inner) => {
      await insert(inner, institute, 'within');
      return limits(inner);
    });
    const second = await limits(tx);
    await withinTime(tx, 10, (inner) => sql`select pg_sleep(10)`.execute(inner));
    return [first, done?.value, second, await limits(tx)];
  });
  expect(within).toEqual({ lock: '70ms', statement: '70ms' });
  expect(before).not.toEqual(within);
  expect([after, afterFailure]).toEqual([before, before]);
  expect(await stored(institute)).toEqual(['within']);
});

test('any other failure fails the transaction', async () => {
  const institute = randomUUID();
  const work = database.inTenant(institute, async (tx) => {
    await insert(tx, institute, 'before');
    await withinTime(tx, 1000, (inner) => sql`select 1 / 0`.execute(inner));
  });
  await expect(work).rejects.toThrow(/division by zero/);
  expect(await stored(institute)).toEqual([]);
});
