import { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { jittered } from '@evaluation/backoff';
import type { Logger } from '@evaluation/telemetry';
import { createTurns } from '@evaluation/turns';
import { PrismaClient } from '../generated/client/client.ts';
import type { DB } from '../generated/kysely/types.ts';

/** A transaction that sees the rows of one institute. */
export type Tx = Transaction<DB>;

/**
 * `unhurried`: work that may take longer than any transaction otherwise may. It has a few connections of its own, so it
 * takes none from those who are waited for.
 */
export type Pace = 'usual' | 'unhurried';

/** Who a transaction is for. Each class leaves a part of the connections to the other one, whatever waits. */
export type Caller = 'client' | 'service';

export interface Database {
  /**
   * The same database for work that clients ask for. What is not told is for `service`: workers' calls and core's own.
   */
  forClients: Database;
  /**
   * The same database for commands that need what `key` names (see `Held`): their transactions wait for their turn at it
   * before they take a connection, and need no second attempt.
   */
  inTurnAt(key: string): Database;
  /**
   * Runs a command or a query of one institute in one transaction (READ COMMITTED): row-level security shows it the
   * rows of that institute only. Deadlocks and serialization failures run `work` again from its start, so it must do
   * nothing but talk to the transaction (docs/architecture.md#two-planes). A transaction that finds something locked by another one of
   * this process may throw `Held`: it is rolled back and runs again in its turn, and waits without a connection.
   * @throws NoTurn too many wait for a connection, or for what is held, or for too long
   */
  inTenant<T>(instituteId: string, work: (tx: Tx) => Promise<T>, pace?: Pace): Promise<T>;
  /** For what core does for all of them: sees the tables with a policy of that name (runs, uploads and some more), and no other tenant table. */
  acrossInstitutes<T>(work: (tx: Tx) => Promise<T>, pace?: Pace): Promise<T>;
  /**
   * For looking up API keys. It has connections of its own: a request is not kept from its answer by those that use all
   * others, and look-ups of keys keep no other work waiting.
   */
  keys: Kysely<DB>;
  /** The control plane: institutes and keys. */
  control: PrismaClient;
  /** Resolves when the database answers, however many wait for a connection; rejects within seconds. */
  ping(): Promise<void>;
  /** How many requests wait now, for a connection or for their turn at what another one holds. */
  waiting(): number;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Logger;
  /** For how long a server may say nothing in the middle of usual work; longer than it lets a transaction live. */
  silenceMs?: number;
}

const MAX_TRIES = 5;
/** Serialization failure and deadlock: the whole command may run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * `work` needs something that another transaction holds, and may not keep a connection while it waits for it.
 * `key` names what is held; of the transactions that name the same one this process runs two at once.
 */
export class Held extends Error {
  override readonly name = 'Held';
  readonly key: string;

  constructor(key: string) {
    super('held by another transaction');
    this.key = key;
  }
}

/** Transactions that have waited for their turn at something: they may wait for its lock, since they are at most two. */
const inTurn = new WeakMap<Tx, string>();

/** Whether the transaction has its turn at `key`, so that it may wait for the lock while it holds a connection. */
export const hasTurn = (tx: Tx, key: string): boolean => inTurn.get(tx) === key;

/**
 * Of all connections: a third for one institute in each class, so that a flood of one leaves two thirds, and three quarters
 * for one class, so that clients leave a quarter to workers and workers to clients.
 */
const shareOf = (poolSize: number): number => Math.min(poolSize, Math.max(2, Math.floor(poolSize / 3)));
const classPlacesOf = (poolSize: number): number =>
  Math.max(1, poolSize - Math.max(1, Math.floor(poolSize / 4)));

/** More than rate limits let one key send in a minute. Beyond it, and after the time, a request is refused with 503. */
const MOST_WAITING = 1000;
const WAIT_MS = 20_000;

/** Readers of lists miss no change only while no transaction lives longer (core's `lists/pass.ts`). */
const TRANSACTION_TIMEOUT_MS = 30_000;
/** Well before that: whoever waits for one exam must not hold connections that other institutes need. */
const LOCK_TIMEOUT_MS = 8000;

/** Longer than a transaction lives, so only a server that is gone is silent for so long. */
const SILENCE_MS = TRANSACTION_TIMEOUT_MS + 10_000;
/** The reconciler's lock, the check that it is at, and room for one who asks for a check meanwhile. */
const UNHURRIED_CONNECTIONS = 4;
const PING_TIMEOUT_MS = 3000;
/** A look-up by a unique hash takes less than a millisecond. */
const KEY_CONNECTIONS = 2;

/**
 * Opens the pool that both planes share.
 * @throws Error when the role could see past row-level security: no superuser, no BYPASSRLS.
 */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  // A connection that breaks fails its statement and is replaced by the pool. It also emits an error, idle or in use,
  // which without a listener would end the process.
  const onBroken = (error: Error) => options.log.warn({ err: error }, 'a database connection broke');
  const openPool = (
    config: pg.PoolConfig,
    onConnect: (client: pg.PoolClient) => void = () => {},
  ): pg.Pool => {
    const opened = new pg.Pool({
      connectionString: options.url,
      connectionTimeoutMillis: 10_000,
      // A server that vanished without a word is noticed by the system, while nothing is on its way there.
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
  const limits = (transactionMs: number): string =>
    `-c transaction_timeout=${transactionMs} -c lock_timeout=${LOCK_TIMEOUT_MS}`;
  const pool = openPool({ max: options.poolSize, options: limits(TRANSACTION_TIMEOUT_MS) }, (client) =>
    endWhenSilent(client, options.silenceMs ?? SILENCE_MS),
  );
  const unhurriedPool = openPool({ max: UNHURRIED_CONNECTIONS, options: limits(0) });
  const keyPool = openPool({ max: KEY_CONNECTIONS, options: limits(TRANSACTION_TIMEOUT_MS) }, (client) =>
    endWhenSilent(client, options.silenceMs ?? SILENCE_MS),
  );
  // Of its own: those who wait for one exam may hold every other connection, and the database is there all the same.
  const pingPool = openPool({
    max: 1,
    connectionTimeoutMillis: PING_TIMEOUT_MS,
    query_timeout: PING_TIMEOUT_MS,
  });

  try {
    await assertRoleIsSubjectToRls(pool);
  } catch (error) {
    await Promise.all([pool.end(), unhurriedPool.end(), keyPool.end(), pingPool.end()]);
    throw error;
  }

  const kysely: Record<Pace, Kysely<DB>> = {
    usual: new Kysely<DB>({ dialect: new PostgresDialect({ pool }) }),
    unhurried: new Kysely<DB>({ dialect: new PostgresDialect({ pool: unhurriedPool }) }),
  };
  const control = new PrismaClient({ adapter: new PrismaPg(pool) });

  // In front of the pool, which is first in, first out: one institute's burst waits here, and others take turns with it.
  const connections = createTurns({
    what: 'PostgreSQL',
    places: options.poolSize,
    share: shareOf(options.poolSize),
    classPlaces: classPlacesOf(options.poolSize),
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
  });
  const held = createTurns({
    what: 'PostgreSQL',
    places: Infinity,
    // One works, and the next one is ready at the lock.
    share: 2,
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
  });

  /** One attempt on a connection, which is given back before anything else is waited for. */
  const attemptOnce = async <T>(call: Call<T>, turnAt: string | null): Promise<T> => {
    const giveBack =
      call.pace === 'usual'
        ? await connections.acquire(call.value, {
            class: call.caller,
            // Those behind it would find the same thing held.
            isNext: turnAt !== null && call.turnAt === null,
          })
        : () => {};
    try {
      return await kysely[call.pace].transaction().execute(async (tx) => {
        if (turnAt !== null) inTurn.set(tx, turnAt);
        await sql`select set_config(${call.setting}, ${call.value}, true)`.execute(tx);
        return call.work(tx);
      });
    } finally {
      giveBack();
    }
  };

  const attempt = async <T>(call: Call<T>, turnAt: string | null): Promise<T> => {
    for (let number = 1; ; number += 1) {
      try {
        return await attemptOnce(call, turnAt);
      } catch (error) {
        if (number === MAX_TRIES || !(error instanceof pg.DatabaseError) || !RETRYABLE.has(error.code ?? ''))
          throw error;
        await pause(jittered(2 ** number * 5));
      }
    }
  };

  const attemptInTurn = async <T>(call: Call<T>, key: string): Promise<T> => {
    const giveBack = await held.acquire(key);
    try {
      return await attempt(call, key);
    } finally {
      giveBack();
    }
  };

  const transaction = async <T>(call: Call<T>): Promise<T> => {
    if (call.turnAt !== null) return attemptInTurn(call, call.turnAt);
    try {
      return await attempt(call, null);
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      return attemptInTurn(call, error.key);
    }
  };

  const transactionsFor = (
    caller: Caller,
    turnAt: string | null,
  ): Pick<Database, 'inTenant' | 'acrossInstitutes'> => ({
    inTenant: (instituteId, work, pace = 'usual') =>
      transaction({ setting: 'app.institute', value: instituteId, work, pace, caller, turnAt }),
    acrossInstitutes: (work, pace = 'usual') =>
      transaction({
        setting: 'app.across_institutes',
        value: 'on',
        work: async (tx) => {
          // Row-level security hides how rare a status is from the planner, which then would rather read the whole
          // table, each second, or all that waits, than step along the partial indexes that hold just what is looked for.
          await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
            tx,
          );
          return work(tx);
        },
        pace,
        caller,
        turnAt,
      }),
  });

  const common = {
    keys: new Kysely<DB>({ dialect: new PostgresDialect({ pool: keyPool }) }),
    control,
    ping: async () => {
      await pingPool.query('select 1');
    },
    waiting: () => connections.waiting() + held.waiting() + pool.waitingCount,
    close: async () => {
      await control.$disconnect();
      await Promise.all(
        [pool, unhurriedPool, keyPool, pingPool].map(async (each) => {
          if (!each.ended) await each.end();
        }),
      );
    },
  };
  const viewFor = (caller: Caller, turnAt: string | null): Database => ({
    ...common,
    ...transactionsFor(caller, turnAt),
    get forClients() {
      return viewFor('client', turnAt);
    },
    inTurnAt: (key) => viewFor(caller, key),
  });
  return viewFor('service', null);
};

interface Call<T> {
  setting: 'app.institute' | 'app.across_institutes';
  value: string;
  work: (tx: Tx) => Promise<T>;
  pace: Pace;
  caller: Caller;
  /** What it waits for its turn at, before it begins. */
  turnAt: string | null;
}

/**
 * Ends a connection on which nothing came or went for so long. A server that vanished while a statement was on its way
 * to it is otherwise noticed after a quarter of an hour, for which the system sends it again. The statement fails as one
 * whose connection broke.
 */
const endWhenSilent = (client: pg.PoolClient, silenceMs: number): void => {
  // The driver's types do not name the socket of a client.
  const connection: unknown = Reflect.get(client, 'connection');
  const socket: unknown =
    typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'stream') : null;
  if (!(socket instanceof Socket)) throw new Error('the PostgreSQL driver keeps its socket elsewhere now');
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

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A value for a jsonb column; without it an array would become a PostgreSQL array. */
export const json = (value: unknown) => sql<unknown>`${JSON.stringify(value)}::jsonb`;

/** The name of the constraint that a statement broke, or null when it failed for another reason. */
export const brokenConstraint = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.startsWith('23')
    ? (error.constraint ?? null)
    : null;
