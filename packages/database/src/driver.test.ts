import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { closedAfterTests, openTestDatabase } from '@evaluation/test-services';
import { later, PREPARED, reusePlans, send } from './tenant.ts';

const institute = randomUUID();
// One connection, so that each transaction runs on the connection of the previous one.
const clone = closedAfterTests(await openTestDatabase(1));
const { database } = clone;
await database.inTenant(institute, (tx) => sql`select 1`.execute(tx));

const settings = sql<{ institute: string; in_transaction: boolean }>`
  select current_setting('app.institute') as institute, now() <> statement_timestamp() as in_transaction`;

const insertCandidate = (instituteId: string) =>
  sql`insert into candidates (id, institute_id, external_id) values (${randomUUID()}, ${instituteId}, ${randomUUID()})`;

/** @returns the calls of the driver, each of which is a round trip */
const roundTripsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const name = new URL(clone.url).pathname.slice(1);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    // Services of other tests in this process use other databases.
    return query.mock.contexts.filter((client) => client instanceof pg.Client && client.database === name)
      .length;
  } finally {
    query.mockRestore();
  }
};

test('a transaction takes a round trip for each statement and one for the commit', async () => {
  const work = () =>
    database.inTenant(institute, async (tx) => {
      await settings.execute(tx);
      await settings.execute(tx);
    });
  expect(await roundTripsOf(work)).toBe(3);
});

test('a read takes one round trip, and so does its prepared statement', async () => {
  expect(await roundTripsOf(() => database.readInTenant(institute, settings))).toBe(1);
  const prepared = sql<{
    institute: string;
  }>`${PREPARED} select current_setting('app.institute') as institute`;
  for (const id of [institute, randomUUID()]) {
    expect(await roundTripsOf(() => database.readInTenant(id, prepared))).toBe(1);
    expect(await database.readInTenant(id, prepared)).toEqual([{ institute: id }]);
  }
  const { rows } = await database.inTenant(institute, (tx) =>
    sql<{
      statement: string;
    }>`select statement from pg_prepared_statements where statement like ${'%select current_setting%as institute'}`.execute(
      tx,
    ),
  );
  expect(rows).toHaveLength(1);
});

test('the institute of a transaction or a read is not left on its connection', async () => {
  await database.readInTenant(institute, settings);
  await database.inTenant(institute, (tx) => settings.execute(tx));
  const left = await database.keys.executeQuery<{ left: string }>(
    sql<{ left: string }>`select coalesce(current_setting('app.institute', true), '') as left`.compile(
      database.keys,
    ),
  );
  expect(left.rows).toEqual([{ left: '' }]);
  const { rows } = await database.acrossInstitutes((tx) => settings.execute(tx));
  expect(rows).toEqual([expect.objectContaining({ institute: '' })]);
});

test('a read sees rows of its institute only', async () => {
  const other = randomUUID();
  await database.inTenant(institute, (tx) => insertCandidate(institute).execute(tx));
  const all = sql<{ institute_id: string }>`select institute_id from candidates`;
  expect(await database.readInTenant(institute, all)).toEqual([{ institute_id: institute }]);
  expect(await database.readInTenant(other, all)).toEqual([]);
});

test('a first statement that fails is rolled back, and the connection serves the next transaction', async () => {
  const wrong = database.inTenant(institute, (tx) => insertCandidate(randomUUID()).execute(tx));
  await expect(wrong).rejects.toThrow(/row-level security/);
  await expect(database.readInTenant(institute, sql`select 1 / 0`)).rejects.toThrow(/division by zero/);
  await expect(
    database.readInTenant(institute, sql`${PREPARED} select no_such_column from candidates`),
  ).rejects.toThrow(/no_such_column/);
  const { rows } = await database.inTenant(institute, (tx) => settings.execute(tx));
  expect(rows).toEqual([expect.objectContaining({ institute })]);
});

test('a transaction is committed as a whole, also when its first statement is an insert', async () => {
  const count = () =>
    database.readInTenant(institute, sql<{ n: number }>`select count(*)::int as n from candidates`);
  const [before] = await count();
  await database.inTenant(institute, (tx) => insertCandidate(institute).execute(tx));
  const failing = database.inTenant(institute, async (tx) => {
    await insertCandidate(institute).execute(tx);
    throw new Error('the command failed');
  });
  await expect(failing).rejects.toThrow('the command failed');
  expect(await count()).toEqual([{ n: (before?.n ?? 0) + 1 }]);
});

test('a transaction whose failed statement was ignored does not look committed', async () => {
  const ignoring = database.inTenant(institute, async (tx) => {
    await insertCandidate(institute).execute(tx);
    await sql`select 1 / ${0}::int`.execute(tx).catch(() => {});
  });
  await expect(ignoring).rejects.toThrow(/committed/);
});

test('a text of several statements runs inside the transaction', async () => {
  const { rows } = await database.inTenant(institute, async (tx) => {
    await sql.raw(`savepoint first; select 1`).execute(tx);
    await sql.raw('release first').execute(tx);
    return settings.execute(tx);
  });
  expect(rows).toEqual([{ institute, in_transaction: true }]);
});

