import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { closedAfterTests, openTestDatabase } from '@evaluation/test-services';
import { reusePlans, send, write } from './tenant.ts';

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

test('a read takes one round trip, and each connection prepares its text once', async () => {
  expect(await roundTripsOf(() => database.readInTenant(institute, settings))).toBe(1);
  const prepared = sql<{ institute: string }>`select current_setting('app.institute') as institute`;
  for (const id of [institute, randomUUID()]) {
    expect(await roundTripsOf(() => database.readInTenant(id, prepared))).toBe(1);
    expect(await database.readInTenant(id, prepared)).toEqual([{ institute: id }]);
  }
  const { rows } = await database.inTenant(institute, (tx) =>
    sql<{ statement: string }>`
      select statement from pg_prepared_statements where statement like ${'select current_setting%as institute'}`.execute(
      tx,
    ),
  );
  expect(rows).toHaveLength(1);
});

test('the institute of a transaction or a read is not left on its connection', async () => {
  await database.readInTenant(institute, settings);
  await database.inTenant(institute, (tx) => settings.execute(tx));
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
  await expect(database.readInTenant(institute, sql`select no_such_column from candidates`)).rejects.toThrow(
    /no_such_column/,
  );
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

const countCandidates = sql<{ n: number }>`select count(*)::int as n from candidates`;

const insert = (id: string) =>
  sql`insert into candidates (id, institute_id, external_id, metadata)
    values (${id}, ${institute}, ${`"${id}" \\ {a,b}`}, ${null}::jsonb)`;

const stored = (id: string) =>
  database.readInTenant(institute, sql<{ id: string }>`select id from candidates where id = ${id}`);

test('statements of one message run in their order, in one round trip, also at their first use', async () => {
  const texts = ['plain', 'with "quotes", {braces} and a \\', ''];
  const echo = sql<{ list: string[]; is: boolean; n: number; none: null }>`
    select ${texts}::text[] as list, ${true}::boolean as is, ${2}::int as n, ${null}::text as none`;
  const counts: [number | undefined, number | undefined][] = [];
  const work = () =>
    database.inTenant(institute, async (tx) => {
      const [[before], , echoed, [after]] = await send(
        tx,
        countCandidates,
        insert(randomUUID()),
        echo,
        countCandidates,
      );
      expect(echoed).toEqual([{ list: texts, is: true, n: 2, none: null }]);
      counts.push([before?.n, after?.n]);
    });
  // One round trip for the message and one for the commit.
  expect(await roundTripsOf(work)).toBe(2);
  expect(await roundTripsOf(work)).toBe(2);
  expect(counts.map(([before, after]) => (after ?? 0) - (before ?? 0))).toEqual([1, 1]);
});

test('what is written runs before the next statement and travels with it', async () => {
  const work = () =>
    database.inTenant(institute, async (tx) => {
      const before = await countCandidates.execute(tx);
      await write(tx, insert(randomUUID()));
      const [[sent]] = await send(tx, countCandidates);
      await write(tx, insert(randomUUID()));
      const after = await countCandidates.execute(tx);
      return [sent?.n, after.rows[0]?.n].map((n) => (n ?? 0) - (before.rows[0]?.n ?? 0));
    });
  expect(await work()).toEqual([1, 2]);
  expect(await roundTripsOf(work)).toBe(4);
});

test('a statement that is written last is sent with the commit', async () => {
  const id = randomUUID();
  const work = () =>
    database.inTenant(institute, async (tx) => {
      await write(tx, sql`delete from candidates where id = ${id}`);
      await write(tx, insert(id));
    });
  await work();
  expect(await roundTripsOf(work)).toBe(1);
  expect(await stored(id)).toEqual([{ id }]);
});

test('a failure of one of several statements fails the transaction and keeps the connection', async () => {
  const id = randomUUID();
  const twice = () =>
    database.inTenant(institute, async (tx) => {
      await write(tx, insert(id));
      await write(tx, insert(id));
    });
  await expect(twice()).rejects.toThrow(/duplicate key/);
  // Again with a statement that the connection has not seen, behind the failed one.
  const read = database.inTenant(institute, async (tx) => {
    await write(tx, insert(id));
    await write(tx, insert(id));
    return send(tx, sql`select 'behind a failure'`);
  });
  await expect(read).rejects.toThrow(/duplicate key/);
  expect(await stored(id)).toEqual([]);
  expect(await database.readInTenant(institute, sql`select 'behind a failure' as text`)).toHaveLength(1);
});

test('a statement that failed at its first use works at its second one', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const unique = (id: string) =>
    sql`insert into candidates (institute_id, id, external_id) values (${institute}, ${id}, 'used once')`;
  await database.inTenant(institute, (tx) => insert(first).execute(tx));
  const failed = database.inTenant(institute, (tx) => send(tx, unique(first)));
  await expect(failed).rejects.toThrow(/duplicate key/);
  await database.inTenant(institute, (tx) => send(tx, countCandidates, unique(second)));
  expect(await stored(second)).toEqual([{ id: second }]);
});

test('a rollback drops what was not sent', async () => {
  const id = randomUUID();
  const failing = database.inTenant(institute, async (tx) => {
    await write(tx, insert(id));
    throw new Error('the command failed');
  });
  await expect(failing).rejects.toThrow('the command failed');
  expect(await stored(id)).toEqual([]);
});

test('a rollback to a savepoint drops what was written after it, and keeps what was before', async () => {
  const [kept, dropped] = [randomUUID(), randomUUID()];
  const work = (isSent: boolean) =>
    database.inTenant(institute, async (tx) => {
      await write(tx, insert(kept));
      await write(tx, sql`savepoint command`);
      if (isSent) await send(tx, countCandidates);
      await write(tx, insert(dropped));
      // If this statement were sent, it would fail and end the transaction.
      await write(tx, insert(dropped));
      await sql`rollback to savepoint command`.execute(tx);
      await write(tx, sql`delete from candidates where id = ${isSent ? randomUUID() : kept}`);
    });
  await work(false);
  await work(true);
  expect(await Promise.all([kept, dropped].map(stored))).toEqual([[{ id: kept }], []]);
});

test('a statement that is written after the commit was sent fails the caller', async () => {
  const strayed = database.inTenant(institute, async (tx) => {
    await write(tx, countCandidates);
    // Runs after the commit was written to the socket and before its answer is read.
    setImmediate(() => void write(tx, countCandidates));
  });
  await expect(strayed).rejects.toThrow(/written after the commit/);
});

test('a transaction that reuses plans plans no prepared statement with its values', async () => {
  const byIds = sql`select id from candidates where id = any(${[randomUUID()]}::uuid[])`;
  const plans = sql<{ custom: number; generic: number }>`
    select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement like 'select id from candidates where id = any(%'`;
  const planned = await database.inTenant(institute, async (tx) => {
    await reusePlans(tx);
    for (let times = 0; times < 3; times += 1) await send(tx, byIds);
    return (await plans.execute(tx)).rows;
  });
  expect(planned).toEqual([{ custom: 0, generic: 3 }]);
});
