import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { Kysely, sql, type CompiledQuery, type RawBuilder, type Transaction } from 'kysely';
import pg from 'pg';
import { jittered } from '@evaluation/platform/backoff';
import type { Logger } from '@evaluation/platform/telemetry';
import { createTurns } from '@evaluation/platform/turns';
import { PrismaClient } from '../generated/client/client.ts';
import type { DB } from '../generated/kysely/types.ts';
import {
  hasArrived,
  laterQuery,
  PREPARED_MARK,
  postgresDialect,
  readWith,
  SEND,
  settingQuery,
} from './driver.ts';

export type Tx = Transaction<DB>;

/** `unhurried` work may take longer than TRANSACTION_TIMEOUT_MS and has its own few connections. */
type Pace = 'usual' | 'unhurried';

/** Origin of a transaction. A flood from one origin leaves a part of the connections to the other. */
type Caller = 'client' | 'service';

export interface Database {
  /** For requests of clients. The default class is `service`: calls of workers, and core's own work. */
  forClients: Database;
  /**
   * For commands that need the resource `key` (see `Held`): a transaction waits for its turn before it takes a
   * connection, so it is not rolled back and run again.
   */
  inTurnAt(key: string): Database;
  /**
   * Runs `work` in one transaction (READ COMMITTED) in which row-level security shows the rows of this institute
   * only. After a deadlock or serialization failure `work` runs again from its start, so its only effects must be on
   * the transaction (docs/architecture.md#two-planes). `work` may throw `Held` when another transaction of this
   * process has locked what it needs: the transaction is rolled back, waits for its turn without a connection and
   * runs again.
   * @throws NoTurn when too many transactions wait, or the wait takes longer than WAIT_MS
   */
  inTenant<T>(instituteId: string, work: (tx: Tx) => Promise<T>, pace?: Pace): Promise<T>;
  /** Runs one statement that reads, as a transaction of the institute in one round trip. Retries like `inTenant`. */
  readInTenant<Row>(instituteId: string, query: RawBuilder<Row>, options?: ReadOptions): Promise<Row[]>;
  /** Runs core's own work. Sees only tables with a policy `across_institutes` (runs, uploads and some more). */
  acrossInstitutes<T>(work: (tx: Tx) => Promise<T>, pace?: Pace): Promise<T>;
  /** For looking up API keys, on its own connections: floods of other work do not delay authentication. */
  keys: Kysely<DB>;
  /** The control plane: institutes and keys. */
  control: PrismaClient;
  /** Resolves when the database answers, even while all other connections are taken; rejects within seconds. */
  ping(): Promise<void>;
  /** Number of transactions that wait for a connection or for their turn. */
  waiting(): number;
  close(): Promise<void>;
}

interface ReadOptions {
  /** Disables plans that scan whole tables: the planner does not know how rare a value is under row-level security. */
  walksIndexes?: boolean;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Logger;
  /** Limit of silence on a connection in use; must be longer than the server's transaction timeout. */
  silenceMs?: number;
}

const MAX_TRIES = 5;
/** SQLSTATEs of serialization failure and deadlock, after which a transaction runs again. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * Thrown by `work` when another transaction holds the resource `key`, so that `work` does not keep a connection while
 * it waits. This process runs at most two transactions of the same key at once.
 */
export class Held extends Error {
  override readonly name = 'Held';
  readonly key: string;

  constructor(key: string) {
    super('held by another transaction');
    this.key = key;
  }
}

/** Transactions that have their turn at a key. At most two per key, so they may wait for its lock. */
const inTurn = new WeakMap<Tx, string>();

/** True when the transaction has its turn at `key` and may wait for its lock while it holds a connection. */
export const hasTurn = (tx: Tx, key: string): boolean => inTurn.get(tx) === key;

/**
 * Connections that one institute (a third) and one class (three quarters) may use, so that a flood from one institute
 * or one class leaves connections to the others.
 */
const shareOf = (poolSize: number): number => Math.min(poolSize, Math.max(2, Math.floor(poolSize / 3)));
const classPlacesOf = (poolSize: number): number =>
  Math.max(1, poolSize - Math.max(1, Math.floor(poolSize / 4)));

/** More than rate limits let one key send in a minute. Beyond it, or after WAIT_MS, a request gets 503. */
const MOST_WAITING = 1000;
const WAIT_MS = 20_000;

/** Lists depend on this limit: a reader may miss a change of a longer transaction (`command/lists/pass.ts`). */
const TRANSACTION_TIMEOUT_MS = 30_000;
/** Shorter than the transaction timeout: waiters for one exam must not hold connections that other institutes need. */
const LOCK_TIMEOUT_MS = 8000;

