import { randomUUID } from 'node:crypto';
import { Decimal } from 'decimal.js';
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { brokenConstraint, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { openTestDatabase } from '@evaluation/test-services';
import { charge, grant, release, reserve } from './ledger.ts';

/*
 * Random operations on credits by many concurrent connections, through the ledger's own functions: grants,
 * reservations, charges, releases, rolled-back transactions, and settlements that are repeated or race. The expected
 * result is computed from the committed operations and compared with the tables.
 *
 * Most transactions are sent as one message: the ledger's functions write their statements into a list instead of
 * sending them one by one, so that thousands of operations take seconds. The other transactions run as in the service.
 *
 * LEDGER_OPERATIONS=1000000 runs the long mode. LEDGER_SEED repeats the choices of a run (not their interleaving).
 */
const OPERATIONS = Number(process.env['LEDGER_OPERATIONS'] ?? 20_000);
const SEED = Number(process.env['LEDGER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const HANDS = 3;
const CREDIT_LIMITS = [0, 0, 0, 0.5, 3, 10, 10, 100];

const clone = await openTestDatabase(HANDS + 2);
const { database } = clone;
const pool = new pg.Pool({ connectionString: clone.url, max: HANDS });
afterAll(async () => {
  await pool.end();
  await clone.close();
});

/** Random numbers by mulberry32. @returns a whole number from 0 to below `bound` */
const seeded = (seed: number) => {
  let state = seed >>> 0;
  return (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
};
type Random = ReturnType<typeof seeded>;

type Fate = 'open' | 'charge' | 'release';
interface Run {
  id: string;
  amount: number;
}
type Step = { kind: 'grant'; amount: number } | { kind: 'reserve' | 'charge' | 'release'; run: Run };

/** Committed operations, recorded apart from the tables. */
interface Institute {
  id: string;
  creditLimit: number;
  granted: Decimal;
  /** Reserved and unsettled runs that no transaction is using. */
  open: Run[];
  settled: Run[];
  fates: Map<string, { amount: number; fate: Fate }>;
}

const newInstitute = async (creditLimit: number): Promise<Institute> => {
  const id = randomUUID();
  await database.inTenant(id, (tx) =>
    tx
      .insertInto('credit_accounts')
      .values({ institute_id: id, credit_limit: String(creditLimit) })
      .execute(),
  );
  return { id, creditLimit, granted: new Decimal(0), open: [], settled: [], fates: new Map() };
};

/** Takes the runs of the steps out of `open`, so that no other transaction settles them. */
const choose = (random: Random, institute: Institute, many: number): Step[] =>
  Array.from({ length: many }, (): Step => {
    const die = random(100);
    if (die < 5) return { kind: 'grant', amount: (1 + random(120_000)) / 10_000 };
    const run = die < 50 ? institute.open.splice(random(institute.open.length), 1)[0] : undefined;
    if (run !== undefined) return { kind: die % 2 === 0 ? 'charge' : 'release', run };
    return { kind: 'reserve', run: { id: randomUUID(), amount: (1 + random(30_000)) / 10_000 } };
  });

const perform = (tx: Tx, institute: Institute, step: Step): Promise<void> => {
  switch (step.kind) {
    case 'grant':
      return grant(tx, institute.id, step.amount);
    case 'reserve':
      return reserve(tx, { institute_id: institute.id, run_id: step.run.id }, step.run.amount);
    case 'charge':
      return charge(tx, { institute_id: institute.id, run_id: step.run.id }, step.run.amount);
    case 'release':
      return release(tx, { institute_id: institute.id, run_id: step.run.id }, step.run.amount);
  }
};

const committed = (institute: Institute, steps: readonly Step[]): void => {
  for (const step of steps) {
    if (step.kind === 'grant') {
      institute.granted = institute.granted.plus(step.amount);
      continue;
    }
    const fate = step.kind === 'reserve' ? 'open' : step.kind;
    institute.fates.set(step.run.id, { amount: step.run.amount, fate });
    (fate === 'open' ? institute.open : institute.settled).push(step.run);
  }
};

const undone = (institute: Institute, steps: readonly Step[]): void => {
  for (const step of steps) {
    if (step.kind === 'charge' || step.kind === 'release') institute.open.push(step.run);
  }
};

class RolledBack extends Error {}

/** Runs the steps one by one, as the service does. The account is locked, so each answer can be predicted. */
const oneByOne = async (random: Random, institute: Institute): Promise<number> => {
  const steps = choose(random, institute, 1 + random(10));
  const rollsBack = random(5) === 0;
  let asked = 0;
  let refused = false;
  const done: Step[] = [];
  try {
    await database.inTenant(institute.id, async (tx) => {
      const account = await tx
        .selectFrom('credit_accounts')
        .selectAll()
        .where('institute_id', '=', institute.id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      let available = new Decimal(account.balance).plus(account.credit_limit).minus(account.committed);
      for (const step of steps) {
        asked += 1;
        refused = step.kind === 'reserve' && available.lt(step.run.amount);
        await perform(tx, institute, step);
        if (refused) throw new Error(`reserved ${JSON.stringify(step)} of ${String(available)}`);
        done.push(step);
        if (step.kind === 'reserve') available = available.minus(step.run.amount);
        if (step.kind === 'release') available = available.plus(step.run.amount);
        if (step.kind === 'grant') available = available.plus(step.amount);
      }
      if (rollsBack) throw new RolledBack();
    });
    committed(institute, done);
  } catch (error) {
    const isRefusal = error instanceof DomainFailure && error.failure.code === 'insufficient_credits';
    if (!(error instanceof RolledBack) && !(isRefusal && refused)) throw error;
    // A refused reservation rolls back its whole transaction.
    undone(institute, steps);
  }
  return asked;
};

/** Settles a run that is settled already, or the same run twice at once: at most one succeeds. */
const settleTwice = async (random: Random, institute: Institute): Promise<number> => {
  const isSettled = random(2) === 0;
  const run = isSettled
    ? institute.settled[random(institute.settled.length)]
    : institute.open.splice(random(institute.open.length), 1)[0];
  if (run === undefined) return 0;
  const kinds = [random(2), random(2)].map((die) => (die === 0 ? 'charge' : 'release'));
  const outcomes = await Promise.allSettled(
    kinds.map((kind) => database.inTenant(institute.id, (tx) => perform(tx, institute, { kind, run }))),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    // If the account has no other committed credits, its check constraint may fail before the unique index.
    expect(['credit_entries_settled', 'committed_not_negative']).toContain(brokenConstraint(outcome.reason));
  }
  const won = kinds.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  expect(won).toHaveLength(isSettled ? 0 : 1);
  committed(
    institute,
    won.map((kind) => ({ kind, run })),
  );
  return 2;
};

type Tables = Tx extends Transaction<infer T> ? T : never;

/** Returns the statements that the ledger's functions would send. Each statement gets a successful answer. */
const statementsOf = async (institute: Institute, steps: readonly Step[]): Promise<CompiledQuery[]> => {
  const statements: CompiledQuery[] = [];
  const nothing = async () => {};
  const writing = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => {
        const compiler = new PostgresQueryCompiler();
        return {
          compileQuery: (...query) => {
            const compiled = compiler.compileQuery(...query);
            statements.push(compiled);
            return compiled;
          },
        };
      },
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => ({
          // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- as Kysely declares it
          executeQuery: async <R>() => {
            // eslint-disable-next-line typescript/no-unsafe-type-assertion -- all the ledger asks for is a row
            return { rows: [[[{ id: '1' }]] as R] };
          },
          streamQuery: () => {
            throw new Error('the ledger streams nothing');
          },
        }),
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  });
  await writing.transaction().execute(async (tx) => {
    for (const step of steps) await perform(tx, institute, step);
  });
  return statements;
};

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && /^[\w-]+$/.test(value)) return `'${value}'`;
  throw new Error(`the ledger sent ${JSON.stringify(value)}`);
};

const prepared = new WeakSet<pg.PoolClient>();

/** Sends a whole transaction in one message. A reservation without enough credits changes nothing. */
const inOneMessage = async (random: Random, institute: Institute): Promise<number> => {
  const steps = choose(random, institute, 20 + random(20));
  const rollsBack = random(8) === 0;
  const statements = await statementsOf(institute, steps);
  const [first] = statements;
  if (first === undefined) throw new Error('no statement');
  // All operations use one statement text, which is planned once for each connection.
  expect(new Set(statements.map(({ sql: text }) => text)).size).toBe(1);
  expect(statements).toHaveLength(steps.length);
  const message = [
    'begin',
    `select set_config('app.institute', '${institute.id}', true)`,
    ...statements.map(({ parameters }) => `execute change(${parameters.map(literal).join(', ')})`),
    rollsBack ? 'rollback' : 'commit',
  ].join(';\n');
  const connection = await pool.connect();
  if (!prepared.has(connection)) await connection.query(`prepare change as ${first.sql}`);
  prepared.add(connection);
  const answered: unknown = await connection.query(message).finally(() => connection.release());
  if (!Array.isArray(answered)) throw new Error('a message of several statements got one answer');
  const answers = answered as pg.QueryResult[];
  const done = steps.filter((step, index) => {
    const isDone = answers[index + 2]?.rowCount === 1;
    if (!isDone) expect(step.kind).toBe('reserve');
    return isDone;
  });
  (rollsBack ? undone : committed)(institute, done);
  return steps.length;
};

/** Compares the tables with each other and with the committed operations. */
const check = async (institute: Institute): Promise<void> => {
  const { account, ledger, entries } = await database.inTenant(institute.id, async (tx) => {
    const found = await sql<Record<string, string>>`
      select count(*) filter (where not adds_up) as broken, min(balance_after + ${institute.creditLimit}::numeric - committed_after) as least,
        coalesce(sum(amount) filter (where kind = 'grant'), 0) - coalesce(sum(amount) filter (where kind = 'charge'), 0) as balance,
        coalesce(sum(amount) filter (where kind = 'reserve'), 0) - coalesce(sum(amount) filter (where kind in ('charge', 'release')), 0) as committed
      from (
        select kind, amount, balance_after, committed_after,
          balance_after = lag(balance_after, 1, 0::numeric) over in_order
            + case kind when 'grant' then amount when 'charge' then -amount else 0 end
          and committed_after = lag(committed_after, 1, 0::numeric) over in_order
            + case kind when 'reserve' then amount when 'grant' then 0 else -amount end as adds_up
        from credit_entries where institute_id = ${institute.id} window in_order as (order by id)
      ) entry`.execute(tx);
    return {
      account: await tx.selectFrom('credit_accounts').selectAll().executeTakeFirstOrThrow(),
      ledger: found.rows[0],
      entries: await tx
        .selectFrom('credit_entries')
        .select(['run_id', 'kind', 'amount'])
        .where('kind', '<>', 'grant')
        .orderBy('id')
        .execute(),
    };
  });
  // The balances of the entries have no gap, and the reservations never exceed the balance.
  expect(ledger?.['broken']).toBe('0');
  expect(Number(ledger?.['least'])).toBeGreaterThanOrEqual(0);
  expect([account.balance, account.committed]).toEqual([ledger?.['balance'], ledger?.['committed']]);

  // Each run has one reservation and then at most one charge or release: those of the committed operations.
  const fates = new Map<string, { amount: number; fate: Fate }>();
  const wrong: unknown[] = [];
  for (const { run_id, kind, amount } of entries) {
    const run = run_id ?? '';
    const fate = kind === 'charge' || kind === 'release' ? kind : 'open';
    if (fates.get(run)?.fate !== (kind === 'reserve' ? undefined : 'open')) wrong.push({ run, kind });
    fates.set(run, { amount: Number(amount), fate });
  }
  let charged = new Decimal(0);
  let open = new Decimal(0);
  for (const [run, { amount, fate }] of institute.fates) {
    const found = fates.get(run);
    if (found?.amount !== amount || found.fate !== fate) wrong.push({ run, found, amount, fate });
    if (fate === 'charge') charged = charged.plus(amount);
    if (fate === 'open') open = open.plus(amount);
  }
  expect({ wrong, runs: fates.size }).toEqual({ wrong: [], runs: institute.fates.size });
  expect(institute.granted.minus(charged).equals(account.balance)).toBe(true);
  expect(open.equals(account.committed)).toBe(true);
};

test(
  `${OPERATIONS} random operations: account and entries agree, no run is settled twice, no reservation exceeds the available credits`,
  { timeout: Math.max(600_000, OPERATIONS * 6) },
  async () => {
    console.log(`LEDGER_SEED=${SEED}`);
    const institutes = await Promise.all(CREDIT_LIMITS.map(newInstitute));
    let done = 0;
    await Promise.all(
      Array.from({ length: HANDS }, async (_, hand) => {
        const random = seeded(SEED + hand);
        while (done < OPERATIONS) {
          const institute = institutes[random(institutes.length)];
          if (institute === undefined) throw new Error('no institute');
          const die = random(20);
          if (die < 16) done += await inOneMessage(random, institute);
          else if (die < 19) done += await oneByOne(random, institute);
          else done += await settleTwice(random, institute);
        }
      }),
    );
    for (const institute of institutes) await check(institute);
    expect(institutes.every(({ settled }) => settled.length > 0)).toBe(true);
  },
);
