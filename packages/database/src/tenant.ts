import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { CompiledQuery, Kysely, sql, type RawBuilder, type Transaction } from 'kysely';
import pg from 'pg';
import { jittered } from '@evaluation/platform/backoff';
import type { Logger } from '@evaluation/platform/telemetry';
import { createTurns } from '@evaluation/platform/turns';
import { Prisma, PrismaClient } from '../generated/client/client.ts';
import type { DB } from '../generated/kysely/types.ts';
import { postgresDialect, readWith, sendQuery, writeQuery, type Setting } from './driver.ts';

/** A transaction of the tenant plane. */
export type Tx = Transaction<DB>;
/** A transaction of the control plane. */
export type ControlTx = Prisma.TransactionClient;

export interface Database {
  /** For requests of clients. The other methods are for calls of workers and for core's own work. */
  forClients: Database;
  /** For checks that take longer than TRANSACTION_TIMEOUT_MS. */
  forChecks: Database;
  /**
   * Runs `work` in one transaction (READ COMMITTED) in which row-level security shows the rows of this institute
   * only. After a deadlock or serialization failure `work` runs again from its start, so its only effects must be on
   * the transaction (docs/architecture.md#two-planes).
   * @throws NoTurn when too many transactions wait, or the wait takes longer than WAIT_MS
   */
  inTenant<T>(instituteId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs one statement that reads, as a transaction of the institute in one round trip. Retries like `inTenant`. */
  readInTenant<Row>(instituteId: string, query: RawBuilder<Row>, options?: ReadOptions): Promise<Row[]>;
  /** Runs core's own work. Sees only tables with a policy `across_institutes` (runs, uploads and some more). */
  acrossInstitutes<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The control plane, on its own connections: floods of other work do not delay authentication. */
  control: PrismaClient;
  /** Resolves when the database answers, even while all other connections are taken; rejects within seconds. */
  ping(): Promise<void>;
  /** Number of transactions that wait for a connection. */
  waiting(): number;
  close(): Promise<void>;
}

interface ReadOptions {
  /** Disables plans that scan whole tables: the planner does not know how rare a value is under row-level security. */
  walksIndexes?: boolean;
}

interface DatabaseOptions {
  url: string;
  /** Connections for transactions of clients and of the service together; at least 2. */
  poolSize: number;
  log: Logger;
  /** Limit of silence on a connection in use; must be longer than the server's transaction timeout. */
  silenceMs?: number;
}

const MAX_TRIES = 5;
/** SQLSTATEs of serialization failure and deadlock, after which a transaction runs again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** More than rate limits let one key send in a minute. Beyond it, or after WAIT_MS, a request gets 503. */
const MOST_WAITING = 1000;
const WAIT_MS = 20_000;

/** Lists depend on this limit: a reader may miss a change of a longer transaction (`command/lists/pass.ts`). */
const TRANSACTION_TIMEOUT_MS = 30_000;
/** Shorter than the transaction timeout: waiters for one exam must not hold connections that other institutes need. */
const LOCK_TIMEOUT_MS = 5000;

/** Longer than any transaction, so only a dead or unreachable server is silent for so long. */
const SILENCE_MS = TRANSACTION_TIMEOUT_MS + 10_000;
/** One for the reconciler's lock and one for its running check. */
const CHECK_CONNECTIONS = 2;
/** Statements of the control plane find rows by keys and take about a millisecond. */
const CONTROL_CONNECTIONS = 2;
const PING_TIMEOUT_MS = 3000;
/** Disable plans that scan whole tables. */
const WALK_INDEXES = ['enable_seqscan', 'enable_bitmapscan'].map((name) => ({ name, value: 'off' }));

/**
 * Opens the pools of both planes.
 * @throws Error when the role is SUPERUSER or has BYPASSRLS and so bypasses row-level security
 */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  // A broken connection fails its statement and is replaced by the pool. It also emits 'error', which would end the
  // process without a listener.
  const onBroken = (error: Error) => options.log.warn({ err: error }, 'database connection failed');
  const openPool = (
    config: pg.PoolConfig,
    onConnect: (client: pg.PoolClient) => void = () => {},
  ): pg.Pool => {
    const opened = new pg.Pool({
      connectionString: options.url,
      connectionTimeoutMillis: 10_000,
      // TCP keep-alive detects a vanished server on an idle connection.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
    });
    opened.on('error', onBroken);
    opened.on('connect', (client) => {
      client.on('error', onBroken);
      onConnect(client);
    });
    return opened;
  };
  // Without JIT: under row-level security PostgreSQL overestimates rows, and would compile short statements for longer
  // than they run.
  const limits = (transactionMs: number): string =>
    `-c transaction_timeout=${transactionMs} -c lock_timeout=${LOCK_TIMEOUT_MS} -c jit=off`;
  const openLimited = (max: number): pg.Pool =>
    openPool({ max, options: limits(TRANSACTION_TIMEOUT_MS) }, (client) =>
      endWhenSilent(client, options.silenceMs ?? SILENCE_MS),
    );
  const servicePool = openLimited(Math.floor(options.poolSize / 2));
  const clientPool = openLimited(Math.ceil(options.poolSize / 2));
  const controlPool = openLimited(CONTROL_CONNECTIONS);
  const checkPool = openPool({ max: CHECK_CONNECTIONS, options: limits(0) });
  // A pool of its own: `ping` succeeds also while transactions hold all other connections.
  const pingPool = openPool({
    max: 1,
    connectionTimeoutMillis: PING_TIMEOUT_MS,
    query_timeout: PING_TIMEOUT_MS,
  });
  const pools = [servicePool, clientPool, controlPool, checkPool, pingPool];