test('a transaction without a statement sends nothing', async () => {
  expect(await roundTripsOf(() => database.inTenant(institute, async () => 'nothing'))).toBe(0);
});

const countCandidates = sql<{ n: number }>`${PREPARED} select count(*)::int as n from candidates`;

const preparedInsert = (id: string) =>
  sql`${PREPARED} insert into candidates (id, institute_id, external_id, metadata)
    values (${id}, ${institute}, ${`"${id}" \\ {a,b}`}, ${null}::jsonb)`;

test('statements that are sent together take one round trip, in their order', async () => {
  const texts = ['plain', 'with "quotes", {braces} and a \\', ''];
  const echo = sql<{
    list: string[];
    is: boolean;
    n: number;
    none: null;
  }>`${PREPARED} select ${texts}::text[] as list,
    ${true}::boolean as is, ${2}::int as n, ${null}::text as none`;
  const work = () =>
    database.inTenant(institute, async (tx) => {
      const first = await later(tx, countCandidates);
      await later(tx, preparedInsert(randomUUID()));
      const echoed = await later(tx, echo);
      expect(() => first()).toThrow(/not sent/);
      const { rows: last } = await countCandidates.execute(tx);
      expect(echoed()).toEqual([{ list: texts, is: true, n: 2, none: null }]);
      return [first()[0]?.n ?? 0, last[0]?.n ?? 0];
    });
  const [before = 0, after] = await work();
  expect(after).toBe(before + 1);
  // The connection has prepared all of them: one round trip for them and one for the commit.
  expect(await roundTripsOf(work)).toBe(2);
});

test('a statement that is left at the end is sent with the commit', async () => {
  const id = randomUUID();
  const work = () =>
    database.inTenant(institute, async (tx) => {
      await later(tx, sql`${PREPARED} delete from candidates where id = ${id}`);
      await later(tx, preparedInsert(id));
    });
  await work();
  expect(await roundTripsOf(work)).toBe(1);
  expect(await database.readInTenant(institute, sql`select id from candidates where id = ${id}`)).toEqual([
    { id },
  ]);
});

test('a failure of one of several statements fails the transaction and keeps the connection', async () => {
  const id = randomUUID();
  const twice = () =>
    database.inTenant(institute, async (tx) => {
      await later(tx, preparedInsert(id));
      await later(tx, preparedInsert(id));
    });
  await expect(twice()).rejects.toThrow(/duplicate key/);
  // Again with all statements prepared, and with a statement behind the failed one.
  await expect(twice()).rejects.toThrow(/duplicate key/);
  const read = database.inTenant(institute, async (tx) => {
    await later(tx, preparedInsert(id));
    await later(tx, preparedInsert(id));
    return countCandidates.execute(tx);
  });
  await expect(read).rejects.toThrow(/duplicate key/);
  expect(await database.readInTenant(institute, sql`select id from candidates where id = ${id}`)).toEqual([]);
});

test('a rollback drops what was not sent', async () => {
  const id = randomUUID();
  const failing = database.inTenant(institute, async (tx) => {
    await later(tx, preparedInsert(id));
    throw new Error('the command failed');
  });
  await expect(failing).rejects.toThrow('the command failed');
  expect(await database.readInTenant(institute, sql`select id from candidates where id = ${id}`)).toEqual([]);
});

test('a rollback to a savepoint drops what was postponed after it, and keeps what was before', async () => {
  const [kept, dropped] = [randomUUID(), randomUUID()];
  const work = (isSent: boolean) =>
    database.inTenant(institute, async (tx) => {
      await later(tx, preparedInsert(kept));
      await later(tx, sql`${PREPARED} savepoint command`);
      if (isSent) await send(tx);
      await later(tx, preparedInsert(dropped));
      // If this statement were sent, it would fail and end the transaction.
      await later(tx, preparedInsert(dropped));
      await sql`rollback to savepoint command`.execute(tx);
      await later(tx, sql`${PREPARED} delete from candidates where id = ${isSent ? randomUUID() : kept}`);
    });
  await work(false);
  await work(true);
  const { rows } = await database.inTenant(institute, (tx) =>
    sql`select id from candidates where id in (${kept}, ${dropped})`.execute(tx),
  );
  expect(rows).toEqual([{ id: kept }]);
});

test('a statement that is postponed after the commit was sent fails the caller', async () => {
  const strayed = database.inTenant(institute, async (tx) => {
    await later(tx, countCandidates);
    // Runs after the commit was written to the socket and before its answer is read.
    setImmediate(() => void later(tx, countCandidates));
  });
  await expect(strayed).rejects.toThrow(/postponed after the commit/);
});

test('a transaction that reuses plans plans no prepared statement with its values', async () => {
  const byIds = sql`${PREPARED} select id from candidates where id = any(${[randomUUID()]}::uuid[])`;
  const plans = sql<{ custom: number; generic: number }>`
    select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement like '% select id from candidates where id = any(%'`;
  const planned = await database.inTenant(institute, async (tx) => {
    await reusePlans(tx);
    for (let times = 0; times < 3; times += 1) await byIds.execute(tx);
    return (await plans.execute(tx)).rows;
  });
  expect(planned).toEqual([{ custom: 0, generic: 3 }]);
});
