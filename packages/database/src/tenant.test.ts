import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import pg from 'pg';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createLogger } from '@evaluation/platform/telemetry';
import { closedAfterTests, openTestDatabase } from '@evaluation/test-services';
import { brokenConstraint, openDatabase, type Tx } from './tenant.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const clone = closedAfterTests(await openTestDatabase(8));
const { database } = clone;

const superuser = async <T extends pg.QueryResultRow>(statement: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: clone.superuserUrl });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
};

const candidate = (institute_id: string, external_id: string) => ({
  id: randomUUID(),
  institute_id,
  external_id,
});
const insertCandidate = (tx: Tx, institute_id: string, external_id: string) =>
  tx
    .insertInto('candidates')
    .values(candidate(institute_id, external_id))
    .returningAll()
    .executeTakeFirstOrThrow();

describe('row-level security', () => {
  test('every table with an institute_id forces row-level security, except in the control plane', async () => {
    const tables = await superuser<{ table_name: string; forced: boolean; policies: number }>(`
      select c.relname as table_name, c.relrowsecurity and c.relforcerowsecurity as forced,
        (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'institute_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
    const open = tables
      .filter(({ forced, policies }) => !forced || policies === 0)
      .map(({ table_name }) => table_name);
    expect(tables.length).toBeGreaterThan(15);
    expect(open.toSorted()).toEqual(['api_keys', 'staff']);
  });

  test('a statement without a filter sees and changes rows of the transaction’s institute only', async () => {
    const [ours, theirs] = [randomUUID(), randomUUID()];
    await database.inTenant(ours, (tx) => insertCandidate(tx, ours, 'C1'));
    await database.inTenant(theirs, (tx) => insertCandidate(tx, theirs, 'C1'));
    const seen = await database.inTenant(ours, (tx) => tx.selectFrom('candidates').selectAll().execute());
    expect(seen.map(({ institute_id }) => institute_id)).toEqual([ours]);
    await database.inTenant(ours, (tx) => tx.updateTable('candidates').set({ name: 'changed' }).execute());
    const untouched = await database.inTenant(theirs, (tx) =>
      tx.selectFrom('candidates').select('name').execute(),
    );
    expect(untouched).toEqual([{ name: null }]);
  });

  test('a row cannot be written for another institute', async () => {
    const [ours, theirs] = [randomUUID(), randomUUID()];
    await expect(database.inTenant(ours, (tx) => insertCandidate(tx, theirs, 'C2'))).rejects.toThrow(
      /row-level security/,
    );
  });

  test('the institute setting ends with its transaction', async () => {
    const single = await openDatabase({ url: clone.url, poolSize: 2, log });
    try {
      const ours = randomUUID();
      await single.inTenant(ours, (tx) => insertCandidate(tx, ours, 'C3'));
      await expect(single.inTenant(ours, () => Promise.reject(new Error('rolled back')))).rejects.toThrow(
        'rolled back',
      );
      const seen = await single.acrossInstitutes((tx) => tx.selectFrom('candidates').selectAll().execute());
      expect(seen).toEqual([]);
    } finally {
      await single.close();
    }
  });

  test('acrossInstitutes sees only the tables with that policy', async () => {
    const policies = await superuser<{ tablename: string }>(
      `select tablename from pg_policies where policyname = 'across_institutes' order by tablename`,
    );
    expect(policies.map(({ tablename }) => tablename)).toEqual([
      'copy_drawings',
      'erasures',
      'exams',
      'guide_applications',
      'idempotency_records',
      'institute_settings',
      'page_readings',
      'pending_rubrics',
      'runs',
      'uploads',
    ]);
  });

  test('a role that row-level security does not bind is refused', async () => {
    await expect(openDatabase({ url: clone.superuserUrl, poolSize: 2, log })).rejects.toThrow(
      /row-level security does not bind/,
    );
  });
});

describe('updated_at (docs/architecture.md#times)', () => {
  test('grows with every update, also within one transaction', async () => {
    const ours = randomUUID();
    const row = await database.inTenant(ours, (tx) => insertCandidate(tx, ours, 'T1'));
    expect(row.created_at).toEqual(row.updated_at);
    let last = row.updated_at.getTime();
    await database.inTenant(ours, async (tx) => {
      for (let change = 0; change < 5; change += 1) {
        const { updated_at } = await tx
          .updateTable('candidates')
          .set({ name: `n${change}` })
          .where('id', '=', row.id)
          .returning('updated_at')
          .executeTakeFirstOrThrow();
        expect(updated_at.getTime()).toBeGreaterThan(last);
        last = updated_at.getTime();
      }
    });
  });

  test('is stored in whole milliseconds', async () => {
    const ours = randomUUID();
    await database.inTenant(ours, (tx) => insertCandidate(tx, ours, 'T2'));
    const { rows } = await database.inTenant(ours, (tx) =>
      sql<{
        odd: number;
      }>`select count(*)::int as odd from candidates where updated_at <> date_trunc('milliseconds', updated_at)`.execute(
        tx,
      ),
    );
    expect(rows).toEqual([{ odd: 0 }]);
  });
});

describe('inTenant', () => {
  test('runs the command again after a deadlock', async () => {
    const ours = randomUUID();
    const [a, b] = await database.inTenant(ours, async (tx) => [
      await insertCandidate(tx, ours, 'A'),
      await insertCandidate(tx, ours, 'B'),
    ]);
    let entered = 0;
    let bothIn: () => void = () => {};
    const together = new Promise<void>((resolve) => (bothIn = resolve));
    let oneEnded: () => void = () => {};
    const ended = new Promise<void>((resolve) => (oneEnded = resolve));
    const rename = async (first: string, second: string) => {
      let tries = 0;
      const needed = await database.inTenant(ours, async (tx) => {
        tries += 1;
        // Else a repetition that is faster than the other transaction meets it in a second deadlock.
        if (tries > 1) await ended;
        const set = (id: string) =>
          tx.updateTable('candidates').set({ name: first }).where('id', '=', id).execute();
        await set(first);
        entered += 1;
        if (entered === 2) bothIn();
        if (tries === 1) await together;
        await set(second);
        return tries;
      });
      oneEnded();
      return needed;
    };
    const tries = await Promise.all([rename(a.id, b.id), rename(b.id, a.id)]);
    expect(tries.toSorted()).toEqual([1, 2]);
  });

  test('a broken connection fails its own command only', async () => {
    const uncaught: Error[] = [];
    const onUncaught = (error: Error) => uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    try {
      const broken = database.inTenant(randomUUID(), async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await superuser(`select pg_terminate_backend(${rows[0]?.pid})`);
        await sql`select 1`.execute(tx);
      });
      await expect(broken).rejects.toThrow();
      await expect(database.ping()).resolves.toBeUndefined();
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', onUncaught);
    }
  });

  test('ping succeeds while all connections are in use', async () => {
    const small = await openDatabase({ url: clone.url, poolSize: 2, log });
    try {
      const holding = Promise.withResolvers<void>();
      let held = 0;
      const hold = async () => {
        held += 1;
        await holding.promise;
      };
      const work = [
        small.inTenant(randomUUID(), hold),
        small.forClients.inTenant(randomUUID(), hold),
        small.forClients.inTenant(randomUUID(), hold),
      ];
      await expect.poll(() => held, { timeout: 10_000 }).toBe(2);
      await small.ping();
      expect(small.waiting()).toBe(1);
      holding.resolve();
      await Promise.all(work);
    } finally {
      await small.close();
    }
  });

  test('a flood from one institute leaves connections to other institutes, workers and core', async () => {
    const ofSix = await openDatabase({ url: clone.url, poolSize: 6, log });
    const [flooding, other] = [randomUUID(), randomUUID()];
    const holding = Promise.withResolvers<void>();
    let held = 0;
    const hold = async () => {
      held += 1;
      await holding.promise;
    };
    try {
      const flood = Array.from({ length: 20 }, () => ofSix.forClients.inTenant(flooding, hold));
      await expect.poll(() => held, { timeout: 10_000 }).toBe(2);
      // Other transactions complete while all transactions of the flood are still open.
      await ofSix.forClients.inTenant(other, (tx) => sql`select 1`.execute(tx));
      await ofSix.inTenant(flooding, (tx) => sql`select 1`.execute(tx));
      await ofSix.acrossInstitutes((tx) => sql`select 1`.execute(tx));
      expect([held, ofSix.waiting()]).toEqual([2, 18]);

      // With floods from many institutes, clients still leave connections to workers and core.
      const more = Array.from({ length: 20 }, () => ofSix.forClients.inTenant(randomUUID(), hold));
      await expect.poll(() => held, { timeout: 10_000 }).toBe(3);
      await ofSix.inTenant(flooding, (tx) => sql`select 1`.execute(tx));
      await ofSix.acrossInstitutes((tx) => sql`select 1`.execute(tx));
      expect(held).toBe(3);
      holding.resolve();
      await Promise.all([...flood, ...more]);
      expect(ofSix.waiting()).toBe(0);
    } finally {
      holding.resolve();
      await ofSix.close();
    }
  });

  test('a server that vanishes silently fails transactions, but not a check that takes long', async () => {
    const { hostname: host, port } = new URL(clone.url);
    const way = createServer((client) => {
      const upstream = connect({ host, port: Number(port) });
      client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
      upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.pipe(upstream);
      // The proxy drops the server's reply.
      upstream.on('data', (bytes) => bytes.includes('vanished') || client.write(bytes));
    });
    way.listen(0, '127.0.0.1');
    await once(way, 'listening');
    const address = way.address();
    const url = new URL(clone.url);
    url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const far = await openDatabase({ url: url.href, poolSize: 2, log, silenceMs: 1500 });
    try {
      const slowly = far.forChecks.inTenant(randomUUID(), (tx) =>
        sql<{ n: number }>`select 1 as n from pg_sleep(3)`.execute(tx),
      );
      await expect(far.inTenant(randomUUID(), (tx) => sql`select 'vanished'`.execute(tx))).rejects.toThrow(
        /Connection terminated|not queryable/,
      );
      await far.inTenant(randomUUID(), (tx) => sql`select 1`.execute(tx));
      expect((await slowly).rows).toEqual([{ n: 1 }]);
    } finally {
      await far.close();
      way.close();
    }
  });

  test('names the constraint that was broken', async () => {
    const ours = randomUUID();
    const twice = database.inTenant(ours, async (tx) => {
      await insertCandidate(tx, ours, 'same');
      await insertCandidate(tx, ours, 'same');
    });
    const error: unknown = await twice.catch((caught: unknown) => caught);
    expect(brokenConstraint(error)).toBe('candidates_institute_id_external_id_key');
  });

  test('the server ends a transaction after 30 s, before the overlap of lists ends', async () => {
    const { rows } = await database.inTenant(randomUUID(), (tx) =>
      sql<{ transaction_timeout: string }>`show transaction_timeout`.execute(tx),
    );
    expect(rows).toEqual([{ transaction_timeout: '30s' }]);
  });
});

describe('the ledger (docs/architecture.md#credits)', () => {
  test('entries can be added, never changed or removed, even by the owner', async () => {
    const ours = randomUUID();
    await database.inTenant(ours, async (tx) => {
      await tx.insertInto('credit_accounts').values({ institute_id: ours }).execute();
      await tx
        .insertInto('credit_entries')
        .values({ institute_id: ours, kind: 'grant', amount: '1', balance_after: '1', committed_after: '0' })
        .execute();
    });
    await expect(database.inTenant(ours, (tx) => tx.deleteFrom('credit_entries').execute())).rejects.toThrow(
      /append-only/,
    );
    await expect(
      database.inTenant(ours, (tx) => tx.updateTable('credit_entries').set({ amount: '2' }).execute()),
    ).rejects.toThrow(/append-only/);
  });

  test('a run has one reservation and one charge or release, also after a caller’s error', async () => {
    const ours = randomUUID();
    const run_id = randomUUID();
    const entry = (kind: 'reserve' | 'charge' | 'release') =>
      database.inTenant(ours, (tx) =>
        tx
          .insertInto('credit_entries')
          .values({ institute_id: ours, kind, amount: '1', run_id, balance_after: '1', committed_after: '0' })
          .execute(),
      );
    await entry('reserve');
    await expect(entry('reserve')).rejects.toThrow(/credit_entries_reserved/);
    await entry('charge');
    await expect(entry('release')).rejects.toThrow(/credit_entries_settled/);
  });
});