  try {
    await assertRoleIsSubjectToRls(servicePool);
  } catch (error) {
    await Promise.all(pools.map((each) => each.end()));
    throw error;
  }

  const service = transactionsOn(servicePool, { share: 2 / 3 });
  const clients = transactionsOn(clientPool, { share: 2 / 3 });
  const checks = transactionsOn(checkPool, { share: 1 });
  const control = new PrismaClient({
    adapter: new PrismaPg(controlPool),
    transactionOptions: { maxWait: WAIT_MS, timeout: TRANSACTION_TIMEOUT_MS },
  });
  const common = {
    control,
    ping: async () => {
      await pingPool.query('select 1');
    },
    waiting: () => service.waiting() + clients.waiting() + checks.waiting() + controlPool.waitingCount,
    close: async () => {
      await control.$disconnect();
      await Promise.all(
        pools.map(async (each) => {
          if (!each.ended) await each.end();
        }),
      );
    },
  };
  const viewOf = (transactions: Transactions): Database => ({
    ...transactions,
    ...common,
    get forClients() {
      return viewOf(clients);
    },
    get forChecks() {
      return viewOf(checks);
    },
  });
  return viewOf(service);
};

type Transactions = Pick<Database, 'inTenant' | 'readInTenant' | 'acrossInstitutes' | 'waiting'>;

/**
 * Transactions on the connections of one pool, in turns between institutes.
 * @param share part of the connections that one institute may use, so that a flood of it leaves some to the others
 */
const transactionsOn = (pool: pg.Pool, { share }: { share: number }): Transactions => {
  const kysely = new Kysely<DB>({ dialect: postgresDialect(pool) });
  // pg.Pool is first in, first out. These turns wait in front of it and alternate between institutes.
  const connections = createTurns({
    what: 'PostgreSQL',
    places: pool.options.max,
    share: Math.max(1, Math.floor(pool.options.max * share)),
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
  });

  /** Takes a connection for each attempt, and gives it back before a retry waits. */
  const retried = async <T>(key: string, attempt: () => Promise<T>): Promise<T> => {
    for (let number = 1; ; number += 1) {
      const giveBack = await connections.acquire(key);
      try {
        return await attempt();
      } catch (error) {
        if (number === MAX_TRIES || !(error instanceof pg.DatabaseError) || !RETRYABLE.has(error.code ?? ''))
          throw error;
      } finally {
        giveBack();
      }
      await wait(jittered(2 ** number * 5));
    }
  };

  const transaction = <T>(settings: readonly Setting[], key: string, work: (tx: Tx) => Promise<T>) =>
    retried(key, () =>
      kysely.transaction().execute(async (tx) => {
        for (const setting of settings) await set(tx, setting);
        return work(tx);
      }),
    );

  return {
    inTenant: (instituteId, work) => transaction([instituteSetting(instituteId)], instituteId, work),
    readInTenant: (instituteId, query, { walksIndexes = false } = {}) =>
      retried(instituteId, () =>
        readWith(
          pool,
          [instituteSetting(instituteId), ...(walksIndexes ? WALK_INDEXES : [])],
          query.compile(kysely),
        ),
      ),
    // Under row-level security the planner does not know how rare a status is and would scan whole tables each
    // second. With these scans disabled it uses the partial indexes.
    acrossInstitutes: (work) =>
      transaction([{ name: 'app.across_institutes', value: 'on' }, ...WALK_INDEXES], 'all institutes', work),
    waiting: () => connections.waiting() + pool.waitingCount,
  };
};