/** Longer than any transaction, so only a dead or unreachable server is silent for so long. */
const SILENCE_MS = TRANSACTION_TIMEOUT_MS + 10_000;
/** For the reconciler's lock and its running check, and for checks requested meanwhile. */
const UNHURRIED_CONNECTIONS = 4;
const PING_TIMEOUT_MS = 3000;
/** Disable plans that scan whole tables. */
const WALK_INDEXES = ['enable_seqscan', 'enable_bitmapscan'].map((name) => ({ name, value: 'off' }));
/** Two are enough: a look-up by a unique hash takes less than a millisecond. */
const KEY_CONNECTIONS = 2;

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
  const pool = openPool({ max: options.poolSize, options: limits(TRANSACTION_TIMEOUT_MS) }, (client) =>
    endWhenSilent(client, options.silenceMs ?? SILENCE_MS),
  );
  const unhurriedPool = openPool({ max: UNHURRIED_CONNECTIONS, options: limits(0) });
  const keyPool = openPool({ max: KEY_CONNECTIONS, options: limits(TRANSACTION_TIMEOUT_MS) }, (client) =>
    endWhenSilent(client, options.silenceMs ?? SILENCE_MS),
  );
  // A pool of its own: `ping` succeeds also while transactions hold all other connections.
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
    usual: new Kysely<DB>({ dialect: postgresDialect(pool) }),
    unhurried: new Kysely<DB>({ dialect: postgresDialect(unhurriedPool) }),
  };
  const control = new PrismaClient({ adapter: new PrismaPg(pool) });

  // pg.Pool is first in, first out. These turns wait in front of it and alternate between institutes.
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
    // Two transactions of a key: one runs, and the next one waits for its lock.
    share: 2,
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
  });

  /** One attempt on one connection, which is given back before any other wait. */
  const attemptOnce = async <T>(call: Call<T>, turnAt: string | null): Promise<T> => {
    const giveBack =
      call.pace === 'usual'
        ? await connections.acquire(call.value, {
            class: call.caller,
            // The transaction has already waited at its key. Other transactions of the institute may need the same key,
            // and would take a connection only to throw `Held`.
            isNext: turnAt !== null && call.turnAt === null,
          })
        : () => {};
    try {
      return await kysely[call.pace].transaction().execute(async (tx) => {
        if (turnAt !== null) inTurn.set(tx, turnAt);
        await tx.executeQuery(settingQuery({ name: call.setting, value: call.value }));
        return call.work(tx);
      });
    } finally {
      giveBack();
    }
  };

  const readOnce = async <Row>(
    caller: Caller,
    instituteId: string,
    query: RawBuilder<Row>,
    { walksIndexes = false }: ReadOptions,
  ): Promise<Row[]> => {
    const giveBack = await connections.acquire(instituteId, { class: caller });
    try {
      const settings = [{ name: 'app.institute', value: instituteId }, ...(walksIndexes ? WALK_INDEXES : [])];
      return await readWith<Row>(pool, settings, query.compile(kysely.usual));
    } finally {
      giveBack();
    }
  };

  const retried = async <T>(once: () => Promise<T>): Promise<T> => {
    for (let number = 1; ; number += 1) {
      try {
        return await once();
      } catch (error) {
        if (number === MAX_TRIES || !(error instanceof pg.DatabaseError) || !RETRYABLE.has(error.code ?? ''))
          throw error;
        await wait(jittered(2 ** number * 5));
      }
    }
  };

  const attemptInTurn = async <T>(call: Call<T>, key: string): Promise<T> => {
    const giveBack = await held.acquire(key);
    try {
      return await retried(() => attemptOnce(call, key));
    } finally {
      giveBack();
    }
  };

  const transaction = async <T>(call: Call<T>): Promise<T> => {
    if (call.turnAt !== null) return attemptInTurn(call, call.turnAt);
    try {
      return await retried(() => attemptOnce(call, null));
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      return attemptInTurn(call, error.key);
    }
  };

  const transactionsFor = (
    caller: Caller,
    turnAt: string | null,
  ): Pick<Database, 'inTenant' | 'readInTenant' | 'acrossInstitutes'> => ({
    inTenant: (instituteId, work, pace = 'usual') =>
      transaction({ setting: 'app.institute', value: instituteId, work, pace, caller, turnAt }),
    readInTenant: (instituteId, query, how = {}) => retried(() => readOnce(caller, instituteId, query, how)),
    acrossInstitutes: (work, pace = 'usual') =>
      transaction({
        setting: 'app.across_institutes',
        value: 'on',
        work: async (tx) => {
          // Under row-level security the planner does not know how rare a status is and would scan whole tables each
          // second. With these scans disabled it uses the partial indexes.
          for (const setting of WALK_INDEXES) await tx.executeQuery(settingQuery(setting));
          return work(tx);
        },
        pace,
        caller,
        turnAt,
      }),
  });

  const common = {
    keys: new Kysely<DB>({ dialect: postgresDialect(keyPool) }),
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
  /** Key at which the call waits for its turn before the first attempt. */
  turnAt: string | null;
}

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

/** Mark of a statement that each connection parses once (see driver.ts), as in sql`${PREPARED} select …`. */
export const PREPARED = sql.raw(PREPARED_MARK);

/**
 * Sends a prepared statement together with the next one of the transaction, or with its commit. That statement or
 * commit also reports a failure of this one. A rollback drops a statement that was not sent yet.
 * @returns a function that gives the rows, once the next statement has run
 */
export const later = async <Row>(
  tx: Tx,
  query: { compile(tx: Tx): CompiledQuery<Row> },
): Promise<() => Row[]> => {
  const { rows } = await tx.executeQuery<Row>(laterQuery(query.compile(tx)));
  return () => {
    if (!hasArrived(rows)) throw new Error('the statement was not sent yet');
    return rows;
  };
};

/**
 * Plans all statements of the transaction without their values, so each connection plans a prepared statement once,
 * until the table's statistics change. PostgreSQL otherwise plans it at each execution while it expects a few rows less
 * with the values at hand, for example with a list of one id, and planning takes longer than running. For statements
 * that find their rows by keys: limits and conditions of partial indexes must be literals.
 */
export const reusePlans = async (tx: Tx): Promise<void> => {
  await tx.executeQuery(settingQuery({ name: 'plan_cache_mode', value: 'force_generic_plan' }));
};

/** Sends the statements of `later` now, in one message. */
export const send = async (tx: Tx): Promise<void> => {
  await tx.executeQuery(SEND);
};

/** A value for a jsonb column; the driver would turn a plain array into a PostgreSQL array. */
export const json = (value: unknown) => sql<unknown>`${JSON.stringify(value)}::jsonb`;

/** Name of the constraint that a statement violated, or null after any other error. */
export const brokenConstraint = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.startsWith('23')
    ? (error.constraint ?? null)
    : null;