const instituteSetting = (value: string): Setting => ({ name: 'app.institute', value });

/**
 * Destroys a connection without traffic for `silenceMs`. When a server vanishes while a statement is in flight, TCP
 * retransmits for about a quarter of an hour before it reports an error. The statement fails with a connection error.
 */
const endWhenSilent = (client: pg.PoolClient, silenceMs: number): void => {
  // The driver's types do not declare the socket of a client.
  const connection: unknown = Reflect.get(client, 'connection');
  const socket: unknown =
    typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'stream') : null;
  if (!(socket instanceof Socket))
    throw new Error('the PostgreSQL driver no longer has its socket in connection.stream');
  socket.setTimeout(silenceMs, () => socket.destroy());
};

const assertRoleIsSubjectToRls = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ mighty: boolean }>(
    'select rolsuper or rolbypassrls as mighty from pg_roles where rolname = current_user',
  );
  if (rows[0]?.mighty === true) {
    throw new Error(
      'DATABASE_URL names a role that row-level security does not bind (SUPERUSER or BYPASSRLS). ' +
        'Create a plain role that owns the database and use that one.',
    );
  }
};

/** A statement that is named by its text, so the text must be one of few. */
interface Statement<Row> {
  compile(tx: Tx): CompiledQuery<Row>;
}

/**
 * Writes a statement whose rows are not needed. It is sent with the next statement of the transaction, or with its
 * commit; that statement or commit also reports a failure of this one. A rollback drops what was not sent yet.
 */
export const write = async (tx: Tx, statement: Statement<unknown>): Promise<void> => {
  await tx.executeQuery(writeQuery(statement.compile(tx)));
};

/** Sends statements in one message, after what was written before. @returns the rows of each */
export const send = async <Rows extends unknown[]>(
  tx: Tx,
  ...statements: { [At in keyof Rows]: Statement<Rows[At]> }
): Promise<{ [At in keyof Rows]: Rows[At][] }> => {
  type Lists = { [At in keyof Rows]: Rows[At][] };
  const parts = statements.map((statement) => statement.compile(tx));
  const { rows } = await tx.executeQuery<Lists>(
    sendQuery(CompiledQuery.raw('statements of a message'), parts),
  );
  const [lists] = rows;
  if (lists === undefined) throw new Error('the driver returned no rows for a message');
  return lists;
};

const set = (tx: Tx, { name, value }: Setting): Promise<void> =>
  write(tx, sql`select set_config(${name}, ${value}, true)`);

/**
 * Plans all statements of the transaction without their values, so each connection plans a statement of `write` or
 * `send` once, until the table's statistics change. PostgreSQL otherwise plans it at each execution while it expects a
 * few rows less with the values at hand, for example with a list of one id, and planning takes longer than running. For
 * statements that find their rows by keys: limits and conditions of partial indexes must be literals.
 */
export const reusePlans = (tx: Tx): Promise<void> =>
  set(tx, { name: 'plan_cache_mode', value: 'force_generic_plan' });

/** A value for a jsonb column; the driver would turn a plain array into a PostgreSQL array. */
export const json = (value: unknown) => sql<unknown>`${JSON.stringify(value)}::jsonb`;

/** Name of the constraint that a statement violated, or null after any other error. */
export const brokenConstraint = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.startsWith('23')
    ? (error.constraint ?? null)
    : null;

/** True for the error of the control plane when a unique value exists already. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
